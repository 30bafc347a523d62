/**
 * At most so many requests per key in any window (spec 8: 60 per minute). A sliding log, not a
 * bucket: a bucket of 60 that refills by the minute lets almost 120 pass within one.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import type { Engine } from '../engine/api.ts'
import type { Identity } from './auth.ts'
import { Refusal } from './refusal.ts'

export interface RatePolicy {
  /** Default 60. */
  readonly requests: number
  /** Default 60. */
  readonly window_sec: number
}

/** Spec 8. */
export const DEFAULT_RATE: RatePolicy = { requests: 60, window_sec: 60 }

export interface Taken {
  readonly allowed: boolean
  /** Requests left at this moment. */
  readonly remaining: number
  /** Milliseconds until the oldest counted request leaves the window; never less than until the next one may pass. */
  readonly reset_ms: number
}

/** Counts requests. Processes that share one limit put a shared store behind this. */
export interface RateWindow {
  /** Counts one request with this key if the policy allows it; a refused one is not counted. */
  take(identity: Identity, policy: RatePolicy): Taken | Promise<Taken>
}

/** A {@link RateWindow} in the memory of one process. */
export interface SlidingWindow extends RateWindow {
  take(identity: Identity, policy: RatePolicy): Taken
  /** Keys remembered: those that asked within the last two windows. */
  readonly keys: number
}

/** The windows of one process, kept on its monotonic clock; a set clock opens no gap. */
export function slidingWindow(clock: Pick<Clock, 'monotonic'>): SlidingWindow {
  const log = new Map<string, number[]>()
  let swept_at = clock.monotonic()

  const sweep = (now: number, window_ms: number): void => {
    if (now - swept_at < window_ms) return
    swept_at = now
    for (const [key, times] of log) {
      if ((times.at(-1) ?? 0) <= now - window_ms) log.delete(key)
    }
  }

  return {
    get keys() {
      return log.size
    },
    take(identity, { requests, window_sec }) {
      const key = `${identity.account_id}:${identity.key.id}`
      const now = clock.monotonic()
      const window_ms = window_sec * 1000
      sweep(now, window_ms)
      const times = (log.get(key) ?? []).filter((at) => at > now - window_ms)
      const allowed = times.length < requests
      if (allowed) times.push(now)
      log.set(key, times)
      const oldest = times[0] ?? now
      return { allowed, remaining: requests - times.length, reset_ms: oldest + window_ms - now }
    },
  }
}

/** The windows that all processes on one store keep together. For keys of the engine: it counts by their ids. */
export function sharedWindow({ admit }: NonNullable<Engine['requests']>): RateWindow {
  return {
    async take({ key }, { requests, window_sec }) {
      const window_ms = window_sec * 1000
      const request = { key_id: Number(key.id), window_ms, limit: requests }
      const { admitted, remaining, wait_ms } = await admit(request)
      return { allowed: admitted, remaining, reset_ms: admitted ? window_ms : wait_ms }
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
  const { requests, window_sec } = policy
  return {
    'RateLimit-Policy': `"key";q=${requests};w=${window_sec}`,
    RateLimit: `"key";r=${taken.remaining};t=${wholeSeconds(taken)}`,
    'X-RateLimit-Limit': `${requests}`,
    'X-RateLimit-Remaining': `${taken.remaining}`,
    'X-RateLimit-Reset': `${Math.ceil((clock.now() + taken.reset_ms) / 1000)}`,
  }
}

/** @throws Refusal 429 */
export function requireQuota(policy: RatePolicy, taken: Taken): void {
  if (taken.allowed) return
  throw new Refusal({
    status: 429,
    error: 'rate_limited',
    message: `More than ${policy.requests} requests in ${policy.window_sec} seconds`,
    retry_after: wholeSeconds(taken),
  })
}

function wholeSeconds(taken: Taken): number {
  return Math.max(1, Math.ceil(taken.reset_ms / 1000))
}
