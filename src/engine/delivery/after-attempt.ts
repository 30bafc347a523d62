/**
 * What becomes of a notification after an attempt to send it.
 *
 * @module
 */

import type { EpochMs, NotificationRecord } from '../../model.ts'
import type { AttemptResult } from '../../webhook/contact-kind.ts'
import { nextAttempt } from '../../webhook/retry.ts'
import { isWaitReason } from './grouping.ts'
import type { AttemptOutcome } from './outcome.ts'

export interface AttemptTimes {
  readonly began_at: EpochMs
  readonly ended_at: EpochMs
  /** Draws the jitter of the pause before the next attempt. */
  readonly random: () => number
}

/** Sent, failed, or queued for the next attempt; with the attempt as its log shows it. */
export function afterAttempt(
  row: NotificationRecord,
  result: AttemptResult,
  { began_at, ended_at, random }: AttemptTimes,
): AttemptOutcome {
  const next = nextAttempt(row, result, { now: ended_at, random })
  // A test is one attempt, reported to its caller.
  const status = row.event === 'test' && next.status === 'queued' ? 'failed' : next.status
  const { http_status, answer, duration_ms } = result
  const error = result.class === 'delivered' ? null : (result.error ?? codeOf(http_status))
  // The row keeps the fact that it has waited, although it was not sent.
  const isUntried = status === 'queued' && next.attempts === 0 && isWaitReason(row.error)
  return {
    status,
    attempts: next.attempts,
    interruptions: next.interruptions,
    ...(status === 'queued' && next.due_at !== undefined ? { due_at: next.due_at } : {}),
    error: isUntried ? row.error : error,
    at: ended_at,
    attempt: { at: began_at, duration_ms, http_status, error, answer },
  }
}

function codeOf(http_status: number | null): string {
  return http_status === null ? 'internal_error' : `http_${http_status}`
}
