/**
 * What `postgresStore` takes, checked.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import type { PgPool, PostgresPool } from './driver.ts'

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
  /** The same in parts; wins over `url` where both name something. */
  readonly connection?: PostgresConnection | undefined
  /**
   * A `Pool` of `pg` that the host keeps: its size and its timeouts are the host's, and `close` leaves it open.
   * Every statement of ours has a deadline all the same.
   */
  readonly pool?: PostgresPool | undefined
  /** Where the tables are; made where it is new. A lower-case name of at most 40 characters, default `watchpost`. */
  readonly schema?: string | undefined
  /** Most connections at the same time, default 10; one more listens for news. */
  readonly connections?: number | undefined
  /** How long connecting, or waiting for a free connection, may take; default 5000 ms. */
  readonly connectTimeoutMs?: number | undefined
  /** How long a statement, or a transaction without a word of ours, may take; default 10000 ms. */
  readonly statementTimeoutMs?: number | undefined
  /** How long what failed for want of a connection is tried again, where that is safe; default 3000 ms, 0 never. */
  readonly retryMs?: number | undefined
  /** Dates what the store ends by itself (the notifications of a removed contact). Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}

export interface Settings {
  /** For a `Client` or a `Pool` of `pg`; `undefined` where the host brings a pool. */
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
  // Passed on to `pg`, which has more options than are listed.
  connection: option.object,
  pool: option.having('connect', 'query'),
  schema: option.text,
  // The numbers are judged below, each with its own bounds.
  connections: option.anything,
  connectTimeoutMs: option.anything,
  statementTimeoutMs: option.anything,
  retryMs: option.anything,
  clock: option.wallClock,
}

/** @throws ConfigurationError; a password is never repeated */
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
    // An engine that was stopped half-way must not hold its locks.
    idle_in_transaction_session_timeout: limits.statementTimeoutMs,
    // Compiling a claim over a backlog took four times as long as carrying it out; no statement here is a report.
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

/** The URL may hold a password: what is wrong with it is not said in the words of the parser, which repeats it. */
function readUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
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
