/**
 * Limits concurrent work to a number of slots; waiting accounts are served round-robin.
 *
 * @module
 */

import { createRoundRobin } from './round-robin.ts'
import { waitFor } from '../timing/wait.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface Lane {
  /**
   * Runs `work` once a slot is free. An abort ends the wait for a slot or for the result; running
   * work keeps its slot until it ends, since it cannot be cancelled. Without an account all calls
   * share one queue.
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
