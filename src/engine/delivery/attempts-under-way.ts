/**
 * The attempts that this process is making, with the claim that each stands on.
 *
 * @module
 */

import type { NotificationRecord } from '../../model.ts'

interface Attempt {
  /** The last claim of the row. */
  claim: number
  /** It only waits for an answer. */
  waiting: boolean
  readonly ended: Promise<void>
}

export interface AttemptsUnderWay {
  readonly size: number
  /** How many do more than wait for a slow answer. */
  readonly busy: number
  /** The last claim of a row, 0 where no attempt of it is under way. */
  claimOf(id: number): number
  /** Begins `attempt`, which never rejects. A row that is under way already is not begun again; its claim is noted. */
  begin(row: NotificationRecord, attempt: () => Promise<void>): void
  /** Those that still stand on these claims wait for a slow answer. */
  areSlow(rows: readonly NotificationRecord[]): void
  /** Resolves when no attempt is under way any more. */
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
      // Claimed from ourselves, since the clock was set beyond its lease: the attempt that runs is the one.
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
    areSlow(rows) {
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
