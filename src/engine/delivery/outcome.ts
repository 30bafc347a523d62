/**
 * The outcome of a claimed notification.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import type { FinishedAttempt } from '../../store/store.ts'

/** What is recorded of a claimed row: the result of its attempt or why there was none, and the repeat that follows. */
export type AttemptOutcome = Omit<FinishedAttempt, 'id' | 'claim'>

/** Events that only make sense to a contact that received `down`. */
export function isFollowUp({ event }: Pick<NotificationRecord, 'event'>): boolean {
  return event === 'up' || event === 'acknowledged'
}

/** The outcome of a row that is not sent. */
export function notSent(
  row: NotificationRecord,
  status: 'failed' | 'cancelled',
  error: string,
  at: EpochMs,
): AttemptOutcome {
  return { status, attempts: row.attempts, interruptions: row.interruptions, error, at }
}
