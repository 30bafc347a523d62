/**
 * Durations in milliseconds, UTC days, times as ISO 8601 text, and local time in a time zone.
 *
 * @module
 */

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type EpochMs = number

export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
/** Minutes of a UTC day; a local one may have 23 or 25 hours. */
export const DAY_MIN = 1440
/** The last time that a `Date` has (ECMA-262, 21.4.1.1). JavaScript has all integers up to it exactly. */
export const LAST_MS = 8.64e15

/** The UTC day of a time, `YYYY-MM-DD`. */
export function dayOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** Maps a time to the local time, encoded as if it were UTC. */
export type WallClock = (at: EpochMs) => number

/** @throws RangeError for an unknown time zone */
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

/** More than exist; a name has several spellings. */
const ZONES_KEPT = 500
const DAYS_KEPT = 64

/** A cached time zone. */
export interface TimeZone {
  readonly wallClock: WallClock
  /** Local time minus UTC at 00:00 UTC of the given day. */
  offsetOf(day: EpochMs): number
}

export type TimeZones = (time_zone: string) => TimeZone

/** The first time after `after` at which a cron expression is due in a time zone. */
export type NextOccurrence = (cron: string, time_zone: string, after: EpochMs) => EpochMs

/** What recurring times are computed with. */
export interface Calendar {
  readonly zones: TimeZones
  readonly nextOccurrence: NextOccurrence
}

/**
 * Caches time zones: creating a formatter takes twenty times as long as using it, and using it a hundred times as
 * long as a cached result.
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

/** Stores the value; evicts the oldest entry beyond the limit. */
function kept<K, V>(values: Map<K, V>, limit: number, key: K, value: V): V {
  const first = values.size < limit ? undefined : values.keys().next()
  if (first?.done === false) values.delete(first.value)
  values.set(key, value)
  return value
}

/** Whether this Node.js knows the name as an IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The end of the year 9999, the last one in ISO 8601 without a sign. */
const LAST_ISO_MS = 253_402_300_799_999

const ISO_TIME =
  /^(?<date>\d{4}-\d\d-\d\d)(?<time>T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?<offset>Z|[+-]\d\d:?\d\d)?$/i

/**
 * A date, or a date and a time; UTC if no offset is given. `undefined` for any other text, also for
 * an invalid day of a month.
 */
export function readIsoTime(text: string): EpochMs | undefined {
  const { date, time, offset } = ISO_TIME.exec(text)?.groups ?? {}
  if (date === undefined || !isDay(date)) return undefined
  const at = Date.parse(time !== undefined && offset === undefined ? `${text}Z` : text)
  return isTime(at) ? at : undefined
}

/** Whether a number can be a time in epoch milliseconds: from 1970 to 9999. */
export function isTime(at: number): boolean {
  return at >= 0 && at <= LAST_ISO_MS
}

/** Rejects invalid days: `Date.parse` reads February 30 as March 2. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date)
}
