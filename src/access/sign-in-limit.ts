/**
 * Limits wrong keys or tokens per minute and client; only wrong ones are counted and rejected, so that an attacker
 * locks nobody out. Keys are too long to be guessed at any rate; this bounds the load of trying.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

export interface SignInLimit {
  /** Counts a wrong one; returns the seconds to wait if there were too many. */
  failed(
    client: string,
  ): { readonly allowed: true } | { readonly allowed: false; readonly retry_sec: number }
}

/** Maximum number per client. */
export const SIGN_IN_LIMIT = 20
const WINDOW_MS = 60_000
/** Maximum number of remembered clients; beyond it those without a recent attempt are dropped, then all. */
const CLIENTS_LIMIT = 10_000

export function createSignInLimit(clock: Pick<Clock, 'monotonic'>): SignInLimit {
  const log = new Map<string, number[]>()

  function sweep(now: number): void {
    if (log.size < CLIENTS_LIMIT) return
    for (const [client, times] of log) {
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) log.delete(client)
    }
    if (log.size >= CLIENTS_LIMIT) log.clear()
  }

  return {
    failed(client) {
      const now = clock.monotonic()
      sweep(now)
      const times = (log.get(client) ?? []).filter((at) => at > now - WINDOW_MS)
      log.set(client, times)
      const [oldest = now] = times
      if (times.length >= SIGN_IN_LIMIT)
        return { allowed: false, retry_sec: Math.ceil((oldest + WINDOW_MS - now) / 1000) }
      times.push(now)
      return { allowed: true }
    },
  }
}
