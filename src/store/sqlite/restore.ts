/**
 * Examines a backup, and puts it in the place of a data file.
 *
 * @module
 */

import { mkdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConfigurationError, StorageError } from '../../errors.ts'
import type { BackupSize } from '../store.ts'
import { exists, publish } from './backup.ts'
import { connect } from './connection.ts'
import type { Connection } from './connection.ts'
import { copyBytes } from './copy.ts'
import { loadDriver } from './drivers.ts'
import type { SqliteDriver, SqliteDriverName } from './drivers.ts'
import { checkMigrated, migrate } from './migrations.ts'
import { IN_MEMORY } from './open.ts'
import { livingOwner, realFile } from './owner.ts'
import { outOfBounds } from './value-bounds.ts'

export interface Examined {
  /** Monitors in it. */
  readonly monitors: number
  /** When the engine that wrote it was last alive; `null` if it never ran. */
  readonly alive_at: number | null
  /** Whether secrets are sealed: they open with the key of the engine that wrote them. */
  readonly sealed: boolean
}

/**
 * Reads all of it: takes about a second per 100 MB, in which the event loop waits.
 *
 * @throws StorageError if it is damaged, no data of watchpost, or of a newer version
 */
export function examineBackup(file: string, name?: SqliteDriverName): Promise<Examined> {
  return examine(file, name, requireWhole)
}

async function examine(
  file: string,
  name: SqliteDriverName | undefined,
  requireGood: (db: Connection, file: string) => void,
): Promise<Examined> {
  const driver = await loadDriver(name)
  const handle = driver.open(file)
  const db = connect(handle)
  try {
    // One reader: no shared memory beside the file.
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    requireOurs(db, file, driver)
    requireGood(db, file)
    const alive = db.get("SELECT value FROM meta WHERE name = 'alive_at'")?.['value']
    return {
      monitors: Number(db.get('SELECT COUNT(*) AS found FROM monitors')?.['found']),
      alive_at: alive === undefined ? null : Number(alive),
      sealed: db.get("SELECT 1 AS found FROM meta WHERE name = 'secret_key_check'") !== undefined,
    }
  } catch (error) {
    if (error instanceof StorageError) throw error
    throw new StorageError(`${file}: is damaged, or no backup`, { cause: error })
  } finally {
    db.close()
  }
}

/** @throws StorageError also for what would run with every later write, or change it: a trigger, a rule of a table */
function requireOurs(db: Connection, file: string, driver: SqliteDriver): void {
  checkMigrated(db)
  const own = connect(driver.open(IN_MEMORY))
  try {
    migrate(own)
    const [ours, theirs] = [own, db].map(schemaOf)
    const foreign = theirs?.find((each) => ours?.includes(each) !== true)
    if (foreign !== undefined)
      throw new StorageError(`${file}: has ${cut(foreign)}, which watchpost never makes`)
    const lost = ours?.find((each) => theirs?.includes(each) !== true)
    if (lost !== undefined) throw new StorageError(`${file}: is damaged: it lacks ${cut(lost)}`)
  } finally {
    own.close()
  }
}

/** Tables that SQLite adds for ANALYZE. A file can also hold a trigger of such a name, so that the text counts. */
const STATISTICS = [
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
]

/** `trigger x: CREATE TRIGGER x …`; an index without a text belongs to its table. */
function schemaOf(db: Connection): string[] {
  const rows = db.all(
    `SELECT type || ' ' || name || ': ' || sql AS made FROM sqlite_master
     WHERE sql IS NOT NULL AND sql NOT IN (?, ?)`,
    STATISTICS,
  )
  return rows.map((row) => String(row['made']))
}

const MADE_CHARS = 60

/** Of the file: not for a terminal as it is. */
function cut(made: string): string {
  const [line = ''] = made.split(':', 1)
  return JSON.stringify(line.slice(0, MADE_CHARS))
}

function requireWhole(db: Connection, file: string): void {
  const [found] = db.all('PRAGMA integrity_check(1)')
  const problem = found?.['integrity_check']
  if (problem !== 'ok') throw new StorageError(`${file}: is damaged: ${String(problem)}`)
  const lost = db.all('PRAGMA foreign_key_check').length
  if (lost > 0) throw new StorageError(`${file}: is damaged: ${lost} rows are of no account`)
}

/** For backups that are restored. The own file is backed up as it is: an unexpected value must not prevent a backup. */
function requireBounded(db: Connection, file: string): void {
  requireWhole(db, file)
  const problem = outOfBounds(db)
  if (problem !== undefined)
    throw new StorageError(`${file}: ${problem}, which watchpost never writes`)
}

/**
 * Copies a backup to the place of a data file, where nothing may be. The backup is examined first.
 *
 * @throws ConfigurationError if there is a file already, StorageError as {@link examineBackup} and for a value that
 * watchpost never writes
 */
export async function restoreBackup(
  from: string,
  to: string,
  name?: SqliteDriverName,
): Promise<Examined & BackupSize> {
  await requirePlain(from)
  await requireFree(to)
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  let examined: Examined | undefined
  const { bytes } = await publish(to, async (partial) => {
    const { signal } = new AbortController()
    await copyBytes({ from, to: partial, signal }, (await stat(from)).size)
    examined = await examine(partial, name, requireBounded).catch((error: unknown) => {
      throw aboutSource(error, partial, from)
    })
  })
  return { ...(examined as Examined), bytes }
}

/** A copy of a running engine's file without its log is not what was stored. */
async function requirePlain(from: string): Promise<void> {
  const found = await stat(from).catch(() => undefined)
  if (found?.isFile() !== true) throw new ConfigurationError(`${from}: there is no such file`)
  const log = await stat(`${realFile(from)}-wal`).catch(() => undefined)
  if (log === undefined || log.size === 0) return
  throw new ConfigurationError(
    `${from}: is no backup but a data file with a log beside it (-wal): an engine uses it, or was killed`,
  )
}

/** The log of an earlier file would be replayed into the restored one. */
async function requireFree(to: string): Promise<void> {
  const owner = livingOwner(to)
  if (owner !== undefined)
    throw new ConfigurationError(`${to} is in use by process ${owner.pid}. Stop that one first`)
  const there: string[] = []
  for (const end of ['', '-wal', '-shm']) if (await exists(to + end)) there.push(to + end)
  if (there.length === 0) return
  throw new ConfigurationError(
    `${there.join(', ')}: exists, and is not replaced; move it away first`,
  )
}

/** Errors name the source, since the user does not know the name of the partial copy. */
function aboutSource(error: unknown, partial: string, from: string): unknown {
  if (!(error instanceof StorageError)) return error
  return new StorageError(error.message.replaceAll(partial, from), { cause: error.cause })
}
