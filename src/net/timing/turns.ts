/**
 * Long work in steps, with a turn of the event loop for everybody else in between. All checks of an engine share
 * it: however many have a long page to read, together they take no more of a turn than one.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { waitFor } from './wait.ts'
import type { StopSignal } from './stop.ts'

/** After so long no further step begins in this turn. */
const TURN_MS = 8

/** Nor after so many, where time stands still. */
const TURN_STEPS = 256

/** Less than this leaves the turn to others as it was. */
const SHORT_MS = 1

export interface Turns {
  /**
   * What `steps` returns. Each step should take a millisecond or two; between them others have their turn. The
   * signal ends it at the latest, with its reason.
   */
  run<T>(signal: StopSignal, steps: Generator<void, T>): Promise<T>
}

/** Makes one step; `false` after the last. */
type Job = () => boolean

export function createTurns(clock: Pick<Clock, 'monotonic' | 'timer'>): Turns {
  /** Those that have steps left, who waits longest first. */
  const waiting: Job[] = []
  /** This turn has had its share. */
  let spent = false

  function work(): void {
    const from = clock.monotonic()
    let took_ms = 0
    for (let step = 0; step < TURN_STEPS && took_ms < TURN_MS; step++) {
      const job = waiting.shift()
      if (job === undefined) break
      if (job()) waiting.push(job)
      took_ms = clock.monotonic() - from
    }
    spent = waiting.length > 0 || took_ms > SHORT_MS
    if (spent) clock.timer(0, next)
  }

  function next(): void {
    spent = false
    if (waiting.length > 0) work()
  }

  return {
    run: (signal, steps) =>
      waitFor(signal, ({ resolve, reject }) => {
        const job: Job = () => {
          try {
            const step = steps.next()
            if (step.done !== true) return true
            resolve(step.value)
          } catch (error) {
            reject(error)
          }
          return false
        }
        waiting.push(job)
        if (!spent) work()
        return () => {
          const at = waiting.indexOf(job)
          if (at >= 0) waiting.splice(at, 1)
        }
      }),
  }
}
