/**
 * Detects a genuine request that is sent twice: by an attacker who recorded it, or by the engine if
 * your response to the first attempt was lost.
 *
 * @module
 */

import { anything, callback, checkOptions } from '../options.ts'

/**
 * The interface of a guard in Redis or SQL, with promises: insert if absent, and report whether it
 * was.
 */
export interface ReplayGuard {
  /** `true` the first time, `false` for a repetition: respond 2xx to it without processing. */
  accept(notificationId: number): boolean | Promise<boolean>
  /**
   * Removes the id, so that the next attempt is accepted: call it if your processing failed and you
   * respond 5xx.
   */
  forget(notificationId: number): void | Promise<void>
}

/** A synchronous {@link ReplayGuard}. */
export interface MemoryReplayGuard extends ReplayGuard {
  accept(notificationId: number): boolean
  forget(notificationId: number): void
}

export interface ReplayGuardOptions {
  /**
   * How long an id is kept, in seconds. Default 1800: twice the tolerance of `verifyWebhook`, which
   * applies in both directions.
   */
  readonly ttlSec?: number | undefined
  /** Maximum number of ids; beyond it the oldest are dropped. Default 10000. */
  readonly max?: number | undefined
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly now?: (() => number) | undefined
}

/** In the memory of one process. Call it only with verified webhooks. */
export function createReplayGuard(options: ReplayGuardOptions = {}): MemoryReplayGuard {
  checkOptions('createReplayGuard', options, { ttlSec: anything, max: anything, now: callback })
  // eslint-disable-next-line no-restricted-properties -- runs at the receiver's, where there is no clock port
  const { ttlSec = 1800, max = 10_000, now = () => Date.now() } = options
  if (!(ttlSec > 0)) throw new TypeError('ttlSec: a number above 0 is expected')
  if (!Number.isInteger(max) || max < 1) throw new TypeError('max: an integer above 0 is expected')
  /** Id to the time it was accepted, oldest first. */
  const seen = new Map<number, number>()

  function dropOld(at: number): void {
    for (const [id, since] of seen) {
      if (seen.size <= max && at - since < ttlSec * 1000) return
      seen.delete(id)
    }
  }

  return {
    accept(notificationId) {
      const at = now()
      dropOld(at)
      if (seen.has(notificationId)) return false
      seen.set(notificationId, at)
      dropOld(at)
      return true
    },
    forget: (notificationId) => void seen.delete(notificationId),
  }
}
