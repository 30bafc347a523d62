/**
 * A clock that only moves on request: days of scheduling run in milliseconds, deterministically.
 *
 * @module
 */

import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import { sleepOn } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { dueQueue } from '../due-queue.ts'
import type { EpochMs } from '../model.ts'

export interface SimulatedClock extends Clock {
  /** Moves time forward; timers fire in order, and the work of each settles before the next. */
  advance(ms: number): Promise<void>
  /** Changes the wall clock by `ms` without passing time, as an NTP step or an administrator does. */
  jump(ms: number): void
  /** Runs everything that is ready, without moving time. */
  settle(): Promise<void>
  /** The number of pending timers. */
  readonly pending: number
}

export interface SimulatedClockOptions {
  /** The initial wall clock time, default 2026-01-01T00:00:00Z. */
  readonly now?: EpochMs | undefined
  /** The seed of `random`, default 1. */
  readonly seed?: number | undefined
  /**
   * What settles between two timers. `turns` (the default) waits two turns of the event loop, so that ready sockets
   * are read; `promises` is much faster, and sufficient if timers only cause promises. Both go on while something
   * awaits `setImmediate`, for 100 turns at most.
   */
  readonly settling?: 'turns' | 'promises' | undefined
}

/** How many turns of the event loop `settle` adds at most: something may await the next turn without end. */
const MOST_TURNS = 100

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

function awaitsTurn(): boolean {
  return process.getActiveResourcesInfo().includes('Immediate')
}

/** Creates a simulated clock. */
export function simulatedClock(options: SimulatedClockOptions = {}): SimulatedClock {
  checkOptions('simulatedClock', options, {
    now: option.numberBetween(-8.64e15, 8.64e15),
    seed: option.numberBetween(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    settling: option.oneOf('turns', 'promises'),
  })
  const { now = Date.UTC(2026, 0, 1), seed = 1, settling = 'turns' } = options
  let monotonic = 0
  let wall = now
  let order = 0
  let state = seed >>> 0
  // By time, then in the order in which they were set.
  const queue = dueQueue()
  const runs = new Map<number, () => void>()

  function moveTo(at: number): void {
    wall += at - monotonic
    monotonic = at
  }

  const clock: SimulatedClock = {
    now: () => wall,
    monotonic: () => monotonic,
    random() {
      // mulberry32: small, and sufficient to spread load in a test.
      state = (state + 0x6d2b79f5) >>> 0
      let t = state
      t = Math.imul(t ^ (t >>> 15), t | 1)
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
    },
    timer(ms, run) {
      const id = order++
      queue.set(id, monotonic + Math.max(0, ms))
      runs.set(id, run)
      return {
        cancel() {
          queue.delete(id)
          runs.delete(id)
        },
      }
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    async advance(ms) {
      const until = monotonic + ms
      await clock.settle()
      for (let due = queue.peek(); due !== undefined && due.due_at <= until; due = queue.peek()) {
        queue.pop()
        const run = runs.get(due.id)
        runs.delete(due.id)
        moveTo(Math.max(due.due_at, monotonic))
        run?.()
        await clock.settle()
      }
      moveTo(until)
    },
    jump(ms) {
      wall += ms
    },
    async settle() {
      // Node runs the next tick when no promise job is left.
      if (settling === 'promises') await new Promise<void>((resolve) => process.nextTick(resolve))
      // One turn for what is ready, one for what that made ready through another macrotask.
      else for (let turn = 0; turn < 2; turn++) await nextTurn()
      // A store yields by the time that passes, so more often on a busy machine.
      for (let turn = 0; turn < MOST_TURNS && awaitsTurn(); turn++) await nextTurn()
    },
    get pending() {
      return runs.size
    },
  }
  return clock
}
