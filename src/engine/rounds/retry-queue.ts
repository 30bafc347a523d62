/**
 * Rounds that could not be stored: one per monitor, the latest. While the store fails, one of them is retried every
 * few seconds; after a success all are.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

/** Time between two tries. */
const RETRY_MS = 5_000

export interface RetryQueue<T> {
  keep(monitor_id: number, item: T): void
  forget(monitor_id: number): void
  /** The store works again: retries all rounds. */
  release(): void
  clear(): void
}

export function createRetryQueue<T>(
  clock: Pick<Clock, 'timer'>,
  store: (item: T) => void,
): RetryQueue<T> {
  const kept = new Map<number, T>()
  let timer: Timer | undefined

  function retryOne(): void {
    timer = undefined
    const [first] = kept
    if (first === undefined) return
    const [monitor_id, item] = first
    kept.delete(monitor_id)
    // This one may fail for good: the others do not wait for its success.
    if (kept.size > 0) retryLater()
    store(item)
  }

  function retryLater(): void {
    timer ??= clock.timer(RETRY_MS, retryOne)
  }

  function clear(): void {
    timer?.cancel()
    timer = undefined
    kept.clear()
  }

  return {
    keep(monitor_id, item) {
      kept.set(monitor_id, item)
      retryLater()
    },
    forget: (monitor_id) => void kept.delete(monitor_id),
    release() {
      const items = [...kept.values()]
      clear()
      for (const item of items) store(item)
    },
    clear,
  }
}
