/**
 * Runs long work in steps and yields to the event loop in between. All checks of an engine share
 * one scheduler: however many parse large pages, together they take no more of a turn than one.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { waitFor } from './stop.ts'
import type { StopSignal } from './stop.ts'

/** After this time no further step begins in this turn. */
const TURN_MS = 8

/** Maximum steps per turn, for clocks that stand still. */
const TURN_STEPS = 256

/** A shorter turn does not count against the share. */
const SHORT_MS = 1

export interface Turns {
  /**
   * Returns the result of `steps`. Each step should take a millisecond or two; other work runs in
   * between. Rejects with the signal's reason when it aborts.
   */
  run<T>(signal: StopSignal, steps: Generator<void, T>): Promise<T>
}

/** Runs one step; `false` after the last. */
type Job = () => boolean

export function createTurns(clock: Pick<Clock, 'monotonic' | 'timer'>): Turns {
  /** Jobs with remaining steps, longest waiting first. */
  const waiting: Job[] = []
  /** This turn has used its share. */
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
