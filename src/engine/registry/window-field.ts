/**
 * The input format of a maintenance window.
 *
 * @module
 */

import * as v from 'valibot'
import { cronExpression, firstOccurrences } from '../../fields/cron.ts'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import type { CronWindow, MaintenanceWindow } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { listOf, memberProblem, timeOfDay, timeZone, weekdays } from './calendar-fields.ts'
import { DAY_MIN } from '../../model/time.ts'

const WEEK_MIN = 7 * DAY_MIN

function whole(min: number, max: number) {
  return v.pipe(
    v.number('invalid: an integer is expected'),
    v.integer('invalid: an integer is expected'),
    v.check((n) => n >= min && n <= max, `out_of_range: ${min}..${max}`),
  )
}

const skip_checks = v.optional(v.boolean('invalid: true or false is expected'), false)

/** An offset is required, since the server's own time zone is never what a user means. */
const moment = v.pipe(
  v.string('invalid: a time is expected'),
  v.regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/,
    'invalid: an ISO 8601 time with a zone is expected, such as 2026-12-24T22:00:00Z',
  ),
  v.check((text) => !Number.isNaN(Date.parse(text)), 'invalid: there is no such time'),
  v.transform((text) => new Date(text).toISOString()),
)

const oneOff = v.pipe(
  v.strictObject({ start: moment, end: moment, skip_checks }, memberProblem),
  v.forward(
    v.check(({ start, end }) => start < end, 'out_of_range: must be after start'),
    ['end'],
  ),
)

const duration_min = whole(1, WEEK_MIN)

const time_zone = v.optional(timeZone, 'UTC')

/** Each opening and closing is a change of every monitor that the window covers. */
const cron = v.pipe(
  cronExpression,
  v.check(
    (text) => /^(?:@|\d{1,2}\s)/.test(text),
    'out_of_range: at most once in an hour: a single minute is expected, such as "0 3 * * *"',
  ),
)

const byCron = v.pipe(
  v.strictObject({ cron, duration_min, time_zone, skip_checks }, memberProblem),
  v.forward(
    v.check(
      (window) => isShorterThanGaps(window),
      'out_of_range: must be less than the time between two occurrences',
    ),
    ['duration_min'],
  ),
)

/** No expression of a single minute has a shorter one. */
const SHORTEST_GAP_MIN = 60

/**
 * Occurrences that are compared; finding each takes up to a tenth of a millisecond. Of thirteen hours of a day two
 * follow each other, and twelve of which none do so are every other hour, across midnight as well.
 */
const COMPARED = 13

function isShorterThanGaps({
  cron,
  duration_min,
}: Pick<CronWindow, 'cron' | 'duration_min'>): boolean {
  return duration_min < SHORTEST_GAP_MIN || duration_min < shortestGap(cron)
}

/** The shortest time between two of the first occurrences, in minutes. */
function shortestGap(cron: string): number {
  const times = firstOccurrences(cron, COMPARED)
  const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 60_000)
  return Math.min(...gaps)
}

const recurring = v.strictObject(
  {
    at: timeOfDay('23:59'),
    duration_min,
    time_zone,
    weekdays,
    days: listOf(whole(1, 31), 31),
    skip_checks,
  },
  memberProblem,
)

/**
 * `{ start, end }` for one occurrence; `{ cron, duration_min, time_zone? }` or
 * `{ at, duration_min, time_zone?, weekdays?, days? }` for recurring ones.
 */
export function maintenanceWindow(): FieldBuilder<MaintenanceWindow> {
  const schema = v.pipe(
    v.custom<object>(isJsonObject, 'invalid: an object is expected'),
    v.lazy((window) => formOf(window as object)),
  )
  return defineField<MaintenanceWindow>(
    { kind: 'object', description: 'Maintenance window', format: 'maintenance_window' },
    schema,
  )
}

function formOf(window: object): typeof oneOff | typeof byCron | typeof recurring {
  if ('start' in window || 'end' in window) return oneOff
  return 'cron' in window && !('at' in window) ? byCron : recurring
}
