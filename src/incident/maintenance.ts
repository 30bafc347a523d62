/**
 * Maintenance: whether a window of a monitor is open, and when that changes next. Recurring windows begin at a time
 * of day in their own time zone, across changes of its offset.
 *
 * @module
 */

import type {
  CronWindow,
  EpochMs,
  MaintenanceWindow,
  OneOffWindow,
  RecurringWindow,
  Weekday,
} from '../model.ts'
import { DAY_MS } from '../model/time.ts'
import type { Calendar, TimeZone, TimeZones, WallClock } from '../model/time.ts'

/** Days searched at once; some rules match none for longer (a Monday the 31st: up to 609 days). */
const HORIZON_DAYS = 400

export interface Maintenance {
  readonly active: boolean
  /** An open window pauses the checks. */
  readonly skip_checks: boolean
  /** The result is valid until then; `null` for ever. */
  readonly changes_at: EpochMs | null
}

/** Start (inclusive) and end (exclusive) of one window. One without an end is not open: it is looked for again then. */
export type Span = readonly [from: EpochMs, to: EpochMs]

export function isOpen([from, to]: Span, at: EpochMs): boolean {
  return from <= at && at < to && to !== Infinity
}

export function maintenanceAt(
  windows: readonly MaintenanceWindow[],
  at: EpochMs,
  calendar: Calendar,
): Maintenance {
  return maintenanceOf(
    windows.map((window) => ({
      span: spanAt(window, at, calendar),
      skip_checks: window.skip_checks,
    })),
    at,
  )
}

/** By occurrences that are open, next, or over. */
export function maintenanceOf(
  occurrences: readonly { readonly span: Span; readonly skip_checks: boolean }[],
  at: EpochMs,
): Maintenance {
  let skip_checks = false
  let active = false
  let changes_at: EpochMs | null = null
  for (const { span, ...window } of occurrences) {
    const [from, to] = span
    if (to <= at) continue
    const open = isOpen(span, at)
    active ||= open
    skip_checks ||= open && window.skip_checks
    changes_at = Math.min(changes_at ?? Infinity, open ? to : from)
  }
  return { active, skip_checks, changes_at }
}

/** The occurrence that is open at `at`, otherwise the next one; one that has ended if there is no other. */
export function spanAt(window: MaintenanceWindow, at: EpochMs, calendar: Calendar): Span {
  if ('start' in window) return oneOff(window)
  if ('cron' in window) return occurrenceOfCron(window, at, calendar)
  return occurrence(window, at, calendar.zones)
}

function occurrenceOfCron(
  { cron, duration_min, time_zone }: CronWindow,
  at: EpochMs,
  { nextOccurrence }: Calendar,
): Span {
  const length = duration_min * 60_000
  const from = nextOccurrence(cron, time_zone, at - length)
  return [from, from + length]
}

function oneOff({ start, end }: OneOffWindow): Span {
  return [Date.parse(start), Date.parse(end)]
}

/** The occurrence that is open at `at`, otherwise the next one. */
function occurrence(rule: RecurringWindow, at: EpochMs, zones: TimeZones): Span {
  const zone = zones(rule.time_zone)
  const [hour = 0, minute = 0] = rule.at.split(':').map(Number)
  const time_of_day = (hour * 60 + minute) * 60_000
  const length = rule.duration_min * 60_000
  const fits = daysOf(rule)
  // One day of margin on both sides: no time zone is further from UTC.
  const first = startOfDay(at - length) - DAY_MS
  const end = first + HORIZON_DAYS * DAY_MS
  for (let day = first; day < end; day += DAY_MS) {
    if (!fits(day)) continue
    const from = instantOn(day, time_of_day, zone)
    if (from + length > at) return [from, from + length]
  }
  return [end - DAY_MS, Infinity]
}

/** As {@link weekdayOf} counts them. */
export const WEEKDAYS_FROM_SUNDAY: readonly Weekday[] = [
  'sun',
  'mon',
  'tue',
  'wed',
  'thu',
  'fri',
  'sat',
]

/** Days of the week and of the month must both match: the first Sunday is a Sunday from the 1st to the 7th. */
function daysOf({ weekdays, days }: RecurringWindow): (day: number) => boolean {
  const ofWeek = WEEKDAYS_FROM_SUNDAY.map(
    (weekday) => weekdays.length === 0 || weekdays.includes(weekday),
  )
  return (day) =>
    ofWeek[weekdayOf(day)] === true &&
    (days.length === 0 || days.includes(new Date(day).getUTCDate()))
}

/** A rare window needs a search over a year of days; a `Date` takes ten times as long. */
export function weekdayOf(day: number): number {
  const since_thursday = (day / DAY_MS) % 7
  return (since_thursday + 4 + 7) % 7
}

/** The instant of a local time of day. Offsets rarely change: around most days there is one offset, which `TimeZone` caches. */
export function instantOn(day: number, time_of_day: number, zone: TimeZone): EpochMs {
  const offset = zone.offsetOf(day - DAY_MS)
  const wall = day + time_of_day
  if (offset === zone.offsetOf(day + 2 * DAY_MS)) return wall - offset
  return instantOf(wall, zone.wallClock)
}

/**
 * The instant at which the wall clock shows `wall`. An ambiguous time means the first occurrence; a skipped one is
 * read with the offset before the change (RFC 5545, 3.3.5).
 */
function instantOf(wall: number, wallClock: WallClock): EpochMs {
  const before = wall - offsetAt(wall - DAY_MS, wallClock)
  const after = wall - offsetAt(wall + DAY_MS, wallClock)
  const shown = [before, after].filter((at) => wallClock(at) === wall)
  return shown.length === 0 ? before : Math.min(...shown)
}

function offsetAt(at: EpochMs, wallClock: WallClock): number {
  return wallClock(at) - at
}

export function startOfDay(at: EpochMs): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}
