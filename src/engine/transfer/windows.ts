/**
 * Planned work of an account in an export, and in the account that takes it in.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../fields/parse.ts'
import type { JsonObject, MaintenanceSettings } from '../../model.ts'
import type { Core } from '../core/core.ts'
import { MAINTENANCE_FIELDS } from '../registry/maintenance-fields.ts'
import type { ServiceContext } from '../services/service-context.ts'
import { freeRows, rowsOf, storeRow } from './account-rows.ts'
import type { FreeRows } from './account-rows.ts'
import { jsonLine } from './lines.ts'
import type { LineOf } from './lines.ts'
import { requireExported } from './read-records.ts'

export async function* windowLines(
  core: Core,
  account_id: number,
  monitors: ReadonlySet<number>,
): AsyncGenerator<string> {
  for await (const { id, settings, created_at } of rowsOf(core.store.maintenance, account_id)) {
    const monitor_ids = settings.monitor_ids.filter((monitor) => monitors.has(monitor))
    const known = { ...settings, monitor_ids } as unknown as JsonObject
    yield jsonLine('maintenance', { id, created_at: iso(created_at), settings: known })
  }
}

/** @throws ValidationError, also for a monitor that is not in the export */
export function readWindow(
  { settings }: LineOf<'maintenance'>,
  monitors: { has(id: number): boolean },
): MaintenanceSettings {
  const parsed = parse(MAINTENANCE_FIELDS, settings)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  requireExported(parsed.value.monitor_ids, monitors, { field: 'monitor_ids', what: 'monitor' })
  return parsed.value
}

/**
 * Windows of the account. Those for single monitors are of an import that was interrupted, or cover nothing any more,
 * since the account had no monitors.
 */
export function windowsHere(
  { store }: Core,
  account_id: number,
  resumes: boolean,
): Promise<FreeRows<MaintenanceSettings>> {
  const isFree = ({ monitor_ids }: MaintenanceSettings): boolean =>
    resumes || monitor_ids.length === 0
  return freeRows(settingsOf(store, account_id), keyOf, isFree)
}

async function* settingsOf(
  { maintenance }: Core['store'],
  account_id: number,
): AsyncGenerator<MaintenanceSettings> {
  for await (const { settings } of rowsOf(maintenance, account_id)) yield settings
}

/** Ids of monitors are others here. */
function keyOf({ name, window, tags, all_monitors, monitor_ids }: MaintenanceSettings): string {
  return JSON.stringify([name, window, tags, all_monitors, monitor_ids.length])
}

interface Storing {
  readonly context: ServiceContext
  readonly account_id: number
  /** How many windows the account may have. */
  readonly max: number
}

/** @throws ConflictError `quota` */
export async function storeWindow(
  { context, account_id, max }: Storing,
  settings: MaintenanceSettings,
  created_at: number,
): Promise<void> {
  const { core, accountWindows } = context
  const made = await storeRow({ context, account_id }, core.store.maintenance, {
    resource: 'maintenance',
    name: settings.name,
    settings,
    created_at,
    max,
  })
  accountWindows.put(made.id, made)
}
