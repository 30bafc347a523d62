/**
 * What a check of a database does once it is logged in: a ping or a query, the judgement, the goodbye.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { JsonObject } from '../../model.ts'
import type { CheckContext, Judgement } from '../checker.ts'
import { down, up } from '../checker.ts'
import { REACHED_HIGHLIGHTS, REACHED_MEASUREMENTS } from '../reached.ts'
import type { SqlCause } from './causes.ts'
import type { SqlSettings } from './fields.ts'

/** A driver whose login is done. Failures are thrown as `CheckFailure`. */
export interface SqlSession {
  ping(): Promise<void>
  query(statement: Statement): Promise<Rows>
  /** Leaves in order, however the check went. May hang; nobody waits long. */
  goodbye(): Promise<void>
  /** At once. */
  close(): void
}

export interface Statement {
  readonly sql: string
  /** Reading stops there. */
  readonly rows_max: number
  /** After so many milliseconds nobody waits for the result any more. */
  readonly timeout_ms: number
}

export interface Rows {
  readonly rows: number
  /** Whether the server has promised to change nothing. */
  readonly read_only: boolean
}

/** The check is over; a server that does not take its leave is not waited for. */
const GOODBYE_MS = 500

export const SQL_MEASUREMENTS = {
  rows: 'Rows read of the result, at most expect_rows_min or 1',
  read_only: 'false: the server has no read-only transactions, the query was run without one',
  server_version: 'Version as the server gives it',
  sqlstate: 'SQLSTATE of the error, five characters',
  ...REACHED_MEASUREMENTS,
} as const

export const SQL_HIGHLIGHTS = {
  server_version: { title: 'Server' },
  rows: { title: 'Rows' },
  ...REACHED_HIGHLIGHTS,
} as const

/** Pings, or asks the query and counts its rows. */
export async function runSql(
  ctx: CheckContext,
  session: SqlSession,
  settings: Pick<SqlSettings, 'query' | 'expect_rows_min'>,
): Promise<Judgement<SqlCause | 'db_rows_too_few'>> {
  const { query, expect_rows_min: wanted } = settings
  ctx.onEnd(() => takeLeave(ctx.clock, session))
  if (query === undefined) {
    await ctx.phase('query', () => session.ping())
    return up()
  }
  const statement = {
    sql: query,
    rows_max: Math.max(wanted ?? 0, 1),
    timeout_ms: Math.max(1, Math.ceil(ctx.remaining())),
  }
  const { rows, read_only } = await ctx.phase('query', () => session.query(statement))
  const details: JsonObject = { rows, ...(read_only ? {} : { read_only }) }
  if (wanted === undefined || rows >= wanted) return up({ details })
  const text = `The query returned ${rows} ${rows === 1 ? 'row' : 'rows'}, at least ${wanted} expected`
  return down('db_rows_too_few', text, { details })
}

async function takeLeave(clock: Pick<Clock, 'timer'>, session: SqlSession): Promise<void> {
  const late = clock.timer(GOODBYE_MS, () => session.close())
  try {
    await session.goodbye()
  } catch {
    // It is over either way.
  } finally {
    late.cancel()
    session.close()
  }
}
