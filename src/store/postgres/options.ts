/**
 * The options of `postgresStore`, validated.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import type { PgPool, PostgresPool } from './driver.ts'
import { canParseUrl } from '../../model/url.ts'

/** Options of a `Client` of `pg`; those not listed are passed on as well. */
export interface PostgresConnection {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly user?: string | undefined
  readonly password?: string | (() => string | Promise<string>) | undefined
  readonly database?: string | undefined
  /** `true`, or the options of `tls.connect`. */
  readonly ssl?: boolean | object | undefined
  readonly [option: string]: unknown
}

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:5432/database?sslmode=…`. Without it, `connection` and `pool`, PGHOST, PGUSER and the like apply. */
  readonly url?: string | undefined
  /** The same in parts; takes precedence over `url`. */
  readonly connection?: PostgresConnection | undefined
  /**
   * A `Pool` of `pg` that the host owns: its size and timeouts are the host's, and `close` leaves it open. Every
   * statement of the store has a deadline all the same.
   */
  readonly pool?: PostgresPool | undefined
  /** The schema of the tables; created if missing. A lower-case name of at most 40 characters, default `watchpost`. */
  readonly schema?: string | undefined
  /** Maximum number of connections, default 10; one more listens for changes. */
  readonly connections?: number | undefined
  /** Limit for connecting or waiting for a free connection; default 5000 ms. */
  readonly connectTimeoutMs?: number | undefined
  /** Limit for a statement, or for an idle transaction; default 10000 ms. */
  readonly statementTimeoutMs?: number | undefined
  /**
   * How long statements that failed for lack of a connection are retried, if that is safe; default 3000 ms, 0
   * disables.
   */
  readonly retryMs?: number | undefined
  /** Dates the notifications that end when their contact is removed. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

export interface Settings {
  /** For a `Client` or a `Pool` of `pg`; `undefined` if the host passes a pool. */
  readonly config: object | undefined
  readonly pool: PgPool | undefined
  readonly schema: string
  readonly connections: number
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly retryMs: number
  /** Names the database in messages; without user and password. */
  readonly place: string
}

const LONGEST_MS = 3_600_000

const OPTIONS: OptionTable<PostgresStoreOptions> = {
  url: option.text,
  // Passed to `pg`, which has more options than are listed.
  connection: option.object,
  pool: option.having('connect', 'query'),
  schema: option.text,
  // The numbers are validated below, each with its own bounds.
  connections: option.anything,
  connectTimeoutMs: option.anything,
  statementTimeoutMs: option.anything,
  retryMs: option.anything,
  clock: option.wallClock,
}

/** @throws ConfigurationError; its message never contains a password */
export function settingsOf(options: PostgresStoreOptions): Settings {
  checkOptions('postgresStore', options, OPTIONS)
  const { schema = 'watchpost', pool } = options
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema) || schema.startsWith('pg_')) {
    throw new ConfigurationError(
      `schema: "${schema}" is no lower-case name of at most 40 letters, digits and _`,
    )
  }
  const connections = wholeNumber('connections', options.connections ?? 10, [1, 1000])
  const connectTimeoutMs = milliseconds('connectTimeoutMs', options.connectTimeoutMs ?? 5000, 1)
  const statementTimeoutMs = milliseconds(
    'statementTimeoutMs',
    options.statementTimeoutMs ?? 10_000,
    100,
  )
  const retryMs = milliseconds('retryMs', options.retryMs ?? 3000, 0)
  const limits = { connectTimeoutMs, statementTimeoutMs }
  return {
    config: pool === undefined ? configOf(options, limits) : undefined,
    pool: pool as PgPool | undefined,
    schema,
    connections,
    ...limits,
    retryMs,
    place: pool === undefined ? placeOf(options) : "the host's PostgreSQL",
  }
}

type Limits = Pick<Settings, 'connectTimeoutMs' | 'statementTimeoutMs'>

function configOf({ url, connection }: PostgresStoreOptions, limits: Limits): object {
  if (url !== undefined) readUrl(url)
  return {
    application_name: 'watchpost',
    keepAlive: true,
    ...(url === undefined ? {} : { connectionString: url }),
    connectionTimeoutMillis: limits.connectTimeoutMs,
    statement_timeout: limits.statementTimeoutMs,
    // An engine that was suspended must not keep its locks.
    idle_in_transaction_session_timeout: limits.statementTimeoutMs,
    // Compiling a claim over a backlog took four times as long as running it; no statement here is a report.
    options: '-c jit=off',
    ...connection,
  }
}

function placeOf({ url, connection }: PostgresStoreOptions): string {
  const parsed = url === undefined ? undefined : readUrl(url)
  const host = connection?.host ?? parsed?.hostname
  const database = connection?.database ?? parsed?.pathname.slice(1)
  const port = connection?.port ?? parsed?.port
  const named = [host || 'default host', port].filter(Boolean).join(':')
  return `PostgreSQL at ${named}${database ? `/${database}` : ''}`
}

/** The URL may contain a password: the parser's message repeats it and is not used. */
function readUrl(url: string): URL {
  const parsed = canParseUrl(url) ? new URL(url) : undefined
  if (parsed !== undefined && /^postgres(?:ql)?:$/.test(parsed.protocol)) return parsed
  throw new ConfigurationError(
    'url: postgres://user:password@host:5432/database is expected; special characters in it are percent-encoded',
  )
}

function milliseconds(name: string, value: number, least: number): number {
  return wholeNumber(name, value, [least, LONGEST_MS])
}

function wholeNumber(name: string, value: number, [least, most]: readonly [number, number]) {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new ConfigurationError(`${name}: a whole number from ${least} to ${most} is expected`)
}
