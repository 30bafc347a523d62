/**
 * When the staleness of each monitor is evaluated next, on the monotonic clock, with one timer for all.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import { dueQueue } from '../../due-queue.ts'

/** Ids evaluated in one turn of the event loop: thousands may be due, and reported, at the same time. */
const DUE_AT_ONCE = 50

export interface EvaluationQueue {
  start(): void
  stop(): void
  /** Evaluates in `ms`; replaces the time that was set before. */
  set(id: number, ms: number): void
  delete(id: number): void
}

/** `evaluate` is called once for each time that was set. `late_ms`: how long after it. */
export function createEvaluationQueue(
  clock: Pick<Clock, 'monotonic' | 'timer'>,
  evaluate: (id: number, late_ms: number) => void,
): EvaluationQueue {
  const queue = dueQueue()
  let timer: Timer | undefined
  let running = false

  function arm(): void {
    const first = queue.peek()
    if (!running || timer !== undefined || first === undefined) return
    timer = clock.timer(Math.max(0, first.due_at - clock.monotonic()), wake)
  }

  function wake(): void {
    timer = undefined
    const now = clock.monotonic()
    for (let n = 0; n < DUE_AT_ONCE; n++) {
      const next = queue.peek()
      if (next === undefined || next.due_at > now) break
      queue.pop()
      evaluate(next.id, now - next.due_at)
    }
    // What is still due follows in the next turn of the event loop.
    arm()
  }

  function disarm(): void {
    timer?.cancel()
    timer = undefined
  }

  return {
    start() {
      running = true
      arm()
    },
    stop() {
      running = false
      disarm()
    },
    set(id, ms) {
      const at = clock.monotonic() + ms
      const first = queue.peek()
      queue.set(id, at)
      // A timer that is set for an earlier time stays.
      if (first !== undefined && first.due_at > at) disarm()
      arm()
    },
    delete: (id) => queue.delete(id),
  }
}
