/**
 * Creates and upgrades the tables by a list of steps that only grows, from the file's version to the latest. Released
 * steps are never edited.
 *
 * @module
 */

import { StorageError } from '../../errors.ts'
import type { Connection } from './connection.ts'
import { first } from './schema/0001-first.ts'
import { revisions } from './schema/0002-revisions.ts'
import { today } from './schema/0003-today.ts'
import { standings } from './schema/0004-standings.ts'
import { owners } from './schema/0005-owners.ts'
import { quotas } from './schema/0006-quotas.ts'
import { removals } from './schema/0007-removals.ts'
import { lastTold } from './schema/0008-last-told.ts'
import { lanes } from './schema/0009-lanes.ts'
import { replySizes } from './schema/0010-reply-sizes.ts'
import { latest } from './schema/0011-latest.ts'
import { machineTerms } from './schema/0012-machine-terms.ts'

const STEPS: readonly string[] = [
  first,
  revisions,
  today,
  standings,
  owners,
  quotas,
  removals,
  lastTold,
  lanes,
  replySizes,
  latest,
  machineTerms,
]

/** The version of the file's tables; 0 for a file without any. */
function versionOf(db: Connection): number {
  return Number(db.get('PRAGMA user_version')?.['user_version'] ?? 0)
}

/** Brings the file to the last version, each step in a transaction of its own. */
export function migrate(db: Connection): void {
  const version = versionOf(db)
  if (version === 0 && hasTables(db)) {
    throw new StorageError('The file is the SQLite database of another program')
  }
  checkVersion(version)
  STEPS.slice(version).forEach((step, index) => {
    const from = version + index
    db.transaction(() => {
      // Read again inside the transaction: a guest may run the step concurrently.
      if (versionOf(db) !== from) return
      db.exec(step)
      db.exec(`PRAGMA user_version = ${from + 1}`)
    })
  })
}

/** For a guest beside an engine, which must not upgrade the tables. */
export function checkMigrated(db: Connection): void {
  const version = versionOf(db)
  checkVersion(version)
  if (version < STEPS.length) {
    throw new StorageError(
      'The file is of an older version. Start the server once, which updates it',
    )
  }
}

function checkVersion(version: number): void {
  if (version <= STEPS.length) return
  throw new StorageError(
    `The file was written by a newer version (tables ${version}, known up to ${STEPS.length}). Update this one`,
  )
}

function hasTables(db: Connection): boolean {
  return db.get("SELECT 1 AS found FROM sqlite_master WHERE type = 'table' LIMIT 1") !== undefined
}
