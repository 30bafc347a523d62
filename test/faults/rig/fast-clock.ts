/**
 * The machine's clock, so many times faster. Processes that share the origin share the time, so that a
 * restart loses none of it.
 *
 * @module
 */

import { sleepOn, systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'

export interface Pace {
  /** Wall time at which fast and real time agree, epoch ms. */
  readonly origin: number
  /** Fast milliseconds per real one. */
  readonly factor: number
}

export function fastClock({ origin, factor }: Pace): Clock {
  const clock: Clock = {
    now: () => Math.round(origin + (systemClock.now() - origin) * factor),
    monotonic: () => systemClock.monotonic() * factor,
    random: () => systemClock.random(),
    timer: (ms, run, options) => systemClock.timer(ms / factor, run, options),
    sleep: (ms, signal) => sleepOn(clock, ms, signal),
  }
  return clock
}
