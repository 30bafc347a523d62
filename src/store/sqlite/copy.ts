/**
 * Copies a database while it is written, in steps, each driver in its own way.
 *
 * @module
 */

import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { StorageError } from '../../errors.ts'
import type { Copying, StatementResult, Row, SqlValue } from './connection.ts'

/**
 * The parts of `node:sqlite` that are used (https://nodejs.org/api/sqlite.html); declared here because the type
 * definitions of the oldest supported Node lack it.
 */
export interface NativeModule {
  readonly DatabaseSync: new (file: string) => NativeDatabase
  /** Since Node 22.16 and 23.8: in a thread, `rate` pages at a time. */
  readonly backup?: (
    source: NativeDatabase,
    to: string,
    options: {
      readonly rate: number
      readonly progress: (pages: {
        readonly totalPages: number
        readonly remainingPages: number
      }) => void
    },
  ) => Promise<number>
}

export interface NativeDatabase {
  exec(sql: string): void
  prepare(sql: string): {
    run(...params: SqlValue[]): StatementResult
    all(...params: SqlValue[]): Row[]
    setReadBigInts(enabled: boolean): void
  }
  close(): void
}

interface Copy extends Copying {
  readonly from: string
  readonly to: string
}

/** Pages of a step: about a MiB. */
const PAGES = 1000

/**
 * Through a connection of its own, whose open transaction keeps the state of the first moment: without it every write
 * of the engine would start the copy again (https://sqlite.org/c3ref/backup_finish.html).
 */
export async function copySnapshot(
  { DatabaseSync, backup }: NativeModule,
  { from, to, signal, onProgress }: Copy,
): Promise<void> {
  const source = new DatabaseSync(from)
  try {
    source.exec('PRAGMA busy_timeout = 5000')
    if (backup === undefined) {
      // Node 22.13 to 22.15: in one step.
      source.prepare('VACUUM INTO ?').run(to)
      return
    }
    source.exec('BEGIN')
    source.prepare('SELECT 1 FROM meta LIMIT 1').all()
    const pages = await backup(source, to, {
      rate: PAGES,
      progress({ totalPages, remainingPages }) {
        // What is thrown here ends the backup.
        signal.throwIfAborted()
        onProgress?.(totalPages - remainingPages, totalPages)
      },
    })
    onProgress?.(pages, pages)
    signal.throwIfAborted()
  } finally {
    source.close()
  }
}

const CHUNK_BYTES = 1024 * 1024

/**
 * In the driver of WebAssembly the connection has the file for itself, and until the next checkpoint it writes to the
 * log alone: after one checkpoint the file stays as it is while it is copied. Reading it beside the driver is harmless
 * there, since its lock is a folder; a lock of POSIX would end with the first handle that is closed.
 */
export async function copyFileBeside(
  database: { exec(sql: string): unknown; all(sql: string): readonly unknown[] },
  { from, to, signal, onProgress }: Copy,
): Promise<void> {
  const [{ wal_autocheckpoint }] = database.all('PRAGMA wal_autocheckpoint') as [
    { wal_autocheckpoint: number },
  ]
  database.exec('PRAGMA wal_autocheckpoint = 0')
  try {
    const [checkpoint] = database.all('PRAGMA wal_checkpoint(TRUNCATE)') as [{ busy: number }]
    if (checkpoint.busy !== 0) throw new StorageError(`${from}: its log cannot be written back`)
    await copyBytes({ from, to, signal, onProgress }, statSync(from).size)
  } finally {
    restore(database, wal_autocheckpoint)
  }
}

function restore(database: { exec(sql: string): unknown }, pages: number): void {
  try {
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
  } catch {
    // Closed meanwhile.
  }
}

export async function copyBytes(
  { from, to, signal, onProgress }: Copy,
  size: number,
): Promise<void> {
  const [source, target] = [await open(from, 'r'), await open(to, 'r+')]
  try {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, size)))
    for (let at = 0; at < size;) {
      signal.throwIfAborted()
      const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, size - at), at)
      if (bytesRead === 0) throw new StorageError(`${from}: ends before it should`)
      await target.write(chunk, 0, bytesRead, at)
      at += bytesRead
      onProgress?.(at, size)
    }
    signal.throwIfAborted()
  } finally {
    await source.close()
    await target.close()
  }
}
