/**
 * The time limit of a statement, which MySQL and MariaDB know by different names and end in different ways.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'

/** What MySQL holds a statement of this session to. */
export const TIME_LIMIT = 'SELECT @@SESSION.max_execution_time'

/**
 * So that the server itself stops in time and at enough rows; the deadline and the counting hold
 * besides. A limit that its operator has set is never raised.
 */
export function limits(version: string, rows_max: number, timeout_ms: number): string {
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
 * MySQL gives the rows of some statements that wait, and no error, when its time limit ends them.
 *
 * @throws CheckFailure `query_timeout`
 */
export function refuseInterrupted(took_ms: number, limit_ms: number): void {
  if (!(limit_ms > 0) || took_ms < limit_ms) return
  const text = `The server ended the query at its time limit of ${limit_ms} ms`
  throw new CheckFailure('query_timeout', text, { phase: 'query' })
}
