/**
 * The running attempts of this process, with their claims.
 *
 * @module
 */

import type { NotificationRecord } from '../../model.ts'

type Counts = Pick<NotificationRecord, 'attempts' | 'interruptions'>

interface Attempt {
  /** The last claim of the row. */
  claim: number
  /** What the store had recorded of the row when this process claimed it again. */
  reclaimed?: Counts
  /** It only waits for a response. */
  waiting: boolean
  /** 0 for a row that goes out with another one. */
  readonly messages: 0 | 1
  readonly ended: Promise<void>
}

export interface AttemptsUnderWay {
  /** The number of messages: rows that go out together are one. */
  readonly size: number
  /** Messages that are not waiting for a slow response. */
  readonly busySize: number
  readonly rows: number
  /** Rows whose attempt is not waiting for a slow response. */
  readonly busy: number
  /** The last claim of a row, 0 without a running attempt. */
  claimOf(id: number): number
  /** The end of a running attempt, under the last claim of its row: what others recorded before that stays counted. */
  underClaim<End extends Counts & { readonly id: number }>(
    end: End,
  ): End & { readonly claim: number }
  /**
   * Starts `attempt`, which never rejects. If an attempt of the row is running, only the new claim is recorded.
   * `joins`: it goes out with a row that began before.
   */
  begin(row: NotificationRecord, attempt: () => Promise<void>, joins?: boolean): void
  /** Marks attempts with these claims as waiting for a slow response. */
  markSlow(rows: readonly NotificationRecord[]): void
  /** Resolves when no attempt is running. */
  ended(): Promise<void>
}

export function createAttemptsUnderWay(): AttemptsUnderWay {
  const attempts = new Map<number, Attempt>()
  let waiting = 0
  let [size, waitingSize] = [0, 0]

  return {
    get size() {
      return size
    },
    get busySize() {
      return size - waitingSize
    },
    get rows() {
      return attempts.size
    },
    get busy() {
      return attempts.size - waiting
    },
    claimOf: (id) => attempts.get(id)?.claim ?? 0,
    underClaim(end) {
      const { claim = 0, reclaimed } = attempts.get(end.id) ?? {}
      if (reclaimed === undefined) return { ...end, claim }
      const least = (name: keyof Counts): number => Math.max(end[name], reclaimed[name])
      return { ...end, claim, attempts: least('attempts'), interruptions: least('interruptions') }
    },
    begin(row, attempt, joins = false) {
      const { id, claims } = row
      const present = attempts.get(id)
      // Claimed again by this process, after the store was slow or the clock was set beyond its lease: the running
      // attempt continues under the new claim. Another process may have had the row in between.
      if (present !== undefined) {
        present.claim = claims
        present.reclaimed = row
        return
      }
      const messages = joins ? 0 : 1
      size += messages
      const ended = attempt().then(() => {
        size -= messages
        if (attempts.get(id)?.waiting === true) {
          waiting--
          waitingSize -= messages
        }
        attempts.delete(id)
      })
      attempts.set(id, { claim: claims, waiting: false, messages, ended })
    },
    markSlow(rows) {
      for (const { id, claims } of rows) {
        const attempt = attempts.get(id)
        if (attempt?.claim !== claims || attempt.waiting) continue
        attempt.waiting = true
        waiting++
        waitingSize += attempt.messages
      }
    },
    async ended() {
      while (attempts.size > 0)
        await Promise.allSettled([...attempts.values()].map(({ ended }) => ended))
    },
  }
}
