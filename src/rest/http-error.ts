/**
 * Maps errors to the status and code of a response.
 *
 * @module
 */

import { isWatchpostError, WatchpostError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import type { Failure } from './envelope.ts'

/** A request that is rejected before it reaches the engine. */
export class HttpError extends WatchpostError {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.error, failure.message ?? failure.error)
    this.failure = failure
  }
}

/**
 * Status per error of the engine. Looked up by name, not by `instanceof`: the host may have loaded the engine from
 * the ESM build and this adapter from the CommonJS one.
 */
const STATUS_OF: ReadonlyMap<string, number> = new Map([
  ['ValidationError', 422],
  ['NotFoundError', 404],
  ['ConflictError', 409],
  ['StorageError', 503],
  ['ClosedError', 503],
])

/** Codes with a status of their own. A version is compared only if `If-Match` was sent, hence 412. */
const STATUS_OF_CODE: ReadonlyMap<string, number> = new Map([['version_mismatch', 412]])

/** Messages of the store and the engine are for the operator; the client gets these instead. */
const NEUTRAL_TEXT: ReadonlyMap<string, string> = new Map([
  ['storage', 'The storage does not answer; nothing was changed'],
  ['unavailable', 'The service is starting or stopping'],
])

/** To the client a store without an optional member is no mistake, but a service that offers less. */
const NOT_OFFERED: Failure = {
  status: 501,
  error: 'not_offered',
  message: 'The storage of this service has no place for it',
}

interface FailureContext {
  readonly logger: Logger
  /** Further fields of the log line; free of secrets. */
  readonly about: Readonly<Record<string, unknown>>
}

export function failureOf(error: unknown, { logger, about }: FailureContext): Failure {
  if (isHttpError(error)) return error.failure
  if (isWatchpostError(error) && error.name === 'NotOfferedError') return NOT_OFFERED
  const status = isWatchpostError(error) ? statusOf(error) : undefined
  if (!isWatchpostError(error) || status === undefined) {
    logger.error({ ...about, err: error }, 'a request failed unexpectedly')
    return { status: 500, error: 'internal', message: 'Something went wrong on our side' }
  }
  if (status >= 500) logger.warn({ ...about, err: error }, 'a request could not be served')
  const fields = fieldsOf(error)
  if (fields !== undefined) return { status, error: error.code, fields }
  return {
    status,
    error: error.code,
    message: NEUTRAL_TEXT.get(error.code) ?? error.message,
    ...(status === 503 ? { retry_after: 5 } : {}),
  }
}

function isHttpError(error: unknown): error is HttpError {
  return isWatchpostError(error) && 'failure' in error
}

function statusOf(error: WatchpostError): number | undefined {
  return STATUS_OF_CODE.get(error.code) ?? STATUS_OF.get(error.name)
}

function fieldsOf(error: WatchpostError): Readonly<Record<string, string>> | undefined {
  if (!('fields' in error) || typeof error.fields !== 'object' || error.fields === null) return
  return error.fields as Readonly<Record<string, string>>
}
