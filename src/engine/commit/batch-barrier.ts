/**
 * Lets those who are about to do the same do it in the same moment.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

export interface BatchBarrier {
  /** Resolves for all who wait at once: when nobody else is expected, after `patience_ms` at the latest. */
  join(): Promise<void>
}

/** `expected`: how many there are who may come, those included who wait. */
export function createBatchBarrier(
  clock: Pick<Clock, 'timer'>,
  patience_ms: number,
  expected: () => number,
): BatchBarrier {
  let waiting: (() => void)[] = []
  let timer: Timer | undefined

  function go(): void {
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
        if (waiting.length >= expected()) go()
        else timer ??= clock.timer(patience_ms, go)
      }),
  }
}
