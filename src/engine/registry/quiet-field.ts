/**
 * The input format of quiet hours.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { isAlwaysQuiet } from '../../incident/quiet.ts'
import { WEEKDAYS } from '../../model.ts'
import type { QuietHours } from '../../model.ts'
import { isTimeZone } from '../../model/time.ts'

const MAX_SPANS = 14
const MAX_TAGS = 20
const MAX_TAG_CHARS = 50

function timeOfDay(pattern: RegExp) {
  return v.pipe(
    v.string('invalid: a time of day is expected'),
    v.regex(pattern, 'invalid: HH:MM is expected'),
  )
}

const span = v.strictObject(
  {
    from: timeOfDay(/^(?:[01]\d|2[0-3]):[0-5]\d$/),
    to: timeOfDay(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/),
    weekdays: v.optional(
      v.pipe(
        v.array(
          v.picklist(WEEKDAYS, `invalid: one of ${WEEKDAYS.join(', ')} is expected`),
          'invalid: an array is expected',
        ),
        v.maxLength(WEEKDAYS.length, `out_of_range: 0..${WEEKDAYS.length} items`),
      ),
      [],
    ),
  },
  strict,
)

const schema = v.strictObject(
  {
    time_zone: v.pipe(
      v.string('invalid: a time zone is expected'),
      v.check(isTimeZone, 'invalid: an IANA time zone is expected, such as Europe/Berlin'),
    ),
    hours: v.pipe(
      v.array(span, 'invalid: an array is expected'),
      v.minLength(1, `out_of_range: 1..${MAX_SPANS} items`),
      v.maxLength(MAX_SPANS, `out_of_range: 1..${MAX_SPANS} items`),
      v.check((hours) => !isAlwaysQuiet(hours), 'invalid: they leave no minute of the week'),
    ),
    during: v.optional(
      v.picklist(['wait', 'drop'], 'invalid: one of wait, drop is expected'),
      'wait',
    ),
    ended: v.optional(
      v.picklist(['tell', 'skip'], 'invalid: one of tell, skip is expected'),
      'tell',
    ),
    except_tags: v.optional(
      v.pipe(
        v.array(
          v.pipe(
            v.string('invalid: a string is expected'),
            v.trim(),
            v.minLength(1, `out_of_range: 1..${MAX_TAG_CHARS} characters`),
            v.maxLength(MAX_TAG_CHARS, `out_of_range: 1..${MAX_TAG_CHARS} characters`),
          ),
          'invalid: an array is expected',
        ),
        v.maxLength(MAX_TAGS, `out_of_range: 0..${MAX_TAGS} items`),
      ),
      [],
    ),
  },
  strict,
)

/** `{ time_zone, hours: [{ from, to, weekdays? }], during?, ended?, except_tags? }`. */
export function quietField(): FieldBuilder<QuietHours> {
  return defineField<QuietHours>(
    {
      kind: 'object',
      description: 'Hours and days in which notifications wait or are dropped',
      format: 'quiet_hours',
    },
    schema,
  )
}

function strict({ expected }: { readonly expected: string | null }): string {
  return expected === 'never' ? 'unknown_field' : 'required'
}
