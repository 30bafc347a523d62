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

/** Less than this, over any number of turns, does not count against the share. */
const SHORT_MS = 1

export interface Turns {
  /**
   * Returns the result of `steps`. Each step should take a millisecond or two; other work runs in
   * between. Rejects with the signal's reason when it aborts.
   */
  run<T>(signal: StopSignal, steps: Generator<void, T>): Promise<T>
  /** Calls `job` until it returns `false`: at once if the turn has time left. */
  add(job: Job): void
}

/** Runs one step; `false` after the last. */
export type Job = () => boolean

export function createTurns(clock: Pick<Clock, 'monotonic' | 'timer'>): Turns {
  /** Jobs with remaining steps, longest waiting first. */
  const waiting: Job[] = []
  /** What this turn has used of its share, and short work of turns before. */
  let spent_ms = 0
  let working = false
  let ending = false

  function work(): void {
    working = true
    const from = clock.monotonic()
    const left_ms = TURN_MS - spent_ms
    let took_ms = 0
    try {
      for (let step = 0; step < TURN_STEPS && took_ms < left_ms; step++) {
        const job = waiting.shift()
        if (job === undefined) break
        if (job()) waiting.push(job)
        took_ms = clock.monotonic() - from
      }
    } finally {
      working = false
      spent_ms += took_ms
      if (waiting.length > 0 || spent_ms > SHORT_MS) endTurn()
    }
  }

  function endTurn(): void {
    if (ending) return
    ending = true
    clock.timer(0, next)
  }

  function next(): void {
    ending = false
    spent_ms = 0
    if (waiting.length > 0) work()
  }

  function add(job: Job): void {
    waiting.push(job)
    // What a step adds comes after it.
    if (!working && spent_ms < TURN_MS && (waiting.length === 1 || !ending)) work()
  }

  return {
    add,
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
        add(job)
        return () => {
          const at = waiting.indexOf(job)
          if (at >= 0) waiting.splice(at, 1)
        }
      }),
  }
}
