/**
 * Requests that are complete at the same moment, in several turns of the event loop: each takes a millisecond or
 * more, and sixty of them in one turn would keep everybody else waiting.
 *
 * @module
 */

import { turnWatchOf } from '../clock.ts'
import type { Clock } from '../clock.ts'

/** Awaited before the work of a request. */
export type ArrivalTurns = () => Promise<void>

/**
 * Lets requests pass in their order: at once while the turn is shorter than 10 ms, then one in each turn, whose work
 * is not known before it has been done.
 */
export function createArrivalTurns(clock: Pick<Clock, 'monotonic' | 'timer'>): ArrivalTurns {
  const isTurnLong = turnWatchOf(clock)
  const waiting: (() => void)[] = []

  function letNextPass(): void {
    waiting.shift()?.()
    if (waiting.length > 0) clock.timer(0, letNextPass)
  }

  return () => {
    if (waiting.length === 0 && !isTurnLong()) return Promise.resolve()
    return new Promise((resolve) => {
      if (waiting.push(resolve) === 1) clock.timer(0, letNextPass)
    })
  }
}
