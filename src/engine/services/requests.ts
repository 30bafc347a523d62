/**
 * One rate limit for the requests to all processes on a store.
 *
 * @module
 */

import { slidingLog } from '../core/sliding-log.ts'
import type { RequestCounter } from './request-services.ts'
import type { Parts } from './parts.ts'

/** Keys are counted in the store if several processes share it, everything else in this process. */
export function requestsOf({ core, ready }: Parts): RequestCounter {
  const { clock, store } = core
  const log = slidingLog(clock)
  return {
    async admit({ by, window_ms, limit }) {
      if (store.requests === undefined || !('key_id' in by)) {
        const who = 'key_id' in by ? `key ${by.key_id}` : `other ${by.identity}`
        const { allowed, ...rest } = log.take(who, { limit, window_ms })
        return { admitted: allowed, ...rest }
      }
      await ready()
      const now = clock.now()
      const request = { key_id: by.key_id, window_ms, limit, now }
      const { admitted, remaining, retry_at } = await store.requests.admit(request)
      const reset_ms = admitted ? window_ms : Math.max(0, (retry_at ?? now) - now)
      return { admitted, remaining, reset_ms }
    },
  }
}
