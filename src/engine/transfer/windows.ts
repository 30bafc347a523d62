/**
 * Planned work of an account in an export, and in the account that takes it in.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { ValidationError } from '../../errors.ts'
import { parse } from '../../fields/parse.ts'
import type { JsonObject, MaintenanceRecord, MaintenanceSettings } from '../../model.ts'
import { announceAudit } from '../announce/audit.ts'
import type { Core } from '../core/core.ts'
import { MOST_WINDOWS } from '../monitors/account-windows.ts'
import { MAINTENANCE_FIELDS } from '../registry/maintenance-fields.ts'
import { auditRecord } from '../services/audit.ts'
import type { Parts } from '../services/parts.ts'
import { written } from './lines.ts'
import type { LineOf } from './lines.ts'

const PAGE = 50

export async function* windowLines(
  core: Core,
  account_id: number,
  monitors: ReadonlySet<number>,
): AsyncGenerator<string> {
  for await (const { id, settings, created_at } of recordsOf(core, account_id)) {
    const monitor_ids = settings.monitor_ids.filter((monitor) => monitors.has(monitor))
    const known = { ...settings, monitor_ids } as unknown as JsonObject
    yield written('maintenance', { id, created_at: iso(created_at), settings: known })
  }
}

/** @throws ValidationError, also for a monitor that is not in the export */
export function readWindow(
  { settings }: LineOf<'maintenance'>,
  monitors: { has(id: number): boolean },
): MaintenanceSettings {
  const parsed = parse(MAINTENANCE_FIELDS, settings)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const stranger = parsed.value.monitor_ids.find((id) => !monitors.has(id))
  if (stranger === undefined) return parsed.value
  throw new ValidationError({
    monitor_ids: `invalid: there is no monitor ${stranger} in the export`,
  })
}

export interface FreeWindows {
  /** Whether the account has this window, which then stands for no other one. */
  take(settings: MaintenanceSettings): boolean
  /** Windows of the account. */
  readonly size: number
}

/**
 * Windows of the account. Those for single monitors are of an import that was interrupted, or cover nothing any more,
 * since the account had no monitors.
 */
export async function windowsHere(
  core: Core,
  account_id: number,
  goesOn: boolean,
): Promise<FreeWindows> {
  const free = new Map<string, number>()
  let size = 0
  for await (const { settings } of recordsOf(core, account_id)) {
    size++
    if (goesOn || settings.monitor_ids.length === 0)
      free.set(keyOf(settings), (free.get(keyOf(settings)) ?? 0) + 1)
  }
  return {
    size,
    take(settings) {
      const key = keyOf(settings)
      const left = free.get(key) ?? 0
      if (left > 0) free.set(key, left - 1)
      return left > 0
    },
  }
}

export interface WindowCount {
  add(settings: MaintenanceSettings): Promise<void>
  /** Windows that an import adds. */
  readonly added: number
  /** How many the account then has; 0 if none is added. */
  readonly use: number
}

export function createWindowCount(
  core: Core,
  account_id: number,
  goesOn: () => boolean,
): WindowCount {
  let here: FreeWindows | undefined
  let added = 0
  return {
    async add(settings) {
      here ??= await windowsHere(core, account_id, goesOn())
      if (!here.take(settings)) added++
    },
    get added() {
      return added
    },
    get use() {
      return added === 0 ? 0 : added + (here?.size ?? 0)
    },
  }
}

/** Ids of monitors are others here. */
function keyOf({ name, window, tags, all_monitors, monitor_ids }: MaintenanceSettings): string {
  return JSON.stringify([name, window, tags, all_monitors, monitor_ids.length])
}

interface Storing {
  readonly parts: Parts
  readonly account_id: number
  /** How many the account may have. */
  readonly most: number | null
}

/** @throws ConflictError `quota` */
export async function storeWindow(
  { parts, account_id, most }: Storing,
  settings: MaintenanceSettings,
  created_at: number,
): Promise<void> {
  const { core, accountWindows } = parts
  const now = core.clock.now()
  const { name } = settings
  const audit = auditRecord(parts, { resource: 'maintenance', action: 'created', name })
  const made = await core.store.maintenance.create(
    { account_id, settings, created_at: Math.min(created_at, now), updated_at: now },
    most ?? MOST_WINDOWS,
    audit,
  )
  announceAudit(core, audit, made)
  accountWindows.put(made.id, made)
}

async function* recordsOf(core: Core, account_id: number): AsyncGenerator<MaintenanceRecord> {
  for (let after_id = 0; ;) {
    const page = await core.store.maintenance.list({ account_id, after_id, limit: PAGE })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after_id = last.id
  }
}
