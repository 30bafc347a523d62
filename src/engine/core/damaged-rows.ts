/**
 * Damaged rows: none keeps the others from being watched or listed. Each is reported once in the life of the engine,
 * since every list meets it again.
 *
 * @module
 */

import type { StorageError } from '../../errors.ts'
import { logError } from './core.ts'
import type { Core } from './core.ts'

const MESSAGES = {
  account: 'an account cannot be read; what needs its quotas and defaults is refused',
  monitor: 'a monitor cannot be read; it is set aside',
  contact: 'a contact cannot be read, and is not notified',
  window: 'a maintenance window cannot be read; it is set aside',
  key: 'a key cannot be read; it is left out',
  page: 'a public page cannot be read; it is left out',
  report: 'a status report cannot be read; it is left out',
  result: 'a result cannot be read; it is left out',
  incident: 'an incident cannot be read; it is left out',
  notification: 'a notification cannot be read; it is left out',
  totals: 'totals of an hour or a day cannot be read; they are left out',
  availability: 'a change of availability cannot be read; the time behind it is unknown',
  audit: 'an entry of the audit log cannot be read; it is left out',
} as const

/** More than these are not reported: the file is lost, which the first ones say. */
const MOST = 10_000

/** Reports a damaged row, for a list of the store that leaves it out. */
export function setAside(core: Core, kind: keyof typeof MESSAGES): (error: StorageError) => void {
  return (error) => {
    const row = `${kind} ${error.message}`
    if (core.reported.has(row) || core.reported.size >= MOST) return
    core.reported.add(row)
    logError(core, error, MESSAGES[kind])
  }
}
