/**
 * The steps of a database check after the login: ping or query, verdict, disconnect.
 *
 * @module
 */

import * as option from '../../options.ts'
import type { Clock } from '../../clock.ts'
import type { JsonObject } from '../../model.ts'
import type { CheckContext, Judgement } from '../checker.ts'
import { down, unknown, up } from '../checker.ts'
import { shown, SQL_CAUSES } from './causes.ts'
import type { SqlCause } from './causes.ts'
import type { SqlSettings } from './fields.ts'
import { writingProblem } from './statement.ts'
import type { Dialect } from './statement.ts'

/** A driver, or a function that returns one. */
export type DriverSource<D extends object> = D | (() => D | Promise<D>)

/** What the option `driver` of a checker may be. */
export const driverOption = option.eitherOf(
  'the package, or a function that gets it,',
  option.object,
  option.callback,
)

/** A driver after its login. Failures are thrown as `CheckFailure`. */
export interface SqlSession {
  ping(): Promise<void>
  query(statement: Statement): Promise<Rows>
  /**
   * Privileges of the login beyond reading, in a few words each; `undefined` if the server does not
   * report them. Queried last. May hang.
   */
  rights(): Promise<readonly string[] | undefined>
  /** Disconnects in an orderly way. May hang; the wait is short. */
  goodbye(): Promise<void>
  /** Closes immediately. */
  close(): void
}

export interface Statement {
  readonly sql: string
  /** Reading stops at this row count. */
  readonly rows_max: number
  /** Time limit of the query. */
  readonly timeout_ms: number
}

export interface Rows {
  readonly rows: number
  /** Whether it ran in a read-only transaction. */
  readonly read_only: boolean
}

/** Maximum wait for the disconnect; the check is already over. */
const GOODBYE_MS = 500

/** Maximum wait for the privileges of the login. */
const RIGHTS_MS = 500

/** Maximum privileges shown. */
const MAX_RIGHTS = 5

export interface SqlQuestion extends Pick<SqlSettings, 'query' | 'expect_rows_min'> {
  readonly dialect: Dialect
}

/** Sends a ping, or runs the query and counts its rows. */
export async function runSql(
  ctx: CheckContext,
  session: SqlSession,
  { query, expect_rows_min: wanted, dialect }: SqlQuestion,
): Promise<Judgement<SqlCause>> {
  ctx.onEnd(() => takeLeave(ctx.clock, session))
  // A stored query that was never validated is not run either.
  const refused = query === undefined ? undefined : writingProblem(query, dialect)
  if (query === undefined || refused !== undefined) {
    await ctx.phase('query', () => session.ping())
    if (refused === undefined) return up()
    return unknown('db_query_refused', `${SQL_CAUSES.db_query_refused.text}: ${refused}`)
  }
  const statement = {
    sql: query,
    rows_max: Math.max(wanted ?? 0, 1),
    timeout_ms: Math.max(1, Math.ceil(ctx.remaining())),
  }
  const { rows, read_only } = await ctx.phase('query', () => session.query(statement))
  const details: JsonObject = { rows, ...readOnly(read_only, await rightsOf(ctx, session)) }
  if (wanted === undefined || rows >= wanted) return up({ details })
  const text = `The query returned ${rows} ${rows === 1 ? 'row' : 'rows'}, at least ${wanted} expected`
  return down('db_rows_too_few', text, { details })
}

/** Never rejects, and never exceeds the deadline of the check. */
async function rightsOf(
  { clock, remaining }: Pick<CheckContext, 'clock' | 'remaining'>,
  session: SqlSession,
): Promise<readonly string[] | undefined> {
  let late: { cancel(): void } | undefined
  const silence = new Promise<undefined>((resolve) => {
    late = clock.timer(Math.min(RIGHTS_MS, remaining() / 2), () => resolve(undefined))
  })
  const said = session.rights().catch(() => undefined)
  return Promise.race([said, silence]).finally(() => late?.cancel())
}

function readOnly(transaction: boolean, rights: readonly string[] | undefined): JsonObject {
  const why = [...(transaction ? [] : [NO_TRANSACTION]), ...(rights ?? [])]
  if (why.length === 0) return rights === undefined ? {} : { read_only: true }
  return { read_only: false, read_only_why: why.slice(0, MAX_RIGHTS).map((text) => shown(text)) }
}

const NO_TRANSACTION = 'the server has no read-only transactions'

async function takeLeave(clock: Pick<Clock, 'timer'>, session: SqlSession): Promise<void> {
  const late = clock.timer(GOODBYE_MS, () => session.close())
  try {
    await session.goodbye()
  } catch {
    // The session is over either way.
  } finally {
    late.cancel()
    session.close()
  }
}

export async function driverFrom<D extends object>(
  ctx: CheckContext,
  source: DriverSource<D> | undefined,
  ours: readonly [name: string, importer: () => Promise<D>],
): Promise<D> {
  if (source === undefined) return ctx.load(...ours)
  return typeof source === 'function' ? source() : source
}
