/**
 * Opening a file: ownership, the driver, its settings, the tables.
 *
 * @module
 */

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../../errors.ts'
import { connect } from './connection.ts'
import type { Connection } from './connection.ts'
import { loadDriver } from './drivers.ts'
import type { SqliteDriver } from './drivers.ts'
import type { SqliteStoreOptions } from './options.ts'
import { checkMigrated, migrate } from './migrations.ts'
import { livingOwner, takeOwnership } from './owner.ts'
import type { Owner, Ownership } from './owner.ts'

export interface OpenFile extends Ownership {
  readonly connection: Connection
}

const NOBODYS: Ownership = { touch: () => undefined, release: () => undefined }
const IN_MEMORY = ':memory:'

/**
 * How long an engine waits for a guest at the file. Everything else in its process waits with it; what could
 * not be written is written a little later.
 */
const OWNER_WAIT_MS = 250

/**
 * The log grows to this before it is carried over into the file. A page that was changed many times in between
 * is written there once, so that a long log halves what is written; a kill leaves this much to read again.
 */
const LOG_BYTES = 64 * 1024 * 1024

/** Beyond it pages are read from the file again; a thousand monitors use between two and three MiB. */
const CACHE_KIB = 16 * 1024

export async function openFile(options: SqliteStoreOptions): Promise<OpenFile> {
  const { file, guest = false } = options
  const driver = await loadDriver(options.driver)
  if (file !== IN_MEMORY) makeFile(file, !driver.shared)
  const host = guest ? hostOf(file, driver) : undefined
  // A driver that locks properly needs no note for the moment that a guest stays.
  const owns = file !== IN_MEMORY && host === undefined && !(guest && driver.shared)
  const ownership = owns ? takeOwnership(file, driver.name) : NOBODYS
  let connection: Connection | undefined
  try {
    connection = connect(driver.open(file))
    for (const pragma of driver.pragmas) connection.exec(`PRAGMA ${pragma}`)
    if (owns) connection.exec(`PRAGMA busy_timeout = ${OWNER_WAIT_MS}`)
    sizeLogAndCache(connection)
    // Off by default, and on for as long as the connection lasts.
    connection.exec('PRAGMA foreign_keys = ON')
    if (host === undefined) migrate(connection)
    else checkMigrated(connection)
    if (owns) resumeSending(connection)
    return { ...ownership, connection }
  } catch (error) {
    closeQuietly(connection)
    ownership.release()
    throw error
  }
}

/** The log is counted in pages, whose size is the file's. */
function sizeLogAndCache(connection: Connection): void {
  const page_bytes = Number(connection.get('PRAGMA page_size')?.['page_size'])
  connection.exec(`PRAGMA wal_autocheckpoint = ${Math.round(LOG_BYTES / page_bytes)}`)
  connection.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
  connection.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
}

/** The owner was the only sender: what is under way was left by a dead one, and can be taken over at once. */
function resumeSending(connection: Connection): void {
  connection.run("UPDATE notifications SET lease_until = 0 WHERE status = 'sending'")
}

/** The engine that has the file open and lets guests in; throws where it does not. */
function hostOf(file: string, driver: SqliteDriver): Owner | undefined {
  const owner = livingOwner(file)
  if (owner === undefined || (driver.shared && owner.driver === driver.name)) return owner
  throw new StorageError(
    `${file} is in use by process ${owner.pid} on ${owner.host}, and can be shared only where both run on ` +
      'Node >= 22.13. Stop that process first, run this command, and start it again',
  )
}

/**
 * Readable by its owner alone, and so are the folders that are made for it: there are webhook secrets in
 * it. SQLite gives its log the mode of the file; the wasm driver does not, and finds one that is there.
 */
function makeFile(file: string, logged: boolean): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  if (logged) closeSync(openSync(`${file}-wal`, 'a', 0o600))
}

function closeQuietly(connection: Connection | undefined): void {
  try {
    connection?.close()
  } catch {
    // The error that led here is the one to tell.
  }
}
