/**
 * The result of a claimed notification.
 *
 * @module
 */

import type { NotificationRecord } from '../../model.ts'
import type { FinishedAttempt } from '../../store/store.ts'

/** The result of an attempt, and the repeat that follows from it. */
export type AttemptOutcome = Omit<FinishedAttempt, 'id' | 'claim'>

/** Events that only make sense to a contact that received `down`. */
export function isFollowUp({ event }: Pick<NotificationRecord, 'event'>): boolean {
  return event === 'up' || event === 'acknowledged'
}
