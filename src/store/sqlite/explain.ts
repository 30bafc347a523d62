/**
 * Translates errors of SQLite and the file system into one sentence that says how to resolve them.
 *
 * @module
 */

import { isWatchpostError, NotFoundError, UnreadableError } from '../../errors.ts'
import { storageError } from '../promised.ts'

/** The wasm driver reports a full disk only by this message. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/disk is full|ENOSPC/i, 'the disk is full'],
  [/disk I\/O error/i, 'the disk is full or failing'],
  [/database is locked/i, 'another process holds the file'],
  [/malformed|not a database/i, 'the file is damaged or no SQLite database; restore a backup'],
  [/readonly|EACCES|EPERM|EROFS/i, 'this process may not write there'],
]

/** Of a value in one row: the file is sound, and other rows can be written. */
const OF_A_ROW = /malformed JSON|constraint failed/i

/**
 * Wraps any error as a `StorageError` that names the file, with the original as cause; a violated foreign key becomes
 * `NotFoundError`.
 */
export function explain(file: string, error: unknown): Error {
  if (isWatchpostError(error)) return storageError(file, error)
  const reason = error instanceof Error ? error.message : String(error)
  // All foreign keys refer to accounts.
  if (/FOREIGN KEY constraint failed/i.test(reason)) return new NotFoundError('account')
  if (OF_A_ROW.test(reason)) return new UnreadableError(`${file}: ${reason}`, { cause: error })
  const hint = HINTS.find(([sign]) => sign.test(reason))?.[1]
  return storageError(hint === undefined ? file : `${file}: ${hint}`, error)
}
