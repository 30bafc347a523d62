/**
 * Opening a file: ownership, the driver, its settings, the tables.
 *
 * @module
 */

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../../errors.ts'
import { connect } from './connection.ts'
import type { Connection, Handle } from './connection.ts'
import { loadDriver } from './drivers.ts'
import type { SqliteDriver, SqliteDriverName } from './drivers.ts'
import { checkMigrated, migrate, OLDER } from './migrations.ts'
import { livingOwner, realFile, takeOwnership } from './owner.ts'
import type { Owner, Ownership } from './owner.ts'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'

export interface OpenFile extends Ownership {
  readonly connection: Connection
  readonly handle: Handle
}

const NOBODYS: Ownership = {
  touch: () => undefined,
  isHeld: () => true,
  release: () => undefined,
}
export const IN_MEMORY = ':memory:'

/** How long another process that starts at the same moment may take. */
const OTHERS_START_MS = 2000
const RETRY_MS = 50

/** How long an engine waits for a guest's lock. The wait blocks the event loop; a write that fails is retried later. */
const OWNER_WAIT_MS = 250

/**
 * The size to which the log grows before it is copied into the file, in one turn. A page that was changed many times is
 * copied once, so that a long log halves the written bytes; after a kill this much is read again.
 */
const LOG_BYTES = 16 * 1024 * 1024

/** Beyond it pages are read from the file again; a thousand monitors use between two and three MiB. */
const CACHE_KIB = 16 * 1024

export async function openFile(options: SqliteStoreOptions): Promise<OpenFile> {
  const { file, guest = false } = options
  const driver = await loadDriver(options.driver)
  if (file !== IN_MEMORY) makeFile(file, !driver.shared)
  const host = guest ? hostOf(file, driver) : undefined
  // A driver with proper locks needs no ownership note for the short time of a guest.
  const owns = file !== IN_MEMORY && host === undefined && !(guest && driver.shared)
  const ownership = owns ? takeOwnership(file, driver.name) : NOBODYS
  const until = systemClock.monotonic() + OTHERS_START_MS
  for (;;) {
    let connection: Connection | undefined
    try {
      // The wasm driver would keep its log beside a link, where no other driver looks for it.
      const handle = driver.open(file === IN_MEMORY ? file : realFile(file))
      connection = connect(handle)
      for (const pragma of driver.pragmas) connection.exec(`PRAGMA ${pragma}`)
      if (owns) connection.exec(`PRAGMA busy_timeout = ${OWNER_WAIT_MS}`)
      sizeLogAndCache(connection)
      // Off by default, and set per connection.
      connection.exec('PRAGMA foreign_keys = ON')
      if (host === undefined) migrate(connection)
      else checkMigrated(connection)
      if (owns) resumeSending(connection)
      return { ...ownership, connection, handle }
    } catch (error) {
      closeQuietly(connection)
      if (driver.shared && isPassing(error) && systemClock.monotonic() < until) {
        await systemClock.sleep(RETRY_MS)
        continue
      }
      ownership.release()
      throw error
    }
  }
}

/** Another process makes the tables, or sets the mode of the file, for which SQLite does not wait. */
function isPassing(error: unknown): boolean {
  const { message } = error as Error
  return message === OLDER || message.includes('database is locked')
}

/** The log's size is set in pages, whose size depends on the file. */
function sizeLogAndCache(connection: Connection): void {
  const page_bytes = Number(connection.get('PRAGMA page_size')?.['page_size'])
  connection.exec(`PRAGMA wal_autocheckpoint = ${Math.round(LOG_BYTES / page_bytes)}`)
  connection.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  connection.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
}

/**
 * The owner is the only sender: rows with status `sending` were left by a process that ended, and can be claimed at
 * once.
 */
function resumeSending(connection: Connection): void {
  connection.run("UPDATE notifications SET lease_until = 0 WHERE status = 'sending'")
}

/** The engine that owns the file and admits guests; throws if it does not. */
function hostOf(file: string, driver: SqliteDriver): Owner | undefined {
  const owner = livingOwner(file)
  if (owner === undefined || (driver.shared && owner.driver === driver.name)) return owner
  throw new StorageError(
    `${file} is in use by process ${owner.pid} on ${owner.host}, and can be shared only where both run on ` +
      'Node >= 22.13. Stop that process first, run this command, and start it again',
  )
}

/**
 * Creates the file, and missing directories, readable by the owner alone: it contains webhook secrets. SQLite gives
 * its log the mode of the file; the wasm driver does not, and uses one that exists.
 */
function makeFile(file: string, logged: boolean): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  if (logged) closeSync(openSync(`${realFile(file)}-wal`, 'a', 0o600))
}

function closeQuietly(connection: Connection | undefined): void {
  try {
    connection?.close()
  } catch {
    // The first error is the one to report.
  }
}

export interface SqliteStoreOptions {
  /** Path of the database; created with its directory if missing. `:memory:` stores nothing on disk. */
  readonly file: string
  /** Default: `native` if Node has `node:sqlite` (22.13 and later), else `wasm`. The file format is the same. */
  readonly driver?: SqliteDriverName | undefined
  /**
   * Opens the file beside the engine that owns it, for a short command. Requires the native driver on both sides;
   * otherwise `open` rejects with a `StorageError` that says what to do.
   */
  readonly guest?: boolean | undefined
  /** Dates the notifications that end when their contact is removed. Default: the machine's clock. */
  readonly clock?: Pick<Clock, 'now'> | undefined
}
