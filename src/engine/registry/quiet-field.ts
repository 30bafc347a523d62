/**
 * The input format of quiet hours.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { MAX_TAG_CHARS } from '../../fields/references.ts'
import { isAlwaysQuiet } from '../../incident/quiet.ts'
import type { QuietHours } from '../../model.ts'
import { listOf, memberProblem, timeOfDay, timeZone, weekdays } from './calendar-fields.ts'

const MAX_SPANS = 14
const MAX_TAGS = 20

const span = v.strictObject(
  { from: timeOfDay('23:59'), to: timeOfDay('24:00'), weekdays },
  memberProblem,
)

const schema = v.strictObject(
  {
    time_zone: timeZone,
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
      v.picklist(['notify', 'skip'], 'invalid: one of notify, skip is expected'),
      'notify',
    ),
    except_tags: listOf(
      v.pipe(
        v.string('invalid: a string is expected'),
        v.trim(),
        v.minLength(1, `out_of_range: 1..${MAX_TAG_CHARS} characters`),
        v.maxLength(MAX_TAG_CHARS, `out_of_range: 1..${MAX_TAG_CHARS} characters`),
      ),
      MAX_TAGS,
    ),
  },
  memberProblem,
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
