/**
 * A simulated clock that tells how much is done in each turn of the event loop: work that is too much for one turn
 * has to be spread over several.
 *
 * @module
 */

import { sleepOn } from '../../src/clock.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'

export interface TurnCountingClock {
  readonly clock: SimulatedClock
  /** What `count` has grown by before the first timer, and from each timer to the next. */
  perTurn(): readonly number[]
}

/** `count`: how much is done so far. Every timer begins a turn. */
export function turnCountingClock(count: () => number): TurnCountingClock {
  const simulated = simulatedClock({ settling: 'promises' })
  const begins = [count()]
  const clock: SimulatedClock = {
    ...simulated,
    get pending() {
      return simulated.pending
    },
    timer: (ms, run, options) =>
      simulated.timer(
        ms,
        () => {
          begins.push(count())
          run()
        },
        options,
      ),
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
  }
  const perTurn = () =>
    [...begins.slice(1), count()].map((done, turn) => done - (begins[turn] ?? 0))
  return { clock, perTurn }
}
