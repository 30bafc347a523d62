/**
 * The result of a claimed notification.
 *
 * @module
 */

import type { FinishedAttempt } from '../../store/store.ts'

/** The result of an attempt, and the repeat that follows from it. */
export type AttemptOutcome = Omit<FinishedAttempt, 'id' | 'claim'>
