/**
 * Classifies the errors of `pg`, PostgreSQL and the network: which are transient, and one sentence on how to resolve
 * the rest.
 *
 * @module
 */

import { isWatchpostError, NotFoundError, StorageError, UnreadableError } from '../../errors.ts'
import { storageError } from '../promised.ts'

/** A statement or a transaction exceeded its deadline. */
export class DeadlineError extends Error {
  readonly code = 'DEADLINE'
}

/** SQLSTATE (PostgreSQL, appendix A) or the code of a system error; empty if there is none. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** After these the connection is in an unknown state, or leads to a server that cannot be used. */
const LOST_STATES = /^(?:08...|57P0[1235]|25P0[34]|25006)$/
const LOST_CODES =
  /^(?:DEADLINE|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|EPROTO|ETIMEDOUT|E(?:HOST|NET)UNREACH|EHOSTDOWN|ENOTFOUND|EAI_AGAIN|ERR_STREAM.*)$/
/** Errors of `pg` itself have no code. */
const LOST_WORDS =
  /connection terminated|connection error and is not queryable|client was closed|read timeout|timeout exceeded when trying to connect/i

/**
 * A prepared statement is older than its table: a newer version of watchpost has added a column. The message is in the
 * language of the server.
 */
function isOutdated(error: unknown): boolean {
  const { routine } = (error ?? {}) as { readonly routine?: unknown }
  return codeOf(error) === '0A000' && routine === 'RevalidateCachedQuery'
}

/** The connection is lost or must be closed. */
export function isLost(error: unknown): boolean {
  if (isOutdated(error)) return true
  const code = codeOf(error)
  if (code !== '') return LOST_STATES.test(code) || LOST_CODES.test(code)
  return error instanceof Error && LOST_WORDS.test(error.message)
}

/**
 * The connection was lost without an error message, leads to a server that is no longer writable, or has outdated
 * statements; connections of the same age may be in the same state. A connection that the server closed says nothing about the others.
 */
export function isSilence(error: unknown): boolean {
  if (isOutdated(error)) return true
  return /^(?:DEADLINE|ETIMEDOUT|E(?:HOST|NET)UNREACH|25006)$/.test(codeOf(error))
}

/**
 * Transient: a lost connection, a server that starts or has too many connections, a transaction rolled back for
 * another.
 */
export function isPassing(error: unknown): boolean {
  return isLost(error) || /^(?:40001|40P01|53300)$/.test(codeOf(error))
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, 'the user or the password is wrong'],
  [/^28000$/, 'the server does not let this user in from here (pg_hba.conf)'],
  [/^3D000$/, 'there is no such database'],
  [/^42501$/, 'this user lacks a right; it has to own the tables, or needs CREATE to make them'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'nobody answers there'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'the name of the host is not known'],
  [/^57P03$/, 'the server is starting or stopping'],
  [/^53300$/, 'the server has no connection left; lower `connections` or raise max_connections'],
  [/^53100$/, 'the disk of the server is full'],
  [/^57014$/, 'a statement took longer than statementTimeoutMs'],
  [/^25006$/, 'the server is read-only; is it a standby?'],
  [/^DEADLINE$/, 'no answer in time'],
]

/** Of a value in one row (data exceptions, violated constraints): other rows can be written. */
const OF_A_ROW = /^2[23]...$/
const FOREIGN_KEY_VIOLATION = '23503'
export const UNIQUE_VIOLATION = '23505'

/**
 * Wraps any error as a `StorageError` that names the database, with the original as cause; a violated foreign key
 * becomes `NotFoundError`.
 */
export function explain(place: string, error: unknown): Error {
  // A missing package keeps its own error code and hint.
  if (isWatchpostError(error)) return error
  const code = codeOf(error)
  // All foreign keys refer to accounts.
  if (code === FOREIGN_KEY_VIOLATION) return new NotFoundError('account')
  if (OF_A_ROW.test(code) && error instanceof Error)
    return new UnreadableError(`${place}: ${error.message}`, { cause: error })
  const hint = HINTS.find(([sign]) => sign.test(code))?.[1]
  const known = reasonOf(error)
  if (known !== undefined) return new StorageError(`${place}: ${hint ?? known}`, { cause: error })
  return storageError(hint === undefined ? place : `${place}: ${hint}`, error)
}

/** An `AggregateError` of several addresses has no message of its own. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof AggregateError) || error.message !== '') return undefined
  const [first] = error.errors as readonly unknown[]
  return first instanceof Error ? first.message : codeOf(error)
}
