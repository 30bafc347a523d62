/**
 * At most so many wrong keys or tokens per minute and client; only wrong ones are counted and refused, so that a
 * stranger keeps nobody out. Keys are too long to be guessed whatever the rate; what this bounds is how long somebody
 * who tries all the same gets other answers than "wait".
 *
 * @module
 */

import type { Clock } from '../../clock.ts'

export interface SignInLimit {
  /** Counts a wrong one; how long to wait where there were too many, in seconds. */
  failed(
    client: string,
  ): { readonly allowed: true } | { readonly allowed: false; readonly retry_sec: number }
}

/** Wrong ones of one client. */
export const SIGN_IN_LIMIT = 20
const WINDOW_MS = 60_000
/** Clients remembered; when there are more, those without a recent attempt are forgotten, then all. */
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
