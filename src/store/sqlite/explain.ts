/**
 * What SQLite and the file system throw, as one sentence that says what can be done.
 *
 * @module
 */

import { isWatchpostError, NotFoundError } from '../../errors.ts'
import { storageError } from '../promised.ts'

/** The wasm driver has no words but these for a full disk. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/disk is full|ENOSPC/i, 'the disk is full'],
  [/disk I\/O error/i, 'the disk is full or failing'],
  [/database is locked/i, 'another process holds the file'],
  [/malformed|not a database/i, 'the file is damaged or no SQLite database; restore a backup'],
  [/readonly|EACCES|EPERM|EROFS/i, 'this process may not write there'],
]

/** Any error as a `StorageError` that names the file, its cause the original; or that there is no such account. */
export function explain(file: string, error: unknown): Error {
  if (isWatchpostError(error)) return storageError(file, error)
  const reason = error instanceof Error ? error.message : String(error)
  // All references lead to accounts.
  if (/FOREIGN KEY constraint failed/i.test(reason)) return new NotFoundError('account')
  const hint = HINTS.find(([sign]) => sign.test(reason))?.[1]
  return storageError(hint === undefined ? file : `${file}: ${hint}`, error)
}
