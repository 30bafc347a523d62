/**
 * The settings of planned work: one maintenance window for several monitors.
 *
 * @module
 */

import { idField, tagField } from '../../fields/references.ts'
import { field } from '../../fields/vocabulary.ts'
import type { FieldTable } from '../../fields/field.ts'
import { maintenanceWindow } from './window-field.ts'
import { MAX_TAGS } from './monitor-fields.ts'

/** Each is looked up when the window is stored. */
const MAX_MONITORS = 200

export const MAINTENANCE_FIELDS = {
  name: field
    .text({ description: 'What is done; public pages show it', max: 200, trim: true })
    .required(),
  window: maintenanceWindow().required(),
  monitor_ids: field
    .list(idField(), {
      description: 'Monitors',
      max: MAX_MONITORS,
    })
    .default([]),
  tags: field
    .list(tagField(), {
      description: 'Every monitor with one of these tags; a string with commas is accepted as well',
      max: MAX_TAGS,
      commas: true,
    })
    .default([]),
  all_monitors: field.flag({ description: 'Every monitor of the account' }).default(false),
} satisfies FieldTable
