/**
 * Planned work of one account: windows for several monitors.
 *
 * @module
 */

import { iso, yielderOf } from '../../clock.ts'
import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts'
import { merge } from '../../fields/merge.ts'
import { parse } from '../../fields/parse.ts'
import { addProblem, problemAt } from '../../fields/problems.ts'
import type { EpochMs, JsonObject, MaintenanceRecord, MaintenanceSettings } from '../../model.ts'
import { sameJson } from '../../model/json.ts'
import { DAY_MS } from '../../model/time.ts'
import type { MaintenanceServices, MaintenanceView } from '../api/maintenance.ts'
import { announceAudit } from '../announce/audit.ts'
import { publishMaintenance } from '../announce/published.ts'
import { MAINTENANCE_FIELDS } from '../registry/maintenance-fields.ts'
import type { AccountWindow } from '../monitors/account-windows.ts'
import { MAX_WINDOWS } from '../monitors/account-windows.ts'
import { auditRecord } from './audit.ts'
import { maintenanceFilter, previewOptions, upcomingOptions } from './filters.ts'
import { upcomingOf } from './occurrences.ts'
import { pageOf } from './paging.ts'
import type { ServiceContext } from './service-context.ts'
import { quotasOf } from './quotas.ts'
import { readFilter } from './read-filter.ts'
import { distinct } from './validate-input.ts'
import { settingsFrom, versionedRecords } from './versioned-records.ts'
import { setAside } from '../core/damaged-rows.ts'

/** Bounds of a one-off window. */
const LONGEST_DAYS = 90
const FURTHEST_DAYS = 731
/** A one-off window is kept this long after its end. */
const KEPT_DAYS = 30

/** Fields of a view that a client may send back unchanged. */
const READ_ONLY = ['id', 'active', 'starts_at', 'ends_at', 'version', 'created_at', 'updated_at']

export function maintenanceOfAccount(
  context: ServiceContext,
  account_id: number,
): MaintenanceServices {
  const { core, accountWindows, ready } = context
  const { store, clock } = core

  const records = versionedRecords<MaintenanceSettings>(context, account_id, {
    rows: store.maintenance,
    resource: 'maintenance',
    noun: 'maintenance window',
    fields: MAINTENANCE_FIELDS,
    nameOf: ({ name }) => name,
    comparable: (settings) => settings as unknown as JsonObject,
  })

  function stored(record: MaintenanceRecord): MaintenanceView {
    accountWindows.put(record.id, record)
    const window = accountWindows.get(record.id)
    // Another request removed it meanwhile.
    if (window === undefined) throw new NotFoundError('maintenance')
    return viewOf(window, clock.now())
  }

  /** Makes room: a window for every deployment would otherwise fill the account. Returns how many were removed. */
  async function dropOld(now: EpochMs): Promise<number> {
    let dropped = 0
    const rows = await store.maintenance.list(
      { account_id, limit: MAX_WINDOWS },
      setAside(core, 'window'),
    )
    for (const { id, version, settings } of rows) {
      if (!('start' in settings.window)) continue
      if (Date.parse(settings.window.end) > now - KEPT_DAYS * DAY_MS) continue
      // Nobody asked for it: the entry names no actor.
      const { name } = settings
      const entry = { resource: 'maintenance', action: 'deleted', name } as const
      const audit = auditRecord({ core, actor: null }, entry)
      if (!(await store.maintenance.remove(id, version, audit))) continue
      announceAudit(core, audit, { id, account_id })
      accountWindows.put(id, undefined)
      dropped++
    }
    return dropped
  }

  return {
    async create(input) {
      await ready()
      const settings = await validSettings(context, {
        account_id,
        input: settingsFrom(input, READ_ONLY),
      })
      const { maintenance_windows } = await quotasOf(core, account_id)
      const create = () => records.create(settings, maintenance_windows)
      const created = await create().catch(async (error: unknown) => {
        const isFull = error instanceof ConflictError && error.code === 'quota'
        if (isFull && (await dropOld(clock.now())) > 0) return create()
        throw error
      })
      const view = stored(created)
      await publishMaintenance(core, { account_id, view, change: 'maintenance_planned' })
      return view
    },
    async preview(given, options) {
      const { against } = readFilter(previewOptions, options)
      await ready()
      const before = against === undefined ? undefined : (await records.own(against)).settings
      const input = settingsFrom(given, READ_ONLY)
      const settings = await validSettings(context, { account_id, input, before, may_end: true })
      const [from, to] = [before, settings] as unknown as [JsonObject | undefined, JsonObject]
      const names = Object.keys(from ?? {}).filter((name) => !sameJson(from?.[name], to[name]))
      return {
        settings: to,
        changes: names.map((field) => ({
          field,
          from: from?.[field] ?? null,
          to: to[field] ?? null,
        })),
        ended: hasEnded(settings.window, clock.now()),
      }
    },
    async get(id) {
      const record = await records.own(id)
      await accountWindows.ready(account_id)
      return stored(record)
    },
    async list(given) {
      await ready()
      const { limit = 50, after = 0, monitor_id, active } = readFilter(maintenanceFilter, given)
      await accountWindows.ready(account_id)
      const now = clock.now()
      const among =
        monitor_id === undefined
          ? accountWindows.of(account_id)
          : accountWindows.covering((await ownMonitor(context, account_id, monitor_id)).record)
      const found = [...among]
        .filter(({ record }) => record.id > after)
        .filter(({ span }) => active === undefined || active === isOpen(span, now))
        .toSorted((a, b) => a.record.id - b.record.id)
      return pageOf(
        found.slice(0, limit + 1).map((window) => viewOf(window, now)),
        limit,
      )
    },
    async update(id, patch, options) {
      const given = settingsFrom(patch, READ_ONLY)
      let before: JsonObject = {}
      const updated = await records.update(id, options, ({ settings }) => {
        before = settings as unknown as JsonObject
        const input = merge(MAINTENANCE_FIELDS, before, given)
        return validSettings(context, { account_id, input, before: settings })
      })
      const view = stored(updated)
      if (!sameJson(before, updated.settings as unknown as JsonObject))
        await publishMaintenance(core, { account_id, view, change: 'maintenance_changed' })
      return view
    },
    async remove(id, options) {
      const view = stored(await records.own(id))
      await records.remove(id, options)
      accountWindows.put(id, undefined)
      await publishMaintenance(core, { account_id, view, change: 'maintenance_cancelled' })
    },
    async upcoming(given) {
      await ready()
      const { days = 30, limit = 50, monitor_id } = readFilter(upcomingOptions, given)
      await accountWindows.ready(account_id)
      const until = clock.now() + days * DAY_MS
      const monitor =
        monitor_id === undefined ? undefined : await ownMonitor(context, account_id, monitor_id)
      const windows =
        monitor === undefined
          ? accountWindows.of(account_id)
          : accountWindows.covering(monitor.record)
      return upcomingOf(core, {
        windows: [...windows],
        own: monitor && { id: monitor.record.id, windows: monitor.record.common.maintenance },
        until,
        limit,
      })
    },
  }
}

