/**
 * Quiet hours of a contact: whether a time is within them, and when they end. Times of day are those of the
 * contact's time zone, across changes of its offset: a time that a change skips is read with the offset before
 * it, and one that occurs twice is the first (RFC 5545, 3.3.5), as for maintenance windows.
 *
 * @module
 */

import type { EpochMs, QuietHours, QuietSpan } from '../model.ts'
import { DAY_MS, timeZones } from '../model/time.ts'
import type { TimeZone, TimeZones } from '../model/time.ts'
import { instantOn, startOfDay, weekdayOf, WEEKDAYS_FROM_SUNDAY } from './maintenance.ts'

/** Spans that follow on each other without a pause; a valid contact has fewer in any week. */
const MAX_IN_A_ROW = 400

/** When the quiet time that `at` is in ends; `null` outside of it. */
export function quietUntil(
  { time_zone, hours }: Pick<QuietHours, 'time_zone' | 'hours'>,
  at: EpochMs,
  zones: TimeZones = timeZones(),
): EpochMs | null {
  const zone = zones(time_zone)
  let until = at
  for (let step = 0; step < MAX_IN_A_ROW; step++) {
    const next = Math.max(...hours.map((span) => endOf(span, until, zone)))
    if (next <= until) break
    until = next
  }
  return until === at ? null : until
}

/** The end of the occurrence that `at` is in; `at` outside of any. */
function endOf(span: QuietSpan, at: EpochMs, zone: TimeZone): EpochMs {
  const from = minutesOf(span.from)
  const to = minutesOf(span.to)
  const next_day = to <= from ? DAY_MS : 0
  const today = startOfDay(at)
  // One day of margin on both sides, since no time zone is further from UTC, and one for the night.
  for (let day = today - 2 * DAY_MS; day <= today + DAY_MS; day += DAY_MS) {
    const weekday = WEEKDAYS_FROM_SUNDAY[weekdayOf(day)]
    if (span.weekdays.length > 0 && !span.weekdays.some((each) => each === weekday)) continue
    const begins = instantOn(day, from * 60_000, zone)
    const ends = instantOn(day + next_day, to * 60_000, zone)
    if (begins <= at && at < ends) return ends
  }
  return at
}

/** `24:00` is the end of the day. */
function minutesOf(text: string): number {
  const [hour = 0, minute = 0] = text.split(':').map(Number)
  return hour * 60 + minute
}

const WEEK_MIN = 7 * 1440

/** Whether the spans leave no minute of a week. */
export function isAlwaysQuiet(hours: readonly QuietSpan[]): boolean {
  const covered = new Set<number>()
  for (const { from, to, weekdays } of hours) {
    const begin = minutesOf(from)
    const end = minutesOf(to)
    const length = end <= begin ? end + 1440 - begin : end - begin
    for (const [day, weekday] of WEEKDAYS_FROM_SUNDAY.entries()) {
      if (weekdays.length > 0 && !weekdays.includes(weekday)) continue
      for (let minute = 0; minute < length; minute++)
        covered.add((day * 1440 + begin + minute) % WEEK_MIN)
    }
  }
  return covered.size === WEEK_MIN
}
