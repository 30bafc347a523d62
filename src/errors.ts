/**
 * Every error that leaves watchpost has a stable `code`, a sentence on how to resolve it, and the `cause`.
 *
 * @module
 */

const brand = Symbol.for('watchpost.error')

/**
 * Base of all errors thrown by watchpost. Test with {@link isWatchpostError}, which works across copies of the
 * package.
 */
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

/** Invalid settings: every problem at once, keyed by the field as the user wrote it. */
export class ValidationError extends WatchpostError {
  readonly fields: Readonly<Record<string, string>>

  constructor(fields: Readonly<Record<string, string>>) {
    const list = Object.entries(fields).map(([name, problem]) => `${name}: ${problem}`)
    super('validation', `Invalid input: ${list.join('; ')}`)
    this.fields = fields
  }
}

/** The input names types of checks that the engine has no checker for. To callers it is a `ValidationError`, by name. */
export class UnknownTypeError extends ValidationError {
  readonly types: readonly string[]

  constructor(fields: Readonly<Record<string, string>>, types: readonly string[]) {
    super(fields)
    this.name = 'ValidationError'
    this.types = types
  }
}

/** One error for the problems of several inputs; `found`: the errors that some of them come from. */
export function joinedProblems(
  fields: Readonly<Record<string, string>>,
  found: readonly ValidationError[],
): ValidationError {
  const types = found.flatMap((error) => (error instanceof UnknownTypeError ? error.types : []))
  return types.length === 0
    ? new ValidationError(fields)
    : new UnknownTypeError(fields, [...new Set(types)])
}

/** The monitor, contact, incident, … does not exist, or belongs to another account. */
export class NotFoundError extends WatchpostError {
  constructor(what: string) {
    super('not_found', `There is no such ${what}`)
  }
}

/** For `catch`, to skip what does not exist; any other error, such as that of a store, is thrown again. */
export function unlessGone(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error
}

/** The request is valid, but not in the current state (a check while paused, an outdated version). */
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

/** A damaged row: reading or changing it again fails as well, unlike a temporary failure of the store. */
export class UnreadableError extends StorageError {}

/** The store as a whole failed, not one damaged row of it: it may answer the next time. */
export function isTransient(error: unknown): error is StorageError {
  return error instanceof StorageError && !(error instanceof UnreadableError)
}

/** A listener of the engine threw or rejected; passed to the event `error`. `cause` is what it threw. */
export class ListenerError extends WatchpostError {
  /** The event of the listener. */
  readonly event: string

  constructor(event: string, options?: ErrorOptions) {
    const cause = options?.cause
    const why = cause instanceof Error ? `: ${cause.message}` : ''
    super('listener', `A listener of the event "${event}" failed${why}`, options)
    this.event = event
  }
}

/** A package that is loaded on first use is not installed, or fails to load. */
export class MissingDependencyError extends WatchpostError {
  readonly package: string

  constructor(name: string, options?: ErrorOptions) {
    const cause = options?.cause
    const isAbsent = cause === undefined || isMissingPackage(cause, name)
    const message = isAbsent
      ? `This needs the package "${name}": npm install ${name}`
      : `The package "${name}" does not load: ${cause instanceof Error ? cause.message : 'no reason was given'}`
    super('missing_dependency', message, options)
    this.package = name
  }
}

/** Codes of `import()`, of `require` and bundlers, and of `require` in a single executable. */
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_UNKNOWN_BUILTIN_MODULE']

/** Whether an import failed because a named package, and not one that it needs, is not installed. */
export function isMissingPackage(error: unknown, name: string): boolean {
  const { code = '', message = '' } = (error ?? {}) as Partial<NodeJS.ErrnoException>
  if (!NOT_FOUND.includes(code)) return false
  // In quotes, with or without a file of the package; a path to its folder means that it is there.
  return name
    .split(' ')
    .flatMap((each) => [`'${each}'`, `'${each}/`, `: ${each}`])
    .some((named) => message.includes(named))
}

/** The engine was not started, or is stopping. */
export class ClosedError extends WatchpostError {
  constructor(message: string, options?: ErrorOptions) {
    super('unavailable', message, options)
  }
}

/** A wrong option of `createEngine`, a flag, or an environment variable. */
export class ConfigurationError extends WatchpostError {
  constructor(message: string, options?: ErrorOptions) {
    super('configuration', message, options)
  }
}

/** A function that the store does not offer, since it lacks an optional member. */
export class NotOfferedError extends ConfigurationError {}
