/**
 * A value that is worked out at most once per few seconds, and once at a time: what strangers may ask for
 * as often as they like must not reach the store as often.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'

export interface CachedValue<T> {
  get(): Promise<T>
  /** It has changed: the next question is answered anew. */
  forget(): void
}

export function cachedFor<T>(
  load: () => Promise<T>,
  { clock, ms }: { readonly clock: Pick<Clock, 'monotonic'>; readonly ms: number },
): CachedValue<T> {
  let kept: { readonly at: number; readonly value: Promise<T> } | undefined
  return {
    get() {
      const now = clock.monotonic()
      if (kept !== undefined && now - kept.at < ms) return kept.value
      const fresh = { at: now, value: load() }
      kept = fresh
      // A failure is not an answer to remember.
      fresh.value.catch(() => {
        if (kept === fresh) kept = undefined
      })
      return fresh.value
    },
    forget() {
      kept = undefined
    },
  }
}