async function ownMonitor({ monitorCache }: ServiceContext, account_id: number, id: number) {
  const cached = await monitorCache.get(id)
  if (cached.record.account_id !== account_id) throw new NotFoundError('monitor')
  return cached
}

function isOpen([from, to]: AccountWindow['span'], now: EpochMs): boolean {
  return from <= now && now < to
}

function viewOf({ record, span }: AccountWindow, now: EpochMs): MaintenanceView {
  const { id, version, settings, created_at, updated_at } = record
  const [from, to] = span
  const isOver = to <= now || to === Infinity
  return {
    id,
    ...settings,
    active: isOpen(span, now),
    starts_at: isOver ? null : iso(from),
    ends_at: isOver ? null : iso(to),
    version,
    created_at: iso(created_at),
    updated_at: iso(updated_at),
  }
}

interface Wanted {
  readonly account_id: number
  readonly input: JsonObject
  readonly before?: MaintenanceSettings | undefined
  /** Also a window whose end has passed. */
  readonly may_end?: boolean
}

/** @throws ValidationError with every problem at once */
async function validSettings(
  { core }: ServiceContext,
  { account_id, input, before, may_end = false }: Wanted,
): Promise<MaintenanceSettings> {
  const parsed = parse(MAINTENANCE_FIELDS, input)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const { tags, monitor_ids: asked, ...rest } = parsed.value
  const problems: Record<string, string> = {}
  const yieldIfLong = yielderOf(core.clock)
  const monitor_ids: number[] = []
  for (const [index, id] of asked.entries()) {
    await yieldIfLong()
    const monitor = await core.store.monitors.get(id)
    if (monitor?.account_id === account_id) monitor_ids.push(id)
    // A monitor that was deleted is left out.
    else if (before?.monitor_ids.includes(id) !== true)
      addProblem(problems, 'monitor_ids', problemAt([index], `invalid: there is no monitor ${id}`))
  }
  if (asked.length === 0 && tags.length === 0 && !rest.all_monitors)
    problems['monitor_ids'] = 'required: or tags, or all_monitors'
  const same = JSON.stringify(before?.window) === JSON.stringify(rest.window)
  const isOver = may_end && hasEnded(rest.window, core.clock.now())
  const wrong = same || isOver ? undefined : windowProblem(rest.window, core.clock.now())
  if (wrong !== undefined) problems['window'] = wrong
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return { ...rest, monitor_ids: [...new Set(monitor_ids)], tags: distinct(tags) }
}

function hasEnded(window: MaintenanceSettings['window'], now: EpochMs): boolean {
  return 'end' in window && Date.parse(window.end) <= now
}

function windowProblem(window: MaintenanceSettings['window'], now: EpochMs): string | undefined {
  if (!('start' in window)) return undefined
  const [start, end] = [Date.parse(window.start), Date.parse(window.end)]
  if (hasEnded(window, now)) return 'out_of_range: "end" has passed'
  if (end - start > LONGEST_DAYS * DAY_MS) return `out_of_range: at most ${LONGEST_DAYS} days long`
  if (start > now + FURTHEST_DAYS * DAY_MS)
    return `out_of_range: begins within ${FURTHEST_DAYS} days`
  return undefined
}
