/**
 * Reads the tables of Uptime Kuma 2 from MariaDB: within a time for each table, and a size for all of them.
 *
 * @module
 */

import { systemClock } from '../../clock.ts'
import { ConfigurationError, MissingDependencyError } from '../../errors.ts'
import { canParseUrl } from '../../model/url.ts'
import { plain, readTables } from './kuma-database.ts'
import type { Query, ReadTables } from './kuma-database.ts'

export interface MariadbLimits {
  /** For each table. */
  readonly query_ms: number
  /** Of all tables: a thousand monitors have a third of a million days in a year. */
  readonly rows: number
  /** What the server may send in all. */
  readonly bytes: number
}

const LIMITS: MariadbLimits = { query_ms: 60_000, rows: 500_000, bytes: 64 * 1024 * 1024 }
const CONNECT_MS = 10_000
/** Interval of the size check: what has arrived need not be a row. */
const POLL_MS = 20

export function isMariadbUrl(path: string): boolean {
  return /^(?:mysql|mariadb):\/\//i.test(path)
}

/** @throws ConfigurationError, which does not repeat the password */
export async function readMariadb(url: string, limits = LIMITS): Promise<ReadTables> {
  if (!canParseUrl(url))
    throw new ConfigurationError(
      'mariadb://user:password@host:3306/database is expected, special characters percent-encoded',
    )
  const { createConnection } = await loadMysql()
  const { host } = new URL(url)
  const connection = createConnection({
    uri: url.replace(/^mariadb:/i, 'mysql:'),
    connectTimeout: CONNECT_MS,
    dateStrings: true,
    // The driver must not generate code from column names of the server.
    disableEval: true,
  }) as unknown as MysqlConnection
  const reading = boundedQuery(connection, limits)
  try {
    return await readTables(host, {
      query: reading.query,
      quoted: (name) => `\`${name}\``,
      tableNames:
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
      defaults:
        'SELECT column_name AS name, column_default AS value FROM information_schema.columns ' +
        "WHERE table_schema = DATABASE() AND table_name = 'monitor'",
    })
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause
    const { code } = cause as { readonly code?: unknown }
    const what = cause instanceof TooMuch ? cause.message : code
    throw new ConfigurationError(
      `${host}: cannot be read (${typeof what === 'string' ? what : 'no answer'})`,
      { cause },
    )
  } finally {
    reading.stop()
    connection.destroy()
  }
}

/** The part of mysql2 that is used. */
interface MysqlConnection {
  readonly stream: { readonly bytesRead: number }
  on(event: 'error', then: (error: Error) => void): unknown
  query(options: { readonly sql: string; readonly timeout: number }): MysqlQuery
  destroy(): void
}

interface MysqlQuery {
  on(event: 'error', then: (error: Error) => void): MysqlQuery
  on(event: 'result', then: (row: object) => void): MysqlQuery
  on(event: 'end', then: () => void): MysqlQuery
}

class TooMuch extends Error {}

/** Queries that end the connection once the server has sent more than `limits` in all. */
function boundedQuery(
  connection: MysqlConnection,
  { query_ms, rows: rows_max, bytes }: MariadbLimits,
): { readonly query: Query; stop(): void } {
  const { stream } = connection
  let rows = 0
  let failed: (error: Error) => void = () => undefined
  let timer = systemClock.timer(POLL_MS, poll)
  // Also those of the login and of a lost connection, which the driver does not tell a query.
  connection.on('error', (error) => failed(error))

  function giveUp(bound: string): void {
    failed(new TooMuch(`the server sends more than ${bound}`))
    connection.destroy()
  }

  function poll(): void {
    if (stream.bytesRead > bytes) giveUp(`${bytes} bytes`)
    else timer = systemClock.timer(POLL_MS, poll)
  }

  return {
    query: (sql) =>
      new Promise((resolve, reject) => {
        failed = reject
        const found: ReturnType<typeof plain>[] = []
        connection
          .query({ sql, timeout: query_ms })
          .on('error', reject)
          .on('end', () => resolve(found))
          .on('result', (row) => {
            rows += 1
            if (rows <= rows_max) found.push(plain(row))
            else giveUp(`${rows_max} rows`)
          })
      }),
    stop: () => timer.cancel(),
  }
}

async function loadMysql(): Promise<typeof import('mysql2')> {
  try {
    const loaded = (await import('mysql2')) as typeof import('mysql2') & {
      default?: typeof import('mysql2')
    }
    return loaded.default ?? loaded
  } catch (cause) {
    throw new MissingDependencyError('mysql2', { cause })
  }
}
