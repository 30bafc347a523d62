/**
 * Limits reads of metrics: reads with a key count with its API requests, the operator's token has a window of its
 * own.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { requestServicesOf } from '../engine/services/request-services.ts'
import type { Requester } from '../engine/services/request-services.ts'
import { createSignInLimit } from '../engine/services/sign-in-limit.ts'
import { clientAddress, neighbourhoodOf } from '../net/peer/client-address.ts'

export interface MetricsRate {
  /** Default 60. */
  readonly requests?: number | undefined
  /** Default 60. */
  readonly window_sec?: number | undefined
}

/** Both count one request; they return the seconds to wait if there were too many. */
export interface Limits {
  read(by: Requester): Promise<number | undefined>
  /** An invalid key or token, counted per client if its address is known. */
  wrong(request: Request): number | undefined
}

interface LimitsOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly rate: MetricsRate | false
}

export function createLimits(engine: object, { clock, rate }: LimitsOptions): Limits {
  const { requests } = requestServicesOf(engine)
  const attempts = createSignInLimit(clock)
  return {
    async read(by) {
      if (rate === false) return undefined
      const { requests: limit = 60, window_sec = 60 } = rate
      const taken = await requests.admit({ by, limit, window_ms: window_sec * 1000 })
      return taken.admitted ? undefined : Math.max(1, Math.ceil(taken.reset_ms / 1000))
    },
    wrong(request) {
      const client = clientAddress(request)
      if (client === undefined) return undefined
      const counted = attempts.failed(neighbourhoodOf(client))
      return counted.allowed ? undefined : counted.retry_sec
    },
  }
}
