/**
 * Runs the driver mysql2 on a guarded connection: login, ping, one query, quit.
 *
 * @module
 */

import type { Duplex } from 'node:stream'
import { CheckFailure } from '../../net/failure.ts'
import type { CheckContext } from '../checker.ts'
import { driverStream } from '../sql/driver-stream.ts'
import type { DriverStream } from '../sql/driver-stream.ts'
import type { SqlSettings } from '../sql/fields.ts'
import type { Rows, SqlSession, Statement } from '../sql/run.ts'
import { driverError, driverFailure, errorFailure, isOfStatement } from './errors.ts'
import { grantReader } from './grants.ts'
import type { Greeting } from './greeting.ts'
import { isMariadb, READ_TIME_LIMIT, refuseInterrupted, setLimits } from './time-limit.ts'
import { pluginsFor } from './plugins.ts'
import type { MysqlAuthPlugins } from './plugins.ts'
import type { MysqlWire } from './wire.ts'

/** The part of mysql2 that is used. */
export interface MysqlDriver {
  createConnection(options: MysqlOptions): MysqlConnection
  readonly authPlugins: MysqlAuthPlugins
}

export interface MysqlConnection {
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'connect', listener: () => void): unknown
  query(options: { readonly sql: string }): MysqlQuery
  ping(callback: (error?: Error | null) => void): unknown
  end(): unknown
  /**
   * Internal method of the driver; called for every packet received, and without one to start a
   * command.
   */
  handlePacket?(packet?: Packet): void
}

