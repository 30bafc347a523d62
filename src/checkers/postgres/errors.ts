/**
 * Errors of PostgreSQL, of connection poolers, and of the driver, as causes.
 *
 * Sources: https://www.postgresql.org/docs/current/errcodes-appendix.html; the texts of PgBouncer,
 * which uses the code 08P01 for all of its own errors.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { ServerError, SQL_CAUSES } from '../sql/causes.ts'
import { serverFailure } from '../sql/causes.ts'
import { notPostgres } from './wire.ts'

type ErrorCause =
  keyof typeof SQL_CAUSES | 'query_timeout' | 'protocol_error' | 'tls_client_cert_required'

const CAUSES: Readonly<Record<string, ErrorCause>> = {
  '28P01': 'auth_failed',
  '3D000': 'db_database_missing',
  '53300': 'db_too_many_connections',
  '57P01': 'db_shutting_down',
  '57P02': 'db_shutting_down',
  // Statement timeout, transaction timeout.
  '57014': 'query_timeout',
  '25P04': 'query_timeout',
}

const POOLER: readonly (readonly [text: RegExp, cause: ErrorCause])[] = [
  [/no more connections|too many/i, 'db_too_many_connections'],
  [/no such database/i, 'db_database_missing'],
  [/no such user|auth|password/i, 'auth_failed'],
  [/shutting down/i, 'db_shutting_down'],
]

/** The failure for an ErrorResponse. */
export function errorFailure(error: ServerError, phase: Phase): CheckFailure {
  return serverFailure(causeOf(error, phase), error, phase)
}

/** Whether the error concerns only this statement, so that another one may succeed. */
export function isOfStatement(error: ServerError): boolean {
  return causeOf(error, 'query') === 'db_query_failed'
}

/** Whether the state concerns the server or session, not the statement. */
export function isOfServer({ sqlstate = '' }: ServerError): boolean {
  return /^(53|57P)/.test(sqlstate)
}

function causeOf({ sqlstate = '', message }: ServerError, phase: Phase): ErrorCause {
  const known = Object.hasOwn(CAUSES, sqlstate) ? CAUSES[sqlstate] : undefined
  if (known !== undefined) return known
  // This code has two meanings and a translated text; the more likely meaning is the default.
  if (sqlstate === '57P03') {
    return /shutting down/i.test(message) ? 'db_shutting_down' : 'db_starting_up'
  }
  if (phase === 'query') return 'db_query_failed'
  // The file name is the same in every translation.
  if (sqlstate === '28000' && message.includes('pg_hba.conf')) return 'db_host_denied'
  // In other languages it is a refused login.
  if (sqlstate === '28000' && message.includes('valid client certificate'))
    return 'tls_client_cert_required'
  if (sqlstate === '08P01') {
    return POOLER.find(([text]) => text.test(message))?.[1] ?? 'protocol_error'
  }
  return sqlstate.startsWith('0') ? 'protocol_error' : 'auth_failed'
}

/** The server error in the driver's rejection, if it is one. */
export function driverError(thrown: unknown): ServerError | undefined {
  if (!(thrown instanceof Error) || thrown instanceof CheckFailure) return undefined
  const { code, severity } = thrown as { readonly code?: unknown; readonly severity?: unknown }
  if (typeof severity !== 'string') return undefined
  return { sqlstate: typeof code === 'string' ? code : undefined, message: thrown.message }
}

/** Any other error of the driver. Its text may contain credentials, so it is not shown. */
export function driverFailure(thrown: unknown): Error {
  if (thrown instanceof CheckFailure) return thrown
  const scram = thrown instanceof Error && thrown.message.startsWith('SASL')
  return notPostgres(
    scram ? 'its SCRAM login breaks the rules' : 'the driver cannot read it',
    thrown,
  )
}
