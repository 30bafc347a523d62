/**
 * Maintenance of Uptime Kuma as windows of a monitor. Times are those of a time zone over there, without an offset.
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'
import { WEEKDAYS } from '../../model.ts'
import { DAY_MIN, isTimeZone, wallClockOf } from '../../model/time.ts'
import { textOf } from './index.ts'

interface Around {
  /** The time zone of the server, which maintenance may share. */
  readonly server: string
  readonly now: number
  note(this: void, what: string): void
}

/** Its windows; none, with a note, if it has no equivalent here. */
export function windowOf(row: JsonObject, { server, now, note }: Around): readonly JsonObject[] {
  if (row['active'] === 0) {
    note('maintenance that is off is left out')
    return []
  }
  const own = row['timezone']
  const named = typeof own === 'string' && own !== '' && own !== 'SAME_AS_SERVER' ? own : server
  const zone = isTimeZone(named) ? named : 'UTC'
  if (zone !== named) note(`the time zone ${named} is unknown: UTC is taken`)
  const strategy = textOf(row['strategy'])
  if (strategy === 'single') return single(row, { zone, now, note })
  if (row['end_date'] !== null && row['end_date'] !== undefined)
    note(`it ends on ${textOf(row['end_date'])} over there, and never here`)
  if (strategy === 'cron') return byCron(row, { zone, note })
  const daily = { at: clockTime(row['start_time']), duration_min: minutesOf(row) }
  if (!strategy.startsWith('recurring-') || daily.at === undefined) {
    note(
      strategy === 'manual'
        ? 'manual maintenance is left out: pause the monitors, or give them a window'
        : `maintenance of the kind ${strategy} is left out: ${textOf(row['cron'])}`,
    )
    return []
  }
  const days = listOf(row['weekdays'])
  const common = { at: daily.at, duration_min: daily.duration_min, time_zone: zone }
  if (strategy === 'recurring-weekday') {
    // In Uptime Kuma 0 is Sunday; here weeks begin on Monday.
    return [{ ...common, weekdays: days.map((day) => WEEKDAYS[(Number(day) + 6) % 7] ?? 'mon') }]
  }
  if (strategy === 'recurring-day-of-month') {
    const wanted = listOf(row['days_of_month'])
    const last = wanted.filter((day) => typeof day !== 'number')
    if (last.length > 0) note(`the days ${last.map(textOf).join(', ')} are left out`)
    const numbers = wanted.filter((day) => typeof day === 'number')
    return numbers.length === 0 ? [] : [{ ...common, days: numbers }]
  }
  if (Number(row['interval_day'] ?? 1) > 1) {
    note(
      `every ${textOf(row['interval_day'])} days is left out: windows come daily, weekly or monthly`,
    )
    return []
  }
  return [common]
}

/** Five fields over there as well; the duration in seconds. */
function byCron(
  row: JsonObject,
  { zone, note }: { readonly zone: string; note(what: string): void },
): readonly JsonObject[] {
  const cron = textOf(row['cron']).trim()
  const duration_min = Math.round(Number(row['duration']) / 60)
  if (!/^\d{1,2}(?:\s+\S+){4}$/.test(cron)) {
    note(`the window by cron "${cron}" is left out: it opens more than once in an hour`)
    return []
  }
  if (!(duration_min >= 1 && duration_min <= 7 * DAY_MIN)) {
    note(`the window by cron "${cron}" is left out: it has no length from a minute to a week`)
    return []
  }
  return [{ cron, duration_min, time_zone: zone }]
}

function single(
  row: JsonObject,
  { zone, now, note }: { readonly zone: string; readonly now: number; note(what: string): void },
): readonly JsonObject[] {
  const [start, end] = [moment(row['start_date'], zone), moment(row['end_date'], zone)]
  if (start === undefined || end === undefined || start >= end) {
    note('a window without start or end is left out')
    return []
  }
  if (end <= now) {
    note(`a window that ended on ${new Date(end).toISOString().slice(0, 10)} is left out`)
    return []
  }
  return [{ start: new Date(start).toISOString(), end: new Date(end).toISOString() }]
}

/** `2026-05-04 22:00:00` of a time zone, in epoch milliseconds. */
function moment(value: Json | undefined, zone: string): number | undefined {
  const text = typeof value === 'string' ? value.replace(' ', 'T').replace(/Z$/, '') : ''
  const local = Date.parse(`${text.length === 16 ? `${text}:00` : text}Z`)
  if (Number.isNaN(local)) return undefined
  const wall = wallClockOf(zone)
  // Twice: the offset of the first guess may be that before a change of the clocks.
  const guess = local - (wall(local) - local)
  return local - (wall(guess) - guess)
}

function clockTime(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? /^\d\d:\d\d/.exec(value)?.[0] : undefined
}

function minutesOf(row: JsonObject): number {
  const [from, to] = [row['start_time'], row['end_time']].map((value) => {
    const [hours = 0, minutes = 0] = (clockTime(value) ?? '0:0').split(':').map(Number)
    return hours * 60 + minutes
  })
  const minutes = (to ?? 0) - (from ?? 0)
  return minutes > 0 ? minutes : minutes + DAY_MIN
}

function listOf(value: Json | undefined): readonly Json[] {
  try {
    const list = typeof value === 'string' ? (JSON.parse(value) as unknown) : []
    return Array.isArray(list) ? (list as readonly Json[]) : []
  } catch {
    return []
  }
}
