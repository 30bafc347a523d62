/**
 * Causes of database servers besides those of the transport, and their texts.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { SharedCause } from '../causes.ts'
import type { CauseTable } from '../checker.ts'

export const SQL_CAUSES = {
  auth_failed: { text: 'The server refused the login', phase: 'auth' },
  auth_unsupported: { text: 'The server offers no login that can be used', phase: 'auth' },
  /**
   * settings: The server works. `cause_text` contains its message: a table was renamed, a privilege
   * revoked, or the data is missing.
   */
  db_database_missing: { text: 'The database does not exist', phase: 'auth' },
  /**
   * Find the sessions that hold the connections (`SHOW PROCESSLIST`, `SELECT * FROM pg_stat_activity`).
   * `mysqladmin flush-hosts` unblocks a host; the cause is often a port check, see
   * [tcp](../checkers/tcp.md).
   */
  db_too_many_connections: { text: 'The server has no connection left', phase: 'auth' },
  /** As `db_too_many_connections`. */
  db_host_blocked: {
    text: "The server blocks the client's host after too many errors",
    phase: 'auth',
  },
  /** settings: As `auth_failed`. */
  db_host_denied: {
    text: "The server does not allow this login from the client's host",
    phase: 'auth',
  },
  /**
   * A restart, a failover, a recovery, or a Galera node out of sync: if it lasts, check the log of the
   * server.
   */
  db_starting_up: { text: 'The server is not ready yet', phase: 'auth' },
  /** As `db_starting_up`. */
  db_shutting_down: { text: 'The server is shutting down' },
  /** settings: As `db_database_missing`. */
  db_query_failed: { text: 'The query failed', phase: 'query' },
  /** As `db_database_missing`. */
  db_rows_too_few: { text: 'The query returned too few rows', phase: 'query' },
  /**
   * settings: The stored query is not read-only. `cause_text` contains the reason: change it to one
   * read-only statement, or remove it for a ping.
   */
  db_query_refused: {
    text: 'The query of this monitor may do more than read, and is not run',
    verdict: 'unknown',
    phase: 'query',
  },
} as const satisfies CauseTable

export type SqlCause = keyof typeof SQL_CAUSES | SharedCause

/** An error reported by the server. */
export interface ServerError {
  /** MySQL error number. */
  readonly errno?: number | undefined
  /** Five characters; absent if the server sent none. */
  readonly sqlstate?: string | undefined
  readonly message: string
}

/** Maximum characters of a server's text. */
const SHOWN = 200

/** A server's text on one line, shortened. */
export function shown(text: string, max = SHOWN): string {
  const line = text.replace(/\p{C}+/gu, ' ').trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}

/** The failure for a server error: its cause and the server's text. */
export function serverFailure(
  cause_code: keyof typeof SQL_CAUSES | keyof typeof OTHER_LEADS,
  { errno, sqlstate, message }: ServerError,
  phase: Phase,
): CheckFailure {
  const lead =
    cause_code in SQL_CAUSES
      ? SQL_CAUSES[cause_code as keyof typeof SQL_CAUSES].text
      : OTHER_LEADS[cause_code as keyof typeof OTHER_LEADS]
  const codes = [errno, sqlstate === undefined ? undefined : `SQLSTATE ${shown(sqlstate, 5)}`]
  const listed = codes.filter((code) => code !== undefined).join(', ')
  const text = `${lead}: "${shown(message)}"${listed === '' ? '' : ` (${listed})`}`
  return new CheckFailure(cause_code, text, { phase })
}

const OTHER_LEADS = {
  query_timeout: 'The server stopped the query',
  protocol_error: 'The server refused to go on',
  tls_unsupported: 'The server answered the wish for TLS with an error',
  tls_client_cert_required: 'The server requires a client certificate',
} as const

/** The failure for a message that violates the protocol. */
export function strange(protocol: string, what: string, cause?: unknown): CheckFailure {
  return new CheckFailure(
    'protocol_error',
    `The server does not speak the ${protocol} protocol: ${what}`,
    {
      cause,
    },
  )
}
