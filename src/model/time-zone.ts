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

/** More than there are; a name may be written in many ways. */
const ZONES_KEPT = 500
const DAYS_KEPT = 64

/** A time zone that was asked before. */
export interface TimeZone {
  readonly wallClock: WallClock
  /** From UTC to the wall clock at 00:00 UTC of that day, which `day` is. */
  offsetOf(day: EpochMs): number
}

export type TimeZones = (time_zone: string) => TimeZone

/**
 * Time zones, each made once: making one takes twenty times as long as asking it, and asking it a hundred times as
 * long as remembering what it said.
 */
export function timeZones(): TimeZones {
  const zones = new Map<string, TimeZone>()
  return (name) => {
    const known = zones.get(name)
    if (known !== undefined) return known
    const zone = timeZone(wallClockOf(name))
    return kept(zones, ZONES_KEPT, name, zone)
  }
}

function timeZone(wallClock: WallClock): TimeZone {
  const offsets = new Map<EpochMs, number>()
  return {
    wallClock,
    offsetOf: (day) => offsets.get(day) ?? kept(offsets, DAYS_KEPT, day, wallClock(day) - day),
  }
}

/** The first that came makes room. */
function kept<K, V>(values: Map<K, V>, limit: number, key: K, value: V): V {
  const first = values.size < limit ? undefined : values.keys().next()
  if (first?.done === false) values.delete(first.value)
  values.set(key, value)
  return value
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
