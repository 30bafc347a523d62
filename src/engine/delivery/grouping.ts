/**
 * Contacts with `group_window_sec`: their notifications wait for the end of a window and go out as one. Windows lie on
 * a grid of time, which all processes share and no crash loses; each contact has its own offset on it.
 *
 * @module
 */

import type { ContactRecord, EpochMs, NotificationRecord } from '../../model.ts'
import type { AttemptOutcome } from './outcome.ts'
import { QUIET_HOURS } from './quiet-hours.ts'

/** `error` of a row that waits for the end of its window. */
const GROUPED = 'grouped'

/** Notifications of one digest. */
export const LARGEST_GROUP = 50

/** What becomes of a row that has not waited yet; `undefined`: it is due. */
export function waitForGroup(
  row: NotificationRecord,
  { id, group_window_sec }: Pick<ContactRecord, 'id' | 'group_window_sec'>,
  at: EpochMs,
): AttemptOutcome | undefined {
  if (group_window_sec === 0 || row.event === 'test' || hasWaited(row)) return undefined
  const { attempts, interruptions } = row
  const due_at = endOfWindow(id, group_window_sec * 1000, at)
  return { status: 'queued', attempts, interruptions, due_at, error: GROUPED, at }
}

/** The end of the window that `at` is in, later than it. */
function endOfWindow(contact_id: number, window_ms: number, at: EpochMs): EpochMs {
  // A large prime, so that contacts made one after the other do not call at the same time.
  const offset = (contact_id * 7_919_017) % window_ms
  return (Math.floor((at - offset) / window_ms) + 1) * window_ms + offset
}

/** Whether a row may go out in a group now. */
export function hasWaited({
  attempts,
  interruptions,
  error,
}: Pick<NotificationRecord, 'attempts' | 'interruptions' | 'error'>): boolean {
  return attempts > 0 || interruptions > 0 || isWaitReason(error)
}

/** Whether a row goes out with others of its contact, if that is `grouped`. */
export function joinsGroup(
  row: Pick<NotificationRecord, 'contact_id' | 'event' | 'attempts' | 'interruptions' | 'error'>,
  grouped: ReadonlySet<number>,
): boolean {
  return grouped.has(row.contact_id) && row.event !== 'test' && hasWaited(row)
}

/** Whether this `error` of a row says why it waits, and not how an attempt ended. */
export function isWaitReason(error: string | null): boolean {
  return error === GROUPED || error === QUIET_HOURS
}

/**
 * Rows that go out together: those of one contact that were first claimed at the same time, so that a repeated attempt
 * has the same rows as the one before. A row that goes out alone is a group of one.
 */
export function groupsOf(
  rows: readonly NotificationRecord[],
  grouped: ReadonlySet<number>,
): readonly (readonly NotificationRecord[])[] {
  const groups = new Map<string, NotificationRecord[]>()
  for (const row of rows) {
    const key = joinsGroup(row, grouped) ? `${row.contact_id} ${row.sent_at}` : `#${row.id}`
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [row])
    else known.push(row)
  }
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / LARGEST_GROUP) }, (_, at) =>
      group.slice(at * LARGEST_GROUP, (at + 1) * LARGEST_GROUP),
    ),
  )
}
