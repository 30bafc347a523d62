/**
 * Against a genuine request that is sent a second time: by somebody who recorded it, or by us, where
 * your answer to the first attempt was lost.
 *
 * @module
 */

import { anything, callback, checkOptions } from '../options.ts'

/** What a guard in Redis or SQL implements as well, with a promise: insert where absent, and say whether it was. */
export interface ReplayGuard {
  /** `true` the first time, `false` for a repetition: answer 2xx to that one and do nothing. */
  accept(notificationId: number): boolean | Promise<boolean>
  /** Takes it back, so that the next attempt is accepted: call it where your own work failed and you answer 5xx. */
  forget(notificationId: number): void | Promise<void>
}

/** A {@link ReplayGuard} that answers at once. */
export interface MemoryReplayGuard extends ReplayGuard {
  accept(notificationId: number): boolean
  forget(notificationId: number): void
}

export interface ReplayGuardOptions {
  /** How long an id is remembered, in seconds. Default 1800: twice the tolerance of `verifyWebhook`, which counts both ways. */
  readonly ttlSec?: number | undefined
  /** Ids remembered at most; beyond it the oldest go. Default 10000. */
  readonly max?: number | undefined
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly now?: (() => number) | undefined
}

/** In the memory of one process. Ask it only about verified webhooks. */
export function createReplayGuard(options: ReplayGuardOptions = {}): MemoryReplayGuard {
  checkOptions('createReplayGuard', options, { ttlSec: anything, max: anything, now: callback })
  // Like verify.ts this runs at the receiver's, where there is no clock port.
  // eslint-disable-next-line no-restricted-properties
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
