/**
 * Limits requests per key in any window (spec 8: 60 per minute), and sets the headers that report it.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { requestServicesOf } from '../engine/services/request-services.ts'
import type { Identity } from './auth.ts'
import { HttpError } from './http-error.ts'

export interface RatePolicy {
  /** Default 60. */
  readonly requests: number
  /** Default 60. */
  readonly windowSec: number
}

/** Spec 8. */
export const DEFAULT_RATE: RatePolicy = { requests: 60, windowSec: 60 }

export interface Taken {
  readonly allowed: boolean
  /** Requests left at this moment. */
  readonly remaining: number
  /** Milliseconds until the oldest counted request leaves the window; never less than until the next one is admitted. */
  readonly reset_ms: number
}

/** Counts requests. Processes that share one limit implement it on a shared store. */
export interface RateWindow {
  /** Counts one request with this key if the policy allows it; a rejected one is not counted. */
  take(identity: Identity, policy: RatePolicy): Taken | Promise<Taken>
}

/**
 * The window that REST, page and metrics of an engine share. Keys of the engine are counted by their ids, those of a
 * host (`foreign`) by account and id.
 */
export function engineWindow(
  engine: object,
  { foreign }: { readonly foreign: boolean },
): RateWindow {
  const { requests } = requestServicesOf(engine)
  return {
    async take({ account_id, key }, { requests: limit, windowSec }) {
      const by = foreign ? { identity: `${account_id}:${key.id}` } : { key_id: Number(key.id) }
      const { admitted, ...rest } = await requests.admit({
        by,
        limit,
        window_ms: windowSec * 1000,
      })
      return { allowed: admitted, ...rest }
    },
  }
}

/**
 * `RateLimit` and `RateLimit-Policy` as in the IETF draft (draft-ietf-httpapi-ratelimit-headers), and the
 * older `X-RateLimit-*`, whose reset is a time in Unix seconds.
 */
export function rateHeaders(
  policy: RatePolicy,
  taken: Taken,
  clock: Pick<Clock, 'now'>,
): Record<string, string> {
  const { requests, windowSec } = policy
  return {
    'RateLimit-Policy': `"key";q=${requests};w=${windowSec}`,
    RateLimit: `"key";r=${taken.remaining};t=${wholeSeconds(taken)}`,
    'X-RateLimit-Limit': `${requests}`,
    'X-RateLimit-Remaining': `${taken.remaining}`,
    'X-RateLimit-Reset': `${Math.ceil((clock.now() + taken.reset_ms) / 1000)}`,
  }
}

/** @throws HttpError 429 */
export function requireQuota(policy: RatePolicy, taken: Taken): void {
  if (taken.allowed) return
  throw new HttpError({
    status: 429,
    error: 'rate_limited',
    message: `More than ${policy.requests} requests in ${policy.windowSec} seconds`,
    retry_after: wholeSeconds(taken),
  })
}

function wholeSeconds(taken: Taken): number {
  return Math.max(1, Math.ceil(taken.reset_ms / 1000))
}
