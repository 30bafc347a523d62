/**
 * What the checks of one checker share: how fast a zone may be asked, and answers for a while.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'

export interface Pacer {
  /** Waits for the next turn of `key`; `false` at once where that is farther away than `atMost_ms`. */
  turn(key: string, clock: Clock, atMost_ms: number, signal: AbortSignal): Promise<boolean>
}

/** Keys remembered before those that are due are forgotten. */
const MAX_KEYS = 1000

export function createPacer(spacing_ms: number): Pacer {
  const next = new Map<string, number>()
  return {
    async turn(key, clock, atMost_ms, signal) {
      const now = clock.monotonic()
      const at = Math.max(now, next.get(key) ?? now)
      if (at - now > atMost_ms) return false
      if (next.size >= MAX_KEYS) {
        for (const [each, due] of next) if (due <= now) next.delete(each)
      }
      next.set(key, at + spacing_ms)
      if (at > now) await clock.sleep(at - now, signal)
      return true
    },
  }
}

export interface Cache<V> {
  get(key: string, now: number): V | undefined
  set(key: string, value: V, until: number): void
}

/** The oldest entries go first. */
export function createCache<V>(max: number): Cache<V> {
  const entries = new Map<string, { readonly value: V; readonly until: number }>()
  return {
    get(key, now) {
      const entry = entries.get(key)
      return entry !== undefined && now < entry.until ? entry.value : undefined
    },
    set(key, value, until) {
      entries.delete(key)
      entries.set(key, { value, until })
      const [oldest] = entries.keys()
      if (entries.size > max && oldest !== undefined) entries.delete(oldest)
    },
  }
}
