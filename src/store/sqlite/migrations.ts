/**
 * Creates and upgrades the tables by a list of steps that only grows, from the file's version to the latest. Released
 * steps are never edited.
 *
 * @module
 */

import { StorageError } from '../../errors.ts'
import type { Connection } from './connection.ts'
import {
  contactVersionSchema,
  firstSchema,
  hourlySchema,
  waitingOfIncidentSchema,
} from './schema.ts'

export const STEPS: readonly string[] = [
  firstSchema,
  hourlySchema,
  contactVersionSchema,
  waitingOfIncidentSchema,
]

/** The version of the file's tables; 0 for a file without any. */
function versionOf(db: Connection): number {
  return Number(db.get('PRAGMA user_version')?.['user_version'] ?? 0)
}

/** Brings the file to the last version, each step in a transaction of its own. */
export function migrate(db: Connection, steps: readonly string[] = STEPS): void {
  const version = versionOf(db)
  // Read again: another process may have run the first step.
  if (version === 0 && hasTables(db) && versionOf(db) === 0) {
    throw new StorageError('The file is the SQLite database of another program')
  }
  checkVersion(version, steps)
  steps.slice(version).forEach((step, index) => {
    const from = version + index
    db.transaction(() => {
      // Read again inside the transaction: a guest may run the step concurrently.
      if (versionOf(db) !== from) return
      db.exec(step)
      db.exec(`PRAGMA user_version = ${from + 1}`)
    })
  })
}

export const OLDER = 'The file is of an older version. Start the server once, which updates it'

/** For a guest beside an engine, which must not upgrade the tables. */
export function checkMigrated(db: Connection, steps: readonly string[] = STEPS): void {
  const version = versionOf(db)
  checkVersion(version, steps)
  if (version < steps.length) throw new StorageError(OLDER)
}

function checkVersion(version: number, steps: readonly string[]): void {
  if (version <= steps.length) return
  throw new StorageError(
    `The file was written by a newer version (tables ${version}, known up to ${steps.length}). Update this one`,
  )
}

function hasTables(db: Connection): boolean {
  return db.get("SELECT 1 AS found FROM sqlite_master WHERE type = 'table' LIMIT 1") !== undefined
}
