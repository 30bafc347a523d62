/**
 * What bounds the work that unauthenticated requests cause.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { PageError } from '../http/http-error.ts'

export interface CachedValue<T> {
  get(): Promise<T>
  /** Invalidates the value: the next call computes it again. */
  forget(): void
}

/** A value that is computed at most once per few seconds and never concurrently. */
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

/** Runs at most so many at a time; beyond `waiting` that wait, a request is refused. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

export function turnsOf(running: number, waiting: number): Turns {
  const queue: (() => void)[] = []
  let free = running
  return async (work) => {
    if (free > 0) free--
    else if (queue.length >= waiting) throw BUSY
    else await new Promise<void>((resolve) => queue.push(resolve))
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

const BUSY = new PageError({
  status: 503,
  title: 'Not available',
  text: 'There are too many requests at the moment. Load the page again in a few seconds.',
  headers: { 'Retry-After': '5' },
})
