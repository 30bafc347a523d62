/**
 * Validates the input of a monitor: type-specific and common settings together, ids looked up, defaults that depend
 * on the engine filled in. Every problem is reported at once.
 *
 * @module
 */

import { ValidationError } from '../../errors.ts'
import { secretProblems } from '../../fields/secrets.ts'
import type { CommonSettings, JsonObject } from '../../model.ts'
import { fold } from '../../model/fold.ts'
import type { Core } from '../core/core.ts'
import { readableContacts } from '../core/stored-contacts.ts'
import { isInstalled } from '../../optional-packages.ts'
import { defaultsFor } from './monitor-defaults.ts'
import { graphProblems } from './monitor-graph.ts'
import { contactProblems, locationProblems } from './monitor-ids.ts'
import { accountOf, isTooShort, resolvedQuotas } from './quotas.ts'
import type { ResolvedQuotas } from './quotas.ts'
import type { MonitorType } from '../registry/registry.ts'
import { ruleOf } from '../rounds/composite.ts'

export interface ValidMonitor {
  readonly common: CommonSettings
  readonly settings: JsonObject
  readonly target: string
}

interface MonitorInput {
  readonly account_id: number
  /** The monitor that changes; absent for a new one. */
  readonly id?: number
  /** Its previous interval, which stays allowed. */
  readonly interval_before?: number
  readonly type: MonitorType
  readonly input: JsonObject
}

/** @throws ValidationError */
export async function validateMonitor(
  core: Core,
  { account_id, id, type, input, interval_before }: MonitorInput,
): Promise<ValidMonitor> {
  const { driver } = type.checker
  if (driver !== undefined && !isInstalled(driver)) {
    throw new ValidationError({
      type: `invalid: this type needs a package that is not installed: npm install ${driver}`,
    })
  }
  const account = await accountOf(core, account_id)
  const contacts = await readableContacts(core, account_id)
  const defaults = defaultsFor(core, { account, contacts, input })
  const parsed = core.registry.parse(type, input, defaults)
  if (!parsed.ok) throw new ValidationError(parsed.fields)
  const { common, settings, target } = parsed.value
  const location_ids = common.location_ids ?? core.locations.map(({ id }) => id)
  const problems = {
    ...secretProblems(type.checker.fields, settings),
    ...locationProblems(core, common.confirm_locations, location_ids),
    ...(common.interval_sec === interval_before
      ? {}
      : intervalProblems(resolvedQuotas(core, account), type, common)),
    ...contactProblems(common, contacts),
    ...(await graphProblems(core, { account_id, id, type, common, settings })),
  }
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return {
    settings,
    target,
    common: {
      ...common,
      name: common.name ?? addressName(target),
      location_ids: [...new Set(location_ids)],
      confirm_locations: common.confirm_locations ?? Math.min(2, new Set(location_ids).size),
      tags: distinct(common.tags),
      contact_ids: [...new Set(common.contact_ids)],
      depends_on: [...new Set(common.depends_on)],
    },
  }
}

/** What a monitor without a name is called. */
export function addressName(target: string): string {
  return target.slice(0, 200)
}

/** The settings of a composite type without members that were deleted, when a stored monitor is updated. */
export async function withoutDeletedMembers(
  core: Core,
  type: MonitorType,
  settings: JsonObject,
): Promise<JsonObject> {
  if (type.checker.composite === undefined) return settings
  const { monitor_ids } = ruleOf(settings)
  const found = await Promise.all(monitor_ids.map((id) => core.store.monitors.get(id)))
  return { ...settings, monitor_ids: found.flatMap((member) => member?.id ?? []) }
}

/** Ignores ids of contacts and parents that were deleted, when a stored monitor is updated. */
export async function withoutDeletedIds(
  core: Core,
  account_id: number,
  common: CommonSettings,
): Promise<CommonSettings> {
  const contacts = new Set((await readableContacts(core, account_id)).map(({ id }) => id))
  const locations = new Set(core.locations.map(({ id }) => id))
  const location_ids = common.location_ids.filter((id) => locations.has(id))
  const parents = await Promise.all(common.depends_on.map((id) => core.store.monitors.get(id)))
  const left = location_ids.length === 0 ? [...locations] : location_ids
  return {
    ...common,
    location_ids: left,
    confirm_locations: Math.min(common.confirm_locations, left.length),
    contact_ids: common.contact_ids.filter((id) => contacts.has(id)),
    depends_on: parents.flatMap((parent) => (parent === undefined ? [] : [parent.id])),
    contact_delay: Object.fromEntries(
      Object.entries(common.contact_delay).filter(([id]) => contacts.has(Number(id))),
    ),
  }
}

function intervalProblems(
  quotas: ResolvedQuotas,
  type: MonitorType,
  common: Pick<CommonSettings, 'interval_sec'>,
): Record<string, string> {
  if (!isTooShort(quotas, type, common)) return {}
  const least = quotas.min_interval_sec ?? 1
  return { interval_sec: `out_of_range: ${least} or more (the shortest interval of the account)` }
}

/** Tags that are equal when folded are merged; the first spelling stays. */
export function distinct(tags: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const tag of tags) if (!seen.has(fold(tag))) seen.set(fold(tag), tag)
  return [...seen.values()]
}
