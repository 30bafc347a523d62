/**
 * The fields of every contact besides those of its kind.
 *
 * @module
 */

import type { FieldTable } from '../../fields/field.ts'
import { field } from '../../fields/vocabulary.ts'
import { SOFT_EVENTS } from '../../model.ts'
import { quietField } from './quiet-field.ts'

export const contactFields = {
  name: field.text({ description: 'Name', max: 200, trim: true }).required(),
  all_monitors: field
    .flag({ description: 'Receives the notifications of every monitor of the account' })
    .default(false),
  quiet: quietField(),
  group_window_sec: field
    .integer({
      description: 'Notifications of this time go out as one message; 0: each by itself',
      min: 0,
      max: 3600,
      unit: 'seconds',
    })
    .default(0),
  events: field
    .list(field.oneOf(SOFT_EVENTS, { description: 'Event' }), {
      description: 'Soft events of which it is notified as well',
      max: SOFT_EVENTS.length,
    })
    .default([]),
} satisfies FieldTable
