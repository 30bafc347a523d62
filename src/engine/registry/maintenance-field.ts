/**
 * The input format of a maintenance window.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { WEEKDAYS } from '../../model.ts'
import type { MaintenanceWindow } from '../../model.ts'
import { isTimeZone } from '../../model/time.ts'
import { isJsonObject } from '../../model/json.ts'

const WEEK_MIN = 7 * 1440

function whole(min: number, max: number) {
  return v.pipe(
    v.number('invalid: an integer is expected'),
    v.integer('invalid: an integer is expected'),
    v.check((n) => n >= min && n <= max, `out_of_range: ${min}..${max}`),
  )
}

function listOf<const S extends v.GenericSchema>(item: S, max: number) {
  return v.optional(
    v.pipe(
      v.array(item, 'invalid: an array is expected'),
      v.maxLength(max, `out_of_range: 0..${max} items`),
    ),
    [],
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
  v.strictObject({ start: moment, end: moment, skip_checks }, strict),
  v.forward(
    v.check(({ start, end }) => start < end, 'out_of_range: must be after start'),
    ['end'],
  ),
)

const recurring = v.strictObject(
  {
    at: v.pipe(
      v.string('invalid: a time of day is expected'),
      v.regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'invalid: HH:MM is expected'),
    ),
    duration_min: whole(1, WEEK_MIN),
    time_zone: v.optional(
      v.pipe(
        v.string('invalid: a time zone is expected'),
        v.check(isTimeZone, 'invalid: an IANA time zone is expected, such as Europe/Berlin'),
      ),
      'UTC',
    ),
    weekdays: listOf(
      v.picklist(WEEKDAYS, `invalid: one of ${WEEKDAYS.join(', ')} is expected`),
      WEEKDAYS.length,
    ),
    days: listOf(whole(1, 31), 31),
    skip_checks,
  },
  strict,
)

/** `{ start, end }` for one occurrence, or `{ at, duration_min, time_zone?, weekdays?, days? }` for recurring ones. */
export function maintenanceWindow(): FieldBuilder<MaintenanceWindow> {
  const schema = v.pipe(
    v.custom<object>(isJsonObject, 'invalid: an object is expected'),
    v.lazy((window) =>
      typeof window === 'object' && window !== null && ('start' in window || 'end' in window)
        ? oneOff
        : recurring,
    ),
  )
  return defineField<MaintenanceWindow>(
    { kind: 'object', description: 'Window of planned work', format: 'maintenance_window' },
    schema,
  )
}

function strict({ expected }: { readonly expected: string | null }): string {
  return expected === 'never' ? 'unknown_field' : 'required'
}
