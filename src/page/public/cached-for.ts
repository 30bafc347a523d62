/**
 * A value that is computed at most once per few seconds and never concurrently: unauthenticated requests must not
 * cause as many queries of the store.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'

export interface CachedValue<T> {
  get(): Promise<T>
  /** Invalidates the value: the next call computes it again. */
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
      // An error is not cached.
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
