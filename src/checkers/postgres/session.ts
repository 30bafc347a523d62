/**
 * Runs the driver pg on a guarded connection: login, ping, one query, terminate.
 *
 * @module
 */

import type { Duplex } from 'node:stream'
import { CheckFailure } from '../../net/failure.ts'
import type { CheckContext } from '../checker.ts'
import { driverStream } from '../sql/driver-stream.ts'
import { strange } from '../sql/causes.ts'
import type { SqlSettings } from '../sql/fields.ts'
import type { Rows, SqlSession, Statement } from '../sql/run.ts'
import { driverError, driverFailure, errorFailure, isOfStatement } from './errors.ts'
import { readRights, RIGHTS } from './rights.ts'
import type { PostgresWire } from './wire.ts'

/** The part of pg that is used. */
export interface PostgresDriver {
  readonly Client: new (options: PostgresOptions) => PostgresClient
}

export interface PostgresClient {
  on(event: 'error', listener: (error: Error) => void): unknown
  connect(): Promise<unknown>
  query(query: string): Promise<unknown>
  query(query: OneQuery): unknown
  end(): Promise<unknown>
}

/** See the documentation of pg. */
export interface PostgresOptions {
  readonly stream: () => Duplex
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password: () => string
  readonly ssl: false
  readonly sslnegotiation: 'postgres'
}

/** The messages that pg lets a custom query send. */
export interface PostgresCommands {
  parse(statement: { readonly text: string }): void
  bind(values: object): void
  execute(portal: { readonly rows: number }): void
  sync(): void
}

/** The interface of a custom query in pg (like pg-cursor). */
export interface OneQuery {
  submit(commands: PostgresCommands): void
  handleRowDescription(): void
  handleDataRow(): void
  handlePortalSuspended(): void
  handleCommandComplete(): void
  handleEmptyQuery(): void
  handleCopyInResponse(): void
  handleCopyData(): void
  handleReadyForQuery(): void
  handleError(error: unknown): void
}

export interface PostgresStart {
  readonly driver: PostgresDriver
  readonly wire: PostgresWire
  readonly settings: SqlSettings
}

/** Logs in. */
export async function postgresSession(
  ctx: CheckContext,
  { driver, wire, settings }: PostgresStart,
): Promise<SqlSession> {
  const stream = driverStream(wire, ctx)
  const close = (): void => stream.fail(new CheckFailure('probe_stopped', 'The check is over'))
  ctx.onEnd(close)
  const client = new driver.Client(optionsOf(settings, () => stream.socket))
  client.on('error', (error) => stream.fail(error))
  let inTransaction = false

  const settle = <T>(work: Promise<T>, phase: 'auth' | 'query'): Promise<T> =>
    stream.settle(work).catch((error: unknown) => {
      throw failureOf(ctx, error, phase)
    })

  /** Whether the server supports the statement; other errors appear at the query. */
  const has = async (sql: string): Promise<boolean> => {
    try {
      await stream.settle(client.query(sql))
      return true
    } catch (error) {
      const said = driverError(error)
      if (said === undefined || !isOfStatement(said)) throw error
      await stream.settle(client.query('ROLLBACK'))
      return false
    }
  }

  async function query({ sql, rows_max, timeout_ms }: Statement): Promise<Rows> {
    const read_only = await has(`BEGIN READ ONLY; ${timeLimit(timeout_ms)}`)
    inTransaction = read_only
    const rows = await new Promise<number>((resolve, reject) => {
      client.query(oneQuery(sql, rows_max, { resolve, reject }))
    })
    return { rows, read_only }
  }

  await ctx.phase('auth', () => settle(client.connect(), 'auth'))
  return {
    ping: async () => void (await settle(client.query(''), 'query')),
    query: (statement) => settle(query(statement), 'query'),
    rights: async () => readRights(await stream.settle(client.query(RIGHTS))),
    async goodbye() {
      // Otherwise a pooler would have to discard the server connection.
      if (inTransaction) await stream.settle(client.query('ROLLBACK'))
      void client.end()
      await stream.finish()
    },
    close,
  }
}

/**
 * Makes the server itself stop in time. For this transaction only, since a pooler passes the server
 * connection on; a limit of the operator is never raised.
 */
function timeLimit(timeout_ms: number): string {
  const value = `CASE WHEN setting::int BETWEEN 1 AND ${timeout_ms} THEN setting ELSE '${timeout_ms}' END`
  return `SELECT set_config(name, ${value}, true) FROM pg_settings WHERE name = 'statement_timeout'`
}

function optionsOf(settings: SqlSettings, stream: () => Duplex): PostgresOptions {
  const { host, port, user, pass, database = user } = settings
  return {
    stream,
    host,
    port,
    user,
    database,
    // A function, since for an empty string pg reads the environment or ~/.pgpass.
    password: () => pass,
    ssl: false,
    sslnegotiation: 'postgres',
  }
}

/**
 * One statement by the extended protocol, which allows no second statement and limits the number of
 * rows.
 */
function oneQuery(
  text: string,
  rows_max: number,
  settle: { readonly resolve: (rows: number) => void; readonly reject: (error: unknown) => void },
): OneQuery {
  let rows = 0
  let ended = false
  const nothing = (): void => undefined
  const end = (): void => void (ended = true)
  return {
    submit(commands) {
      commands.parse({ text })
      commands.bind({})
      commands.execute({ rows: rows_max })
      commands.sync()
    },
    handleDataRow: () => void (rows += 1),
    handleReadyForQuery() {
      if (ended) settle.resolve(rows)
      else settle.reject(strange('PostgreSQL', 'it is ready again before the query has ended'))
    },
    handleError: settle.reject,
    handleCopyInResponse() {
      const text = 'The query waits for data to copy'
      settle.reject(new CheckFailure('db_query_failed', text, { phase: 'query' }))
    },
    handleRowDescription: nothing,
    handlePortalSuspended: end,
    handleCommandComplete: end,
    handleEmptyQuery: end,
    handleCopyData: nothing,
  }
}

function failureOf(ctx: CheckContext, error: unknown, phase: 'auth' | 'query'): unknown {
  if (ctx.signal.aborted) return error
  const said = driverError(error)
  if (said === undefined) return driverFailure(error)
  ctx.measure({ sqlstate: said.sqlstate })
  return errorFailure(said, phase)
}
