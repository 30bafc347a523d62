/**
 * Reads the tables of Uptime Kuma 2 from a copy of `kuma.db`, so that nothing is written there; and from any database,
 * with the statements of its dialect.
 *
 * @module
 */

import { copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigurationError, MissingDependencyError } from '../../errors.ts'
import { KUMA_TABLES } from '../../importers/kuma/database.ts'
import type { KumaTables } from '../../importers/kuma/database.ts'
import type { Json, JsonObject } from '../../model.ts'
import { loadDriver } from '../../store/sqlite/drivers.ts'

export interface ReadTables {
  readonly tables: KumaTables
  readonly defaults: Readonly<Record<string, Json | undefined>>
}

/** Runs a statement with the name of a table in it; the rows. */
export type Query = (sql: string) => Promise<readonly JsonObject[]>

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
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-import-'))
  try {
    const copy = join(folder, 'kuma.db')
    copyFileSync(path, copy)
    // The write-ahead log: changes that are not in the file yet. It stands beside the file to which a link leads.
    const log = `${realpathSync(path)}-wal`
    if (existsSync(log)) copyFileSync(log, `${copy}-wal`)
    const driver = await loadDriver()
    const handle = driver.open(copy)
    try {
      handle.exec('PRAGMA locking_mode = EXCLUSIVE')
      // Opens the log as well.
      handle.exec('SELECT COUNT(*) FROM sqlite_master')
      unlinkOpen([copy, `${copy}-wal`])
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
    rmSync(folder, { recursive: true, force: true })
  }
}

/** They have passwords, and would stay where the command is killed. Windows keeps what is open until the end. */
function unlinkOpen(files: readonly string[]): void {
  try {
    for (const file of files) rmSync(file, { force: true })
  } catch {
    // Removed with the folder.
  }
}

export async function readTables(
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
export function plain(row: object): JsonObject {
  const fields = Object.entries(row as Record<string, unknown>).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? Number(value) : Buffer.isBuffer(value) ? null : value,
  ])
  return Object.fromEntries(fields) as JsonObject
}
