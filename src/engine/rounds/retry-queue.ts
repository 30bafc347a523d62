/**
 * What could not be stored, kept until it can be: one per monitor, the latest. While the store fails, one
 * of them asks it again every few seconds; once anything is stored, all of them are.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

/** Between two tries. */
const AGAIN_MS = 5_000

export interface RetryQueue<T> {
  keep(monitor_id: number, item: T): void
  forget(monitor_id: number): void
  /** The store works: everything that is kept is tried again. */
  release(): void
  clear(): void
}

export function createRetryQueue<T>(
  clock: Pick<Clock, 'timer'>,
  store: (item: T) => void,
): RetryQueue<T> {
  const kept = new Map<number, T>()
  let timer: Timer | undefined

  function probe(): void {
    timer = undefined
    const [first] = kept
    if (first === undefined) return
    kept.delete(first[0])
    store(first[1])
  }

  function clear(): void {
    timer?.cancel()
    timer = undefined
    kept.clear()
  }

  return {
    keep(monitor_id, item) {
      kept.set(monitor_id, item)
      timer ??= clock.timer(AGAIN_MS, probe)
    },
    forget: (monitor_id) => void kept.delete(monitor_id),
    release() {
      if (kept.size === 0) return
      const items = [...kept.values()]
      clear()
      for (const item of items) store(item)
    },
    clear,
  }
}