export interface MysqlQuery {
  on(event: 'result', listener: (row: unknown) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

/** See the documentation of mysql2. */
export interface MysqlOptions {
  readonly stream: Duplex
  readonly user: string
  readonly password: string
  readonly database?: string
  /** Added to the default capabilities, or removed from them (`-`). */
  readonly flags: string[]
  readonly authPlugins: never
  readonly enableCleartextPlugin: boolean
  readonly connectTimeout: number
  readonly connectAttributes: Record<string, string>
  readonly rowsAsArray: boolean
  readonly typeCast: boolean
  readonly disableEval: boolean
}

export interface MysqlLogin {
  readonly driver: MysqlDriver
  readonly wire: MysqlWire
  readonly greeting: Greeting
  readonly settings: SqlSettings
  /** Whether the login is sent over TLS. */
  readonly secure: boolean
}

export interface MysqlClient {
  readonly connection: MysqlConnection
  readonly stream: DriverStream
  /** Resolves after the login. */
  readonly connected: Promise<void>
}

/** The driver reads the greeting and builds its login packet; `MysqlWire.logIn` sends it. */
export function mysqlClient(ctx: CheckContext, login: MysqlLogin): MysqlClient {
  const { driver, wire } = login
  const stream = driverStream(wire, ctx)
  ctx.onEnd(() => stream.fail(new CheckFailure('probe_stopped', 'The check is over')))
  const connection = driver.createConnection(optionsOf(login, stream))
  const connected = new Promise<void>((resolve) => connection.once('connect', resolve))
  refuseBadLengths(ctx, connection)
  // Also ends a query that the driver does not notify of the error.
  connection.on('error', (error) => stream.fail(error))
  return { connection, stream, connected }
}

/** The packet reader of the driver. */
interface Packet {
  readLengthCodedNumberExt(tag: number, ...how: unknown[]): unknown
}

/** Bytes that mark a longer length (MySQL protocol, "length-encoded integer"). */
const [FIRST_MARK, LAST_MARK] = [0xfb, 0xfe]

/**
 * At any other byte, and behind the end of a packet, the driver prints a stack to the console before
 * it throws, so this throws first. Patched on this connection only, since others share the driver.
 */
function refuseBadLengths(ctx: CheckContext, connection: MysqlConnection): void {
  const handlePacket = connection.handlePacket?.bind(connection)
  if (handlePacket === undefined) return
  connection.handlePacket = (packet) => {
    if (packet !== undefined && !Object.hasOwn(packet, 'readLengthCodedNumberExt')) {
      const read = packet.readLengthCodedNumberExt.bind(packet)
      packet.readLengthCodedNumberExt = (tag, ...how) => {
        if (tag >= FIRST_MARK && tag <= LAST_MARK) return read(tag, ...how)
        ctx.log.debug({}, 'a MySQL server sent a length that is none')
        throw new Error('A length that is none')
      }
    }
    handlePacket(packet)
  }
}

function optionsOf({ driver, settings, secure }: MysqlLogin, stream: DriverStream): MysqlOptions {
  const { user, pass, database } = settings
  return {
    stream: stream.socket,
    user,
    password: pass,
    ...(database === undefined ? {} : { database }),
    // The server may not request local files; the SSL flag reports the TLS upgrade that is already
    // done.
    flags: secure ? ['-LOCAL_FILES', 'SSL'] : ['-LOCAL_FILES'],
    authPlugins: pluginsFor(driver.authPlugins, settings, secure) as never,
    enableCleartextPlugin: secure,
    connectTimeout: 0,
    connectAttributes: { program_name: 'watchpost' },
    rowsAsArray: true,
    typeCast: false,
    // The driver must not generate code from column names of the server.
    disableEval: true,
  }
}

interface Reading {
  readonly sql: string
  /** Stop reading after this many rows. Default: all. */
  readonly rows_max?: number
  readonly onRow?: (row: readonly unknown[]) => void
}

export function mysqlSession(
  ctx: CheckContext,
  { connection, stream }: MysqlClient,
  { wire, greeting }: MysqlLogin,
): SqlSession {
  /** Settles with the end of the current statement, whatever its result. */
  let ended: Promise<void> = Promise.resolve()
  let inTransaction = false

  const settle = <T>(work: Promise<T>): Promise<T> =>
    stream.settle(work).catch((error: unknown) => {
      throw failureOf(ctx, error, { wire, phase: 'query' })
    })

  function rowsOf({ sql, rows_max = Infinity, onRow }: Reading): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      let rows = 0
      const query = connection.query({ sql })
      ended = new Promise((end) => void query.on('end', end))
      query.on('error', reject)
      query.on('end', () => resolve(rows))
      query.on('result', (row) => {
        // Anything but a row ends a statement without rows.
        if (!Array.isArray(row)) return
        onRow?.(row)
        if (++rows >= rows_max) resolve(rows)
      })
    })
  }

  /** Whether the server supports the statement; other errors appear at the query. */
  const has = async (sql: string, onRow?: Reading['onRow']): Promise<boolean> => {
    try {
      await stream.settle(rowsOf({ sql, ...(onRow && { onRow }) }))
      return true
    } catch (error) {
      const said = driverError(error)
      if (said === undefined || !isOfStatement(said)) throw error
      return false
    }
  }

  async function query({ sql, rows_max, timeout_ms }: Statement): Promise<Rows> {
    await has(setLimits(greeting.server_version, rows_max, timeout_ms))
    // For the session too: a DROP ends the transaction, and MariaDB would then execute it.
    const read_only = await has('SET SESSION TRANSACTION READ ONLY')
    if (read_only) inTransaction = await has('START TRANSACTION READ ONLY')
    const from = ctx.clock.monotonic()
    const rows = await rowsOf({ sql, rows_max })
    if (rows < rows_max) {
      const took_ms = ctx.clock.monotonic() - from
      refuseInterrupted(took_ms, await timeLimit())
    }
    return { rows, read_only: inTransaction }
  }

  /** The server's time limit of a statement, in ms; 0 if unknown. */
  async function timeLimit(): Promise<number> {
    let limit_ms = 0
    if (isMariadb(greeting.server_version)) return limit_ms
    const onRow = ([value]: readonly unknown[]): void => void (limit_ms = Number(value))
    await has(READ_TIME_LIMIT, onRow)
    return limit_ms
  }

  async function rights(): Promise<readonly string[] | undefined> {
    const grants = grantReader()
    const onRow = ([grant]: readonly unknown[]): void => grants.add(String(grant))
    await stream.settle(rowsOf({ sql: 'SHOW GRANTS', onRow }))
    return grants.rights()
  }

  return {
    ping: () =>
      settle(
        new Promise<void>((resolve, reject) => {
          connection.ping((error) =>
            error === null || error === undefined ? resolve() : reject(error),
          )
        }),
      ),
    query: (statement) => settle(query(statement)),
    rights,
    async goodbye() {
      await stream.settle(ended)
      if (inTransaction) await has('ROLLBACK')
      connection.end()
      await stream.finish()
    },
    close: () => stream.fail(new CheckFailure('probe_stopped', 'The check is over')),
  }
}

export function failureOf(
  ctx: CheckContext,
  error: unknown,
  { wire, phase }: { readonly wire: MysqlWire; readonly phase: 'auth' | 'query' },
): unknown {
  if (ctx.signal.aborted) return error
  const said = driverError(error)
  if (said === undefined) return driverFailure(error, wire.plugin())
  ctx.measure({ errno: said.errno, sqlstate: said.sqlstate })
  return errorFailure(said, phase)
}
