/**
 * The two drivers: `node:sqlite` if Node has it, else SQLite compiled to WebAssembly.
 *
 * @module
 */

import { MissingDependencyError, StorageError } from '../../errors.ts'
import type { Handle, Row, SqlValue, StatementResult } from './connection.ts'
import { copyFileBeside, copySnapshot } from './copy.ts'
import type { NativeDatabase, NativeModule } from './copy.ts'

export interface SqliteDriver {
  readonly name: string
  /** Several processes may have the file open at the same time. */
  readonly shared: boolean
  /** Executed after the file is opened, before the first read. */
  readonly pragmas: readonly string[]
  open(file: string): Handle
}

/**
 * - `native`: `node:sqlite`, built into Node >= 22.13.
 * - `wasm`: the package `node-sqlite3-wasm`.
 */
export type SqliteDriverName = 'native' | 'wasm'

/** FULL: an acknowledged commit survives a power failure, not only the end of the process. */
const DURABLE = ['synchronous = FULL', 'temp_store = MEMORY']

/**
 * Applies to new files; an existing file keeps its page size. A round changes a few hundred bytes on each of five
 * pages, and whole pages are written: with SQLite's default of 4 KiB that is 2.6 times as many bytes.
 */
const PAGE_SIZE = 'page_size = 1024'

/** Loads the named driver, or the best one that this Node offers. */
export async function loadDriver(name?: SqliteDriverName): Promise<SqliteDriver> {
  const native = name === 'wasm' ? undefined : loadNative()
  if (native !== undefined) return nativeDriver(native)
  if (name === 'native') throw new StorageError('This Node has no node:sqlite; it needs >= 22.13')
  return wasmDriver(await loadWasm())
}

/** Node 22 warns once, on the first load, that the module is experimental; only that warning is suppressed. */
function loadNative(): NativeModule | undefined {
  const warn = process.emitWarning
  process.emitWarning = (warning: string | Error, ...rest: never[]): void => {
    if (!/SQLite is an experimental feature/i.test(String(warning))) warn(warning, ...rest)
  }
  try {
    const builtin = process.getBuiltinModule as ((id: string) => unknown) | undefined
    return builtin?.('node:sqlite') as NativeModule | undefined
  } finally {
    process.emitWarning = warn
  }
}

function nativeDriver(native: NativeModule): SqliteDriver {
  const { DatabaseSync } = native
  return {
    name: 'native',
    shared: true,
    pragmas: ['busy_timeout = 5000', PAGE_SIZE, 'journal_mode = WAL', ...DURABLE],
    open(file) {
      const database = new DatabaseSync(file)
      return {
        exec: (sql) => database.exec(sql),
        prepare(sql) {
          const statement = database.prepare(sql)
          return {
            run: (params) => resultOf(statement, params),
            all: (params) => allRows(statement, sql, params),
            // Released by the garbage collector.
            finalize: () => undefined,
          }
        },
        copy: (to, copying) => copySnapshot(native, { from: file, to, ...copying }),
        close: () => database.close(),
      }
    },
  }
}

/** Node 26 throws for the id of a row that it has written, where the id is beyond the safe integers. */
function resultOf(
  statement: ReturnType<NativeDatabase['prepare']>,
  params: SqlValue[],
): StatementResult {
  statement.setReadBigInts(true)
  try {
    return statement.run(...params)
  } finally {
    statement.setReadBigInts(false)
  }
}

type BigRow = Readonly<Record<string, unknown>>

/**
 * Integers beyond the safe ones as the nearest number, so that only the row that has one is unreadable: `node:sqlite`
 * refuses all rows of the answer, and reads large integers only on request and then all of them.
 */
function allRows(
  statement: ReturnType<NativeDatabase['prepare']>,
  sql: string,
  params: SqlValue[],
): readonly Row[] {
  try {
    return statement.all(...params)
  } catch (error) {
    const isTooLarge = (error as { readonly code?: unknown }).code === 'ERR_OUT_OF_RANGE'
    // What it writes is written: it must not run twice.
    if (!isTooLarge || !/^\s*(?:SELECT|WITH)\b/i.test(sql) || /\bRETURNING\b/i.test(sql))
      throw error
    statement.setReadBigInts(true)
    try {
      return statement.all(...params).map(withNumbers)
    } finally {
      statement.setReadBigInts(false)
    }
  }
}

function withNumbers(row: BigRow): Row {
  for (const column in row) {
    if (typeof row[column] !== 'bigint') continue
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'bigint' ? Number(value) : value,
      ]),
    ) as Row
  }
  return row as Row
}

type WasmModule = typeof import('node-sqlite3-wasm')

async function loadWasm(): Promise<WasmModule> {
  try {
    const loaded = (await import('node-sqlite3-wasm')) as WasmModule & { default?: WasmModule }
    return loaded.default ?? loaded
  } catch (error) {
    throw new MissingDependencyError('node-sqlite3-wasm', { cause: error })
  }
}

/**
 * The file system layer of `node-sqlite3-wasm` has no shared memory and takes its own lock for another process's, so
 * that in the rollback journal modes it does not roll back what a killed process left half written (observed with
 * 0.8.60: part of a transaction stays). A write-ahead log under an exclusive lock needs neither and recovers. The
 * lock must be set to exclusive before the first access.
 */
function wasmDriver({ Database }: WasmModule): SqliteDriver {
  return {
    name: 'wasm',
    shared: false,
    pragmas: ['locking_mode = EXCLUSIVE', PAGE_SIZE, 'journal_mode = WAL', ...DURABLE],
    open(file) {
      const database = new Database(file)
      return {
        exec: (sql) => database.exec(sql),
        copy: (to, copying) => copyFileBeside(database, { from: file, to, ...copying }),
        prepare(sql) {
          const statement = database.prepare(sql)
          return {
            run: (params) => statement.run(params),
            // `get` would leave the statement running, and a running RETURNING blocks the commit.
            all: (params) => statement.all(params).map(withNumbers),
            finalize: () => statement.finalize(),
          }
        },
        close: () => database.close(),
      }
    },
  }
}
