/**
 * Times in which this process stood still: a blocked event loop, a stopped process, a machine asleep. What
 * was measured across one says nothing of the target.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'

const TICK_MS = 100
/** Shorter ones are noise, and part of what every measurement is off by. */
const STALL_MS = 250

export interface StallWatch {
  /** Watches until the returned function is called, which says how long it stood still meanwhile, in ms. */
  begin(): () => number
}

/** Ticks only while somebody measures. */
export function createStallWatch(clock: Clock): StallWatch {
  let measuring = 0
  let stalled_ms = 0
  let seen = 0
  let timer: Timer | undefined

  function look(): void {
    const now = clock.monotonic()
    const late = now - seen - TICK_MS
    if (late > STALL_MS) stalled_ms += late
    seen = now
  }

  function tick(): void {
    look()
    timer = clock.timer(TICK_MS, tick, { background: true })
  }

  return {
    begin() {
      if (measuring++ === 0) {
        seen = clock.monotonic()
        timer = clock.timer(TICK_MS, tick, { background: true })
      }
      const before = stalled_ms
      return () => {
        // Whoever measured may wake up before the tick that is late.
        look()
        if (--measuring === 0) timer?.cancel()
        return stalled_ms - before
      }
    },
  }
}
