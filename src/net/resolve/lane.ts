/**
 * A lane: so many at a time, the others wait, each account in its turn.
 *
 * @module
 */

import { createRoundRobin } from './round-robin.ts'
import { waitFor } from '../timing/wait.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface Lane {
  /**
   * Runs `work` once a place is free. An abort gives up the waiting, or the result; work that is under
   * way keeps its place until it really ends, which is the point for work that cannot be cancelled. Without an
   * account all wait as one.
   */
  run<T>(signal: StopSignal, work: () => Promise<T>, account_id?: number): Promise<T>
}

export function createLane(places: number): Lane {
  let taken = 0
  const waiting = createRoundRobin<() => void>()

  function leave(): void {
    taken -= 1
    waiting.take()?.()
  }

  return {
    run: (signal, work, account_id = 0) =>
      waitFor(signal, ({ resolve, reject }) => {
        const enter = (): void => {
          taken += 1
          work().then(resolve, reject).finally(leave)
        }
        if (taken < places) enter()
        else waiting.add(account_id, enter)
        return () => waiting.delete(account_id, enter)
      }),
  }
}
