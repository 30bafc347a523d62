/**
 * Every error that leaves watchpost carries a stable `code`, a sentence that helps, and the `cause`.
 *
 * @module
 */

const brand = Symbol.for('watchpost.error')

/** Base of all errors thrown by watchpost. Recognise it with {@link isWatchpostError}, which works across copies of the package. */
export class WatchpostError extends Error {
  readonly code: string
  readonly [brand] = true

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

export function isWatchpostError(error: unknown): error is WatchpostError {
  return typeof error === 'object' && error !== null && brand in error
}

/** Settings that do not fit: every problem at once, keyed by the field as the user wrote it. */
export class ValidationError extends WatchpostError {
  readonly fields: Readonly<Record<string, string>>

  constructor(fields: Readonly<Record<string, string>>) {
    const list = Object.entries(fields).map(([name, problem]) => `${name}: ${problem}`)
    super('validation', `Invalid input: ${list.join('; ')}`)
    this.fields = fields
  }
}

/** There is no such monitor, contact, incident, …, or it belongs to another account. */
export class NotFoundError extends WatchpostError {
  constructor(what: string) {
    super('not_found', `There is no such ${what}`)
  }
}

/** For `catch`, where what is gone is left out: a store that does not answer is no reason to leave it out. */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}

/** The request is valid, but not in the present state (a check while paused, an outdated version). */
export class ConflictError extends WatchpostError {
  constructor(code: string, message: string) {
    super(code, message)
  }
}

/** The store could not read or write; nothing of the operation took effect. */
export class StorageError extends WatchpostError {
  constructor(message: string, options?: ErrorOptions) {
    super('storage', message, options)
  }
}

/** A row that is damaged: it is as unreadable the next time, unlike what a store fails at for a while. */
export class UnreadableError extends StorageError {}

/** A listener of the engine threw, or its promise rejected: what the event `error` tells then. `cause` is what it threw. */
export class ListenerError extends WatchpostError {
  /** The event that it listened to. */
  readonly event: string

  constructor(event: string, options?: ErrorOptions) {
    const cause = options?.cause
    const why = cause instanceof Error ? `: ${cause.message}` : ''
    super('listener', `A listener of the event "${event}" failed${why}`, options)
    this.event = event
  }
}

/** A package that is loaded on first use is not installed. */
export class MissingDependencyError extends WatchpostError {
  readonly package: string

  constructor(name: string, options?: ErrorOptions) {
    super('missing_dependency', `This needs the package "${name}": npm install ${name}`, options)
    this.package = name
  }
}

/** Whether an import failed since the package is not installed (`import()` and `require` name it differently). */
export function isMissingPackage(error: unknown): boolean {
  const code = (error as Partial<NodeJS.ErrnoException> | null | undefined)?.code
  return code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
}

/** The engine was not started, or is stopping. */
export class ClosedError extends WatchpostError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/** A wrong option of `createEngine`, a flag, or an environment variable. */
export class ConfigurationError extends WatchpostError {
  constructor(message: string, options?: ErrorOptions) {
    super('configuration', message, options)
  }
}
