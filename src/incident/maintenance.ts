/**
 * Planned work: whether one of a monitor's windows is open, and when that changes next. Recurring windows
 * begin at a time of day of their own time zone, whatever the clocks there do.
 *
 * @module
 */

import type {
  EpochMs,
  MaintenanceWindow,
  OneOffWindow,
  RecurringWindow,
  Weekday,
} from '../model.ts'
import { wallClockOf } from '../model/time-zone.ts'
import type { WallClock } from '../model/time-zone.ts'

const DAY_MS = 86_400_000
/** A rule that fits no day for so long (the 31st of February) is looked at again then. */
const HORIZON_DAYS = 400

export interface Maintenance {
  readonly active: boolean
  /** An open window asks for no checks at all. */
  readonly skip_checks: boolean
  /** The answer holds until then; `null` for ever. */
  readonly changes_at: EpochMs | null
}

/** Begin and end of one window, the end not included. */
type Span = readonly [from: EpochMs, to: EpochMs]

export function maintenanceAt(windows: readonly MaintenanceWindow[], at: EpochMs): Maintenance {
  let skip_checks = false
  let active = false
  let changes_at: EpochMs | null = null
  for (const window of windows) {
    const [from, to] = 'start' in window ? oneOff(window) : occurrence(window, at)
    if (to <= at) continue
    const open = from <= at
    active ||= open
    skip_checks ||= open && window.skip_checks
    changes_at = Math.min(changes_at ?? Infinity, open ? to : from)
  }
  return { active, skip_checks, changes_at }
}

function oneOff({ start, end }: OneOffWindow): Span {
  return [Date.parse(start), Date.parse(end)]
}

/** The occurrence that is open at `at`, else the next one. */
function occurrence(rule: RecurringWindow, at: EpochMs): Span {
  const wallClock = wallClockOf(rule.time_zone)
  const [hour = 0, minute = 0] = rule.at.split(':').map(Number)
  const length = rule.duration_min * 60_000
  // A day of slack on both sides: no time zone is further from UTC than that.
  const first = startOfDay(at - length) - DAY_MS
  for (let day = first; day <= first + HORIZON_DAYS * DAY_MS; day += DAY_MS) {
    if (!fits(rule, day)) continue
    const from = instantOf(day + (hour * 60 + minute) * 60_000, wallClock)
    if (from + length > at) return [from, from + length]
  }
  return [at + HORIZON_DAYS * DAY_MS, Infinity]
}

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Days of the week and of the month both have to fit: the first Sunday is a Sunday from the 1st to the 7th. */
function fits({ weekdays, days }: RecurringWindow, day: number): boolean {
  const date = new Date(day)
  const weekday = WEEKDAYS[date.getUTCDay()]
  return (
    (weekdays.length === 0 || weekdays.some((one) => one === weekday)) &&
    (days.length === 0 || days.includes(date.getUTCDate()))
  )
}

/**
 * When the wall clock shows `wall`. A time that comes twice means the first; one that is skipped is read
 * with the offset from before the change (RFC 5545, 3.3.5).
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

function startOfDay(at: EpochMs): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}
