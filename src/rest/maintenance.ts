/**
 * Planned work: maintenance windows for several monitors. An extension of the specification.
 *
 * @module
 */

import type { MaintenanceInput } from '../engine/api/maintenance.ts'
import { MAINTENANCE_FIELDS } from '../engine/registry/maintenance-fields.ts'
import { jsonSchema } from '../fields/describe.ts'
import { ok } from './envelope.ts'
import { ifMatch, unlessKnown, versionedReply } from './etag.ts'
import { arrayOf, nullable, object, patchSchema, ref, text } from './openapi/schemas.ts'
import type { Schema } from './openapi/schemas.ts'
import { operation } from './operation.ts'
import { cursorOf, paged, paging, param } from './query.ts'

const tag = 'Maintenance'

export const listMaintenance = operation({
  summary: 'Lists maintenance windows of the account, oldest first',
  scope: 'maintenance:read',
  tag,
  query: {
    monitor_id: param.id('Those that cover this monitor'),
    active: param.flag('Open windows only, or the others only'),
    ...paging('maintenance'),
  },
  answers: { 200: { maintenance: arrayOf('Maintenance'), next_cursor: nullable(text()) } },
  refusals: [404],
  async run({ scope }, query) {
    const { items, next } = await scope.maintenance.list(paged(query))
    return ok({ maintenance: items, next_cursor: cursorOf('maintenance', next) })
  },
})

export const createMaintenance = operation({
  summary: 'Creates a maintenance window for monitors by id, by tag, or for all',
  description:
    '`window` has one of three forms: `{ start, end }`, `{ cron, duration_min, time_zone }` or `{ at, duration_min, time_zone, weekdays, days }`, each with `skip_checks`.',
  scope: 'maintenance:write',
  tag,
  body: 'MaintenanceCreate',
  answers: { 201: { maintenance: ref('Maintenance') } },
  refusals: [409, 501],
  versioned: true,
  repeatable: true,
  async run({ scope, body, host }) {
    // The engine validates the input; until then it only has the shape of a `MaintenanceInput`.
    const maintenance = await scope.maintenance.create(body as unknown as MaintenanceInput)
    const Location = `${host.base_path}/api/v1/maintenance/${maintenance.id}`
    return versionedReply({ maintenance }, { status: 201, headers: { Location } })
  },
})

export const listOccurrences = operation({
  summary: 'What is planned: occurrences that are open or begin soon, by their start',
  scope: 'maintenance:read',
  tag,
  query: {
    days: param.integer({ description: 'How far ahead', min: 1, max: 366, fallback: 30 }),
    monitor_id: param.id('Of this monitor, with the windows of its own settings'),
    limit: param.integer({ description: 'Items', min: 1, max: 200, fallback: 50 }),
  },
  answers: { 200: { occurrences: arrayOf('Occurrence') } },
  refusals: [404],
  async run({ scope }, query) {
    return ok({ occurrences: await scope.maintenance.upcoming(query) })
  },
})

export const showMaintenance = operation({
  summary: 'One maintenance window with its open or next occurrence',
  scope: 'maintenance:read',
  tag,
  answers: { 200: { maintenance: ref('Maintenance') } },
  versioned: true,
  async run({ scope, id, request }) {
    const maintenance = await scope.maintenance.get(id)
    return unlessKnown(versionedReply({ maintenance }), request)
  },
})

export const updateMaintenance = operation({
  summary: 'Changes the fields that are sent, also of an open window',
  description: '`null` resets a field to its default; `window` and lists are replaced as a whole.',
  scope: 'maintenance:write',
  tag,
  body: 'MaintenanceUpdate',
  answers: { 200: { maintenance: ref('Maintenance') } },
  refusals: [409],
  versioned: true,
  async run(call) {
    const { scope, id, body } = call
    return versionedReply({
      maintenance: await scope.maintenance.update(id, body, await ifMatch(call, 'maintenance')),
    })
  },
})

export const deleteMaintenance = operation({
  summary: 'Deletes the maintenance window; an open one ends',
  scope: 'maintenance:write',
  tag,
  answers: { 200: { deleted: object({ id: { type: 'integer' } }) } },
  refusals: [409],
  versioned: true,
  async run(call) {
    await call.scope.maintenance.remove(call.id, await ifMatch(call, 'maintenance'))
    return ok({ deleted: { id: call.id } })
  },
})

export const MAINTENANCE_INPUTS: Readonly<
  Record<'MaintenanceCreate' | 'MaintenanceUpdate', Schema>
> = {
  MaintenanceCreate: jsonSchema(MAINTENANCE_FIELDS),
  MaintenanceUpdate: patchSchema(MAINTENANCE_FIELDS),
}
