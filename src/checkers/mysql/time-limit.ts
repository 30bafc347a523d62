/**
 * The time limit of statements, which has different names and effects in MySQL and MariaDB.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'

/** Reads the time limit of the session in MySQL. */
export const READ_TIME_LIMIT = 'SELECT @@SESSION.max_execution_time'

/**
 * The statement that makes the server itself stop in time and at enough rows, in addition to the deadline and the row
 * count. A limit of the operator is never raised.
 */
export function setLimits(version: string, rows_max: number, timeout_ms: number): string {
  const [name, value] = isMariadb(version)
    ? ['max_statement_time', timeout_ms / 1000]
    : ['max_execution_time', timeout_ms]
  const time = `IF(@@${name} > 0, LEAST(@@${name}, ${value}), ${value})`
  return `SET SESSION sql_select_limit = ${rows_max}, ${name} = ${time}`
}

export function isMariadb(version: string): boolean {
  return /mariadb/i.test(version)
}

/**
 * At its time limit, MySQL returns the rows of some waiting statements without an error.
 *
 * @throws CheckFailure `query_timeout`
 */
export function refuseInterrupted(took_ms: number, limit_ms: number): void {
  if (!(limit_ms > 0) || took_ms < limit_ms) return
  const text = `The server ended the query at its time limit of ${limit_ms} ms`
  throw new CheckFailure('query_timeout', text, { phase: 'query' })
}
