/**
 * One interface for the SQLite drivers: cached prepared statements, parameter conversion in one place, transactions
 * that are rolled back when anything throws.
 *
 * @module
 */

import { StorageError } from '../../errors.ts'
import type { Row } from '../rows.ts'
import type { Param } from '../sql.ts'

export type SqlValue = string | number | null
export type { Param }
export type { Row }

export interface Connection {
  /** Several statements without parameters. */
  exec(sql: string): void
  /** Returns how many rows were changed. */
  run(sql: string, params?: readonly Param[]): number
  /** Inserts one row; returns its id. */
  insert(sql: string, params: readonly Param[]): number
  get(sql: string, params?: readonly Param[]): Row | undefined
  all(sql: string, params?: readonly Param[]): readonly Row[]
  /** Everything that `work` writes, or nothing if it throws. Cannot be nested. */
  transaction<T>(work: () => T): T
  close(): void
}

/** What a driver provides; `connect` builds the rest. */
export interface Handle {
  exec(sql: string): void
  prepare(sql: string): PreparedStatement
  /** Writes all that is committed by now to an empty file, in steps, while this connection goes on. */
  copy(to: string, copying: Copying): Promise<void>
  close(): void
}

/** What the copying of a database hears and tells. */
export interface Copying {
  readonly signal: AbortSignal
  readonly onProgress?: ((done: number, all: number) => void) | undefined
}

export interface PreparedStatement {
  run(params: SqlValue[]): StatementResult
  all(params: SqlValue[]): readonly Row[]
  finalize(): void
}

/** The effect of a statement; bigints with `node:sqlite`. */
export interface StatementResult {
  readonly changes: number | bigint
  /** The id of the last row that an `INSERT` created on this connection. */
  readonly lastInsertRowid: number | bigint
}

/** Maximum number of cached statements; the one prepared first is evicted first. */
const STATEMENTS = 256

export function connect(handle: Handle): Connection {
  const statements = createStatements(handle)
  let unfinished = false
  const connection: Connection = {
    exec: (sql) => handle.exec(sql),
    run: (sql, params = []) =>
      Number(statements.use(sql, (statement) => statement.run(bind(params))).changes),
    insert: (sql, params) =>
      Number(statements.use(sql, (statement) => statement.run(bind(params))).lastInsertRowid),
    get: (sql, params) => connection.all(sql, params)[0],
    all: (sql, params = []) => statements.use(sql, (statement) => statement.all(bind(params))),
    transaction(work) {
      if (unfinished) rollback()
      handle.exec('BEGIN IMMEDIATE')
      unfinished = true
      try {
        const result = work()
        handle.exec('COMMIT')
        unfinished = false
        return result
      } catch (error) {
        rollback()
        throw error
      }
    },
    close() {
      statements.clear()
      handle.close()
    },
  }

  function rollback(): void {
    try {
      handle.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back already (disk full, I/O error).
    }
    unfinished = false
  }
  return connection
}

function createStatements(handle: Handle) {
  const kept = new Map<string, PreparedStatement>()
  const prepare = (sql: string): PreparedStatement => {
    const known = kept.get(sql)
    if (known !== undefined) return known
    const [oldest] = kept
    if (kept.size >= STATEMENTS && oldest !== undefined) drop(oldest[0])
    const made = handle.prepare(sql)
    kept.set(sql, made)
    return made
  }
  const drop = (sql: string): void => {
    const statement = kept.get(sql)
    kept.delete(sql)
    try {
      statement?.finalize()
    } catch {
      // Finalizing repeats the error of the last step, which has been thrown.
    }
  }
  return {
    use<T>(sql: string, work: (statement: PreparedStatement) => T): T {
      const statement = prepare(sql)
      try {
        return work(statement)
      } catch (error) {
        // After an error in mid-execution the statement keeps locks and cannot be reused in the wasm driver.
        drop(sql)
        throw error
      }
    },
    clear(): void {
      for (const sql of [...kept.keys()]) drop(sql)
    },
  }
}

function bind(params: readonly Param[]): SqlValue[] {
  return params.map((value) => {
    if (typeof value === 'boolean') return value ? 1 : 0
    return value ?? null
  })
}

/** A connection that is set later, so that the groups can be created before the store is opened. */
export function createSocket(): Connection & { plug(connection?: Connection): void } {
  let plugged: Connection | undefined
  const current = (): Connection => {
    if (plugged === undefined) throw new StorageError('The store is not open')
    return plugged
  }
  return {
    plug: (connection) => void (plugged = connection),
    exec: (sql) => current().exec(sql),
    run: (sql, params) => current().run(sql, params),
    insert: (sql, params) => current().insert(sql, params),
    get: (sql, params) => current().get(sql, params),
    all: (sql, params) => current().all(sql, params),
    transaction: (work) => current().transaction(work),
    close() {
      const connection = plugged
      plugged = undefined
      connection?.close()
    },
  }
}
