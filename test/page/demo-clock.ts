/**
 * A clock that can leap: what falls due within a leap happens at its end, once. A simulated clock stops at
 * every timer, and an engine sets one every few seconds: ninety days would be half a million stops.
 */

import { sleepOn } from '../../src/clock.ts'
import type { Clock, Timer } from '../../src/clock.ts'

export interface LeapingClock extends Clock {
  leap(ms: number): Promise<void>
  /** In steps of a second. */
  advance(ms: number): Promise<void>
}

interface Entry {
  readonly at: number
  readonly run: () => void
}

export function leapingClock(now: number): LeapingClock {
  let elapsed = 0
  let seed = 7
  const timers = new Set<Entry>()
  const clock: LeapingClock = {
    now: () => now + elapsed,
    monotonic: () => elapsed,
    random() {
      // Park and Miller's minimal standard: the same demonstration every time.
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    },
    timer(ms, run): Timer {
      const entry = { at: elapsed + Math.max(0, ms), run }
      timers.add(entry)
      return { cancel: () => timers.delete(entry) }
    },
    // A yield to the event loop is no wait for the clock.
    sleep: (ms, signal) =>
      ms > 0 ? sleepOn(clock, ms, signal) : new Promise((resolve) => void setImmediate(resolve)),
    async leap(ms) {
      elapsed += ms
      const due = [...timers].filter(({ at }) => at <= elapsed).sort((a, b) => a.at - b.at)
      for (const entry of due) if (timers.delete(entry)) entry.run()
      for (let turn = 0; turn < 3; turn++)
        await new Promise<void>((resolve) => void setImmediate(resolve))
    },
    async advance(ms) {
      for (let left = ms; left > 0; left -= 1000) await clock.leap(Math.min(1000, left))
    },
  }
  return clock
}
