/**
 * Lets concurrent operations of the same kind run as one batch.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

export interface BatchBarrier {
  /** Resolves for all waiting callers together: when no other is expected, at the latest after the maximum wait. */
  join(): Promise<void>
}

/** `expected`: how many callers may join, including those that wait. */
export function createBatchBarrier(
  clock: Pick<Clock, 'timer'>,
  max_wait_ms: number,
  expected: () => number,
): BatchBarrier {
  let waiting: (() => void)[] = []
  let timer: Timer | undefined

  function releaseAll(): void {
    timer?.cancel()
    timer = undefined
    const all = waiting
    waiting = []
    for (const resolve of all) resolve()
  }

  return {
    join: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length >= expected()) releaseAll()
        else timer ??= clock.timer(max_wait_ms, releaseAll)
      }),
  }
}
