/**
 * What `pg`, PostgreSQL and the network throw: which of it passes by itself, and one sentence on what can
 * be done about the rest.
 *
 * @module
 */

import { isWatchpostError, NotFoundError, StorageError } from '../../errors.ts'
import { storageError } from '../promised.ts'

/** A statement, or a transaction, whose end did not come in time. */
export class DeadlineError extends Error {
  readonly code = 'DEADLINE'
}

/** SQLSTATE (PostgreSQL, appendix A) or the code of a system error; empty where there is none. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}

/** After these nothing can be said about the connection, or it leads to a server that is of no use. */
const LOST_STATES = /^(?:08...|57P0[1235]|25P0[34]|25006)$/
const LOST_CODES =
  /^(?:DEADLINE|ECONN(?:REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(?:HOST|NET)UNREACH|EHOSTDOWN|ENOTFOUND|EAI_AGAIN|ERR_STREAM.*)$/
/** Errors of `pg` itself have no code. */
const LOST_WORDS =
  /connection terminated|connection error and is not queryable|client was closed|read timeout|timeout exceeded when trying to connect/i

/** The connection is gone, or must be given up. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== '') return LOST_STATES.test(code) || LOST_CODES.test(code)
  return error instanceof Error && LOST_WORDS.test(error.message)
}

/**
 * It was lost without a word, or leads to a server that is no longer the one that may be written to: so may
 * those that are as old. A connection that was ended says nothing about the others.
 */
export function isSilence(error: unknown): boolean {
  return /^(?:DEADLINE|ETIMEDOUT|E(?:HOST|NET)UNREACH|25006)$/.test(codeOf(error))
}

/** Gone with another try: a lost connection, a server that starts or is full, a transaction chosen to yield. */
export function isPassing(error: unknown): boolean {
  return isLost(error) || /^(?:40001|40P01|53300)$/.test(codeOf(error))
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^28P01$/, 'the user or the password is wrong'],
  [/^28000$/, 'the server does not let this user in from here (pg_hba.conf)'],
  [/^3D000$/, 'there is no such database'],
  [/^42501$/, 'this user lacks a right; it needs CREATE on the database, or on the schema'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'nobody answers there'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'the name of the host is not known'],
  [/^57P03$/, 'the server is starting or stopping'],
  [/^53300$/, 'the server has no connection left; lower `connections` or raise max_connections'],
  [/^53100$/, 'the disk of the server is full'],
  [/^57014$/, 'a statement took longer than statementTimeoutMs'],
  [/^25006$/, 'the server is read-only; is it a standby?'],
  [/^DEADLINE$/, 'no answer in time'],
]

const FOREIGN_KEY_VIOLATION = '23503'

/** Any error as a `StorageError` that names the database, its cause the original; or that there is no such account. */
export function explain(place: string, error: unknown): Error {
  // A missing package keeps its own code: the way out is another one.
  if (isWatchpostError(error)) return error
  const code = codeOf(error)
  // All references lead to accounts.
  if (code === FOREIGN_KEY_VIOLATION) return new NotFoundError('account')
  const hint = HINTS.find(([sign]) => sign.test(code))?.[1]
  const known = reasonOf(error)
  if (known !== undefined) return new StorageError(`${place}: ${hint ?? known}`, { cause: error })
  return storageError(hint === undefined ? place : `${place}: ${hint}`, error)
}

/** An attempt at several addresses at once has no words of its own. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof AggregateError) || error.message !== '') return undefined
  const [first] = error.errors as readonly unknown[]
  return first instanceof Error ? first.message : codeOf(error)
}
