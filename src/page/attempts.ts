/**
 * At most so many attempts to sign in per minute and client. Keys are too long to be guessed; this keeps
 * somebody who tries all the same from keeping the store busy.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

export interface Attempts {
  /** Counts one attempt; how long to wait where there were too many, in seconds. */
  take(client: string): { readonly allowed: true } | { readonly allowed: false; retry_sec: number }
  /** It was a good one: it does not count. */
  forgive(client: string): void
}

const LIMIT = 20
const WINDOW_MS = 60_000
/** Clients remembered; when there are more, those without a recent attempt are forgotten, then all. */
const CLIENTS_LIMIT = 10_000

export function createAttempts(clock: Pick<Clock, 'monotonic'>): Attempts {
  const log = new Map<string, number[]>()

  function sweep(now: number): void {
    if (log.size < CLIENTS_LIMIT) return
    for (const [client, times] of log) {
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) log.delete(client)
    }
    if (log.size >= CLIENTS_LIMIT) log.clear()
  }

  return {
    take(client) {
      const now = clock.monotonic()
      sweep(now)
      const times = (log.get(client) ?? []).filter((at) => at > now - WINDOW_MS)
      log.set(client, times)
      const [oldest = now] = times
      if (times.length >= LIMIT)
        return { allowed: false, retry_sec: Math.ceil((oldest + WINDOW_MS - now) / 1000) }
      times.push(now)
      return { allowed: true }
    },
    forgive(client) {
      log.get(client)?.pop()
    },
  }
}
