/**
 * The schemas of planned work.
 *
 * @module
 */

import type { MaintenanceView, OccurrenceView } from '../../engine/api/maintenance.ts'
import { arrayOf, flag, integer, nullable, object, record, text, time } from './schemas.ts'
import type { Schema } from './schemas.ts'

export const MAINTENANCE_VIEWS: Readonly<Record<'Maintenance' | 'Occurrence', Schema>> = {
  Maintenance: object<MaintenanceView>({
    id: integer('Positive, never used twice'),
    name: text(),
    window: record('As it was given, defaults filled in'),
    monitor_ids: arrayOf(integer()),
    tags: arrayOf(text()),
    all_monitors: flag(),
    active: flag('The window is open'),
    starts_at: nullable(time('Of the open occurrence, otherwise of the next one')),
    ends_at: nullable(time()),
    version: integer('Raised by every change; `If-Match` compares it'),
    created_at: time(),
    updated_at: time(),
  }),
  Occurrence: object<OccurrenceView>({
    maintenance_id: nullable(integer('`null` for a window of the settings of a monitor')),
    name: nullable(text()),
    starts_at: time(),
    ends_at: time(),
    active: flag('It is open'),
    skip_checks: flag('Checks pause meanwhile'),
    monitor_ids: arrayOf(integer()),
    tags: arrayOf(text()),
    all_monitors: flag('What the window covers'),
  }),
}
