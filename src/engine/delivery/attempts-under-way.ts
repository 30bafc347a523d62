/**
 * The running attempts of this process, with their claims.
 *
 * @module
 */

import type { NotificationRecord } from '../../model.ts'

interface Attempt {
  /** The last claim of the row. */
  claim: number
  /** It only waits for a response. */
  waiting: boolean
  readonly ended: Promise<void>
}

export interface AttemptsUnderWay {
  readonly size: number
  /** The number of attempts that are not waiting for a slow response. */
  readonly busy: number
  /** The last claim of a row, 0 without a running attempt. */
  claimOf(id: number): number
  /** Starts `attempt`, which never rejects. If an attempt of the row is running, only the new claim is recorded. */
  begin(row: NotificationRecord, attempt: () => Promise<void>): void
  /** Marks attempts with these claims as waiting for a slow response. */
  markSlow(rows: readonly NotificationRecord[]): void
  /** Resolves when no attempt is running. */
  ended(): Promise<void>
}

export function createAttemptsUnderWay(): AttemptsUnderWay {
  const attempts = new Map<number, Attempt>()
  let waiting = 0

  return {
    get size() {
      return attempts.size
    },
    get busy() {
      return attempts.size - waiting
    },
    claimOf: (id) => attempts.get(id)?.claim ?? 0,
    begin({ id, claims }, attempt) {
      const present = attempts.get(id)
      // Claimed again by this process, since the clock was set beyond its lease: the running attempt continues under
      // the new claim.
      if (present !== undefined) {
        present.claim = claims
        return
      }
      const ended = attempt().then(() => {
        if (attempts.get(id)?.waiting === true) waiting--
        attempts.delete(id)
      })
      attempts.set(id, { claim: claims, waiting: false, ended })
    },
    markSlow(rows) {
      for (const { id, claims } of rows) {
        const attempt = attempts.get(id)
        if (attempt?.claim !== claims || attempt.waiting) continue
        attempt.waiting = true
        waiting++
      }
    },
    async ended() {
      while (attempts.size > 0)
        await Promise.allSettled([...attempts.values()].map(({ ended }) => ended))
    },
  }
}
