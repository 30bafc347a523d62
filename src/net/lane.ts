/**
 * A lane: so many at a time, the others wait in order.
 *
 * @module
 */

import { waitFor } from './wait.ts'
import type { StopSignal } from './stop.ts'

export interface Lane {
  /**
   * Runs `work` once a place is free. An abort gives up the waiting, or the result; work that is under
   * way keeps its place until it really ends, which is the point for work that cannot be cancelled.
   */
  run<T>(signal: StopSignal, work: () => Promise<T>): Promise<T>
}

export function createLane(places: number): Lane {
  let taken = 0
  const waiting = new Set<() => void>()

  function leave(): void {
    taken -= 1
    const next = waiting.values().next()
    if (next.done === true) return
    waiting.delete(next.value)
    next.value()
  }

  return {
    run: (signal, work) =>
      waitFor(signal, ({ resolve, reject }) => {
        const enter = (): void => {
          taken += 1
          work().then(resolve, reject).finally(leave)
        }
        if (taken < places) enter()
        else waiting.add(enter)
        return () => waiting.delete(enter)
      }),
  }
}
