/**
 * Reads the tables of Uptime Kuma 2: from a copy of `kuma.db`, or over a URL from MariaDB. Nothing is written there.
 *
 * @module
 */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigurationError, MissingDependencyError } from '../../errors.ts'
import { KUMA_TABLES } from '../../importers/kuma/database.ts'
import type { KumaTables } from '../../importers/kuma/database.ts'
import type { Json, JsonObject } from '../../model.ts'
import { loadDriver } from '../../store/sqlite/drivers.ts'
import { canParseUrl } from '../../model/url.ts'

export interface ReadTables {
  readonly tables: KumaTables
  readonly defaults: Readonly<Record<string, Json | undefined>>
}

export function isMariadbUrl(path: string): boolean {
  return /^(?:mysql|mariadb):\/\//i.test(path)
}

/** Runs a statement with the name of a table in it; the rows. */
type Query = (sql: string) => Promise<readonly JsonObject[]>

interface Dialect {
  readonly query: Query
  quoted(this: void, name: string): string
  readonly tableNames: string
  /** Rows with `name` and `value`. */
  readonly defaults: string
}

/** @throws ConfigurationError for a file that is not a database of Uptime Kuma */
export async function readSqlite(path: string): Promise<ReadTables> {
  if (!existsSync(path)) throw new ConfigurationError(`${path}: cannot be read: no such file`)
  const place = mkdtempSync(join(tmpdir(), 'watchpost-import-'))
  try {
    const copy = join(place, 'kuma.db')
    copyFileSync(path, copy)
    // The write-ahead log: changes that are not in the file yet.
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`)
    const driver = await loadDriver()
    const handle = driver.open(copy)
    try {
      handle.exec('PRAGMA locking_mode = EXCLUSIVE')
      return await readTables(path, {
        query(sql: string): Promise<readonly JsonObject[]> {
          const statement = handle.prepare(sql)
          const rows = statement.all([]).map(plain)
          statement.finalize()
          return Promise.resolve(rows)
        },
        quoted: (name) => `"${name}"`,
        // No virtual tables, and none with computed columns: their values can be of any size, and Uptime Kuma has neither.
        tableNames: `SELECT name FROM sqlite_master AS made WHERE type = 'table' AND rootpage > 0
          AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(made.name) WHERE hidden > 1)`,
        defaults: `SELECT name, dflt_value AS value FROM pragma_table_info('monitor')`,
      })
    } finally {
      handle.close()
    }
  } catch (cause) {
    if (cause instanceof ConfigurationError || cause instanceof MissingDependencyError) throw cause
    throw new ConfigurationError(`${path}: is no database of Uptime Kuma`, { cause })
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** `query_ms`: for each table. @throws ConfigurationError, which does not repeat the password */
export async function readMariadb(url: string, query_ms = QUERY_MS): Promise<ReadTables> {
  if (!canParseUrl(url))
    throw new ConfigurationError(
      'mariadb://user:password@host:3306/database is expected, special characters percent-encoded',
    )
  const { createConnection } = await loadMysql()
  const place = new URL(url).host
  const connection = createConnection({
    uri: url.replace(/^mariadb:/i, 'mysql:'),
    connectTimeout: CONNECT_MS,
    dateStrings: true,
  })
  connection.on('error', () => undefined)
  const query: Query = (sql) =>
    new Promise((resolve, reject) => {
      connection.query({ sql, timeout: query_ms }, (error: Error | null, rows: unknown) => {
        if (error === null) resolve((rows as Record<string, unknown>[]).map(plain))
        else reject(error)
      })
    })
  try {
    return await readTables(place, {
      query,
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
    throw new ConfigurationError(
      `${place}: cannot be read (${typeof code === 'string' ? code : 'no answer'})`,
      { cause },
    )
  } finally {
    connection.destroy()
  }
}

const CONNECT_MS = 10_000
const QUERY_MS = 60_000

async function readTables(
  source: string,
  { query, quoted, tableNames, defaults }: Dialect,
): Promise<ReadTables> {
  const there = new Set((await query(tableNames)).map(({ name }) => name))
  if (!there.has('monitor') || !there.has('monitor_notification'))
    throw new ConfigurationError(`${source}: is no database of Uptime Kuma`)
  const tables: Record<string, readonly JsonObject[]> = {}
  for (const name of KUMA_TABLES)
    tables[name] = there.has(name) ? await query(`SELECT * FROM ${quoted(name)}`) : []
  const columns = await query(defaults)
  return {
    tables: tables as KumaTables,
    defaults: Object.fromEntries(
      columns.map(({ name, value }) => [typeof name === 'string' ? name : '', bare(value)]),
    ),
  }
}

/** `'GET'` is written with its quotes, and `NULL` as a word. */
function bare(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value
  return value.toUpperCase() === 'NULL' ? null : value.replace(/^'(.*)'$/s, '$1')
}

/** Numbers may come as big integers or texts of decimals, flags as 0 and 1. */
function plain(row: object): JsonObject {
  const fields = Object.entries(row as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : Buffer.isBuffer(value) ? null : value,
  ])
  return Object.fromEntries(fields) as JsonObject
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
