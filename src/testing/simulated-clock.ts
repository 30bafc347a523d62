/**
 * A clock that stands still until it is moved: days of scheduling run in milliseconds, always the same.
 *
 * @module
 */

import { sleepOn } from '../clock.ts'
import type { Clock } from '../clock.ts'
import type { EpochMs } from '../model.ts'

export interface SimulatedClock extends Clock {
  /** Moves time forward; timers fire in order, and what they set off settles before the next one. */
  advance(ms: number): Promise<void>
  /** Sets the wall clock off by `ms` without time passing, as an NTP step or an administrator does. */
  jump(ms: number): void
  /** Lets everything that is ready run, without moving time. */
  settle(): Promise<void>
  /** Timers that are set. */
  readonly pending: number
}

interface Entry {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

/** Begins at `now` (default 2026-01-01T00:00:00Z); `seed` drives `random`. */
export function simulatedClock({
  now = Date.UTC(2026, 0, 1),
  seed = 1,
}: { now?: EpochMs; seed?: number } = {}): SimulatedClock {
  let monotonic = 0
  let wall = now
  let order = 0
  let state = seed >>> 0
  const timers = new Set<Entry>()

  function next(until: number): Entry | undefined {
    let first: Entry | undefined
    for (const entry of timers) {
      if (entry.at > until) continue
      if (
        first === undefined ||
        entry.at < first.at ||
        (entry.at === first.at && entry.order < first.order)
      )
        first = entry
    }
    return first
  }

  function moveTo(at: number): void {
    wall += at - monotonic
    monotonic = at
  }

  const clock: SimulatedClock = {
    now: () => wall,
    monotonic: () => monotonic,
    random() {
      // mulberry32: small, and good enough to spread load in a test.
      state = (state + 0x6d2b79f5) >>> 0
      let t = state
      t = Math.imul(t ^ (t >>> 15), t | 1)
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
    },
    timer(ms, run) {
      const entry: Entry = { at: monotonic + Math.max(0, ms), order: order++, run }
      timers.add(entry)
      return { cancel: () => timers.delete(entry) }
    },
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
    async advance(ms) {
      const until = monotonic + ms
      await clock.settle()
      for (let entry = next(until); entry !== undefined; entry = next(until)) {
        moveTo(Math.max(entry.at, monotonic))
        timers.delete(entry)
        entry.run()
        await clock.settle()
      }
      moveTo(until)
    },
    jump(ms) {
      wall += ms
    },
    async settle() {
      // Two turns: one for what is ready, one for what that made ready through another macrotask.
      for (let turn = 0; turn < 2; turn++)
        await new Promise<void>((resolve) => void setImmediate(resolve))
    },
    get pending() {
      return timers.size
    },
  }
  return clock
}
