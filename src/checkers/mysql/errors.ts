/**
 * Errors of MySQL, MariaDB and of the driver, as causes.
 *
 * Sources: https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html,
 * https://mariadb.com/kb/en/mariadb-error-code-reference/
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { ServerError, SQL_CAUSES } from '../sql/causes.ts'
import { serverFailure, shown, strange } from '../sql/causes.ts'
import { UnknownServerKey } from './plugins.ts'

type ErrorCause = keyof typeof SQL_CAUSES | 'query_timeout'

const CAUSES: Readonly<Record<number, ErrorCause>> = {
  1040: 'db_too_many_connections',
  1203: 'db_too_many_connections',
  1044: 'auth_failed',
  1045: 'auth_failed',
  1698: 'auth_failed',
  // An expired password: every statement except a password change is refused.
  1820: 'auth_failed',
  1862: 'auth_failed',
  // Account locked or blocked (MySQL 3118, 3955; MariaDB 4151, 4150).
  3118: 'auth_failed',
  3955: 'auth_failed',
  4150: 'auth_failed',
  4151: 'auth_failed',
  1251: 'auth_unsupported',
  1275: 'auth_unsupported',
  1524: 'auth_unsupported',
  1049: 'db_database_missing',
  1129: 'db_host_blocked',
  1130: 'db_host_denied',
  // A node of a Galera cluster that is not synchronized.
  1047: 'db_starting_up',
  3168: 'db_starting_up',
  1053: 'db_shutting_down',
  1077: 'db_shutting_down',
  1079: 'db_shutting_down',
  // Statement timeout: MariaDB, MySQL.
  1969: 'query_timeout',
  3024: 'query_timeout',
}

/** Per-user limits: of connections at the login, of queries after it. */
const USER_LIMIT = 1226

/** The failure for an error packet. */
export function errorFailure(error: ServerError, phase: Phase): CheckFailure {
  return serverFailure(causeOf(error, phase), error, phase)
}

/** Whether the error concerns only this statement, so that another one may succeed. */
export function isOfStatement(error: ServerError): boolean {
  return causeOf(error, 'query') === 'db_query_failed'
}

function causeOf({ errno }: ServerError, phase: Phase): ErrorCause {
  const known = errno === undefined ? undefined : CAUSES[errno]
  if (known !== undefined) return known
  if (phase === 'query') return 'db_query_failed'
  return errno === USER_LIMIT ? 'db_too_many_connections' : 'auth_failed'
}

/** The driver's rejection: an error packet of the server, or its own parsing error. */
export function driverError(thrown: unknown): ServerError | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { errno, sqlState, sqlMessage } = thrown as {
    readonly errno?: unknown
    readonly sqlState?: unknown
    readonly sqlMessage?: unknown
  }
  if (typeof errno !== 'number' || typeof sqlMessage !== 'string') return undefined
  const sqlstate = typeof sqlState === 'string' && sqlState !== '' ? sqlState : undefined
  return { errno, sqlstate, message: sqlMessage }
}

/** Any other error of the driver. Its text may contain credentials, so it is not shown. */
export function driverFailure(thrown: unknown, plugin: string | undefined): CheckFailure {
  if (thrown instanceof CheckFailure) return thrown
  if (thrown instanceof UnknownServerKey) return unknownKey(thrown)
  const { code } = (thrown ?? {}) as { readonly code?: unknown }
  const unsupported =
    code === 'AUTH_SWITCH_PLUGIN_ERROR' || code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED'
  if (!unsupported) return strange('MySQL', 'the driver cannot read it', thrown)
  const how =
    code === 'MYSQL_CLEAR_PASSWORD_NOT_ENABLED'
      ? 'the password in clear, without TLS'
      : `a login of the kind "${shown(plugin ?? 'unknown', 64)}", which the driver does not have`
  return new CheckFailure('auth_unsupported', `The server asks for ${how}`, {
    phase: 'auth',
    cause: thrown,
  })
}

function unknownKey(cause: UnknownServerKey): CheckFailure {
  const text =
    'The server asks for the password without TLS, encrypted with a key that anybody in between could have sent; enable TLS at the server, or set tls to off'
  return new CheckFailure('auth_unsupported', text, { phase: 'auth', cause })
}
