/**
 * Parts that quiet hours and maintenance windows have in common: time zone, weekdays, time of day, lists.
 *
 * @module
 */

import * as v from 'valibot'
import { WEEKDAYS } from '../../model.ts'
import { isTimeZone } from '../../model/time.ts'

export const timeZone = v.pipe(
  v.string('invalid: a time zone is expected'),
  v.check(isTimeZone, 'invalid: an IANA time zone is expected, such as Europe/Berlin'),
)

/** Default: none. */
export const weekdays = listOf(
  v.picklist(WEEKDAYS, `invalid: one of ${WEEKDAYS.join(', ')} is expected`),
  WEEKDAYS.length,
)

/** From 00:00 to 23:59, or to 24:00 for the end of a day. */
export function timeOfDay(last: '23:59' | '24:00'): v.GenericSchema<string> {
  const pattern =
    last === '23:59' ? /^(?:[01]\d|2[0-3]):[0-5]\d$/ : /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/
  return v.pipe(
    v.string('invalid: a time of day is expected'),
    v.regex(pattern, 'invalid: HH:MM is expected'),
  )
}

/** Default: empty. */
export function listOf<const S extends v.GenericSchema>(
  item: S,
  max: number,
): v.GenericSchema<v.InferInput<S>[] | undefined, v.InferOutput<S>[]> {
  return v.optional(
    v.pipe(
      v.array(item, 'invalid: an array is expected'),
      v.maxLength(max, `out_of_range: 0..${max} items`),
    ),
    [],
  )
}

/** The message of a strict object for a member that is missing, or that it does not have. */
export function memberProblem({ expected }: { readonly expected: string | null }): string {
  return expected === 'never' ? 'unknown_field' : 'required'
}
