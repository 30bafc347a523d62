/**
 * What the clock on the wall of a time zone shows.
 *
 * @module
 */

import type { EpochMs } from '../model.ts'

/** A time to what the wall clock shows then, written as if it were UTC. */
export type WallClock = (at: EpochMs) => number

/** @throws RangeError where there is no such time zone */
export function wallClockOf(time_zone: string): WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: time_zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (at) => {
    const shown: Record<string, number> = {}
    for (const { type, value } of format.formatToParts(at)) shown[type] = Number(value)
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
    return Date.UTC(year, month - 1, day, hour, minute, second)
  }
}

/** Whether it is a name of the IANA time zone database that this Node.js knows. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}
