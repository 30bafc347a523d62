/**
 * The update of a monitor: validates a patch and computes its change.
 *
 * @module
 */

import { ValidationError } from '../../errors.ts'
import { keptSecretProblems } from '../../fields/destination.ts'
import type { Revision } from '../../fields/destination.ts'
import type { FieldTable } from '../../fields/field.ts'
import { merge } from '../../fields/merge.ts'
import { unmask } from '../../fields/secrets.ts'
import type { JsonObject } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import { planChange } from '../rounds/plan-change.ts'
import { planStartedRepeats } from '../rounds/plan-repeats.ts'
import { movedState } from '../rounds/push.ts'
import { allowanceOf, quotasOf } from './quotas.ts'
import type { MonitorType } from '../registry/registry.ts'
import { boundedChanges, fieldChanges, auditRecord } from './audit.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import {
  addressName,
  validateMonitor,
  withoutDeletedIds,
  withoutDeletedMembers,
} from './validate-input.ts'
import type { ValidMonitor } from './validate-input.ts'
import type { ServiceContext } from './service-context.ts'

/** The change of a patch. If the target or type settings differ, the monitor's state starts again. */
export async function planUpdate(
  context: ServiceContext,
  cached: CachedMonitor,
  patch: JsonObject,
): Promise<Planned> {
  const { core, monitorCache } = context
  const { record, type, settings } = cached
  const next = await applyPatch(context, cached, patch)
  const { checks_per_min } = allowanceOf(await quotasOf(core, record.account_id))
  const at = core.clock.now()
  const change: Change = {
    monitor_id: record.id,
    revision: record.revision,
    at,
    settings: {
      common: next.common,
      settings: monitorCache.seal(type, next.settings),
      target: next.target,
    },
    ...(checks_per_min === undefined ? {} : { within: { checks_per_min } }),
    ...monitorAudit(context, cached, next),
  }
  const same = JSON.stringify(next.settings) === JSON.stringify(settings)
  if (same || type.checker.push !== undefined) {
    const notify = await planStartedRepeats(core, cached, { common: next.common, at })
    const moved = type.checker.push === undefined ? {} : movedState(cached, next.common)
    return { change: { ...change, ...moved, notify } }
  }
  const planned = await planChange(context, cached, { event: { kind: 'reconfigure', at } })
  const machine = { ...(planned?.change.machine ?? record.machine), checked_since: at }
  return { ...planned, change: { ...planned?.change, ...change, machine, forget_locations: true } }
}

/**
 * The settings of a monitor after a patch.
 *
 * @throws ValidationError with every problem at once, also for a stored secret
 * that would be sent to another destination
 */
export async function applyPatch(
  { core }: Pick<ServiceContext, 'core'>,
  { record, type, settings }: CachedMonitor,
  patch: JsonObject,
): Promise<ValidMonitor> {
  const { type: name, ...fields } = patch
  if (name !== undefined && name !== record.type) throw new ValidationError({ type: 'immutable' })
  const table = type.all
  const common = await withoutDeletedIds(core, record.account_id, record.common)
  const stored = await withoutDeletedMembers(core, type, settings)
  const all: JsonObject = { ...(common as unknown as JsonObject), ...stored }
  const { before, wanted } = withoutAddress(record, all, withoutReadOnly(type, fields))
  // Masks are searched in the merged input, in which dotted names are resolved.
  const input = unmask(table, merge(table, before, wanted), settings)
  const next = await validateMonitor(core, {
    account_id: record.account_id,
    id: record.id,
    interval_before: record.common.interval_sec,
    type,
    input,
  })
  const given = merge(table, {}, wanted)
  requireSecrets(type.checker.fields, { stored: settings, next: next.settings, given })
  return next
}

/**
 * A monitor without a name of its own is named after its address, which public pages hide: with another address it
 * gets another name. A name that is sent back as it is asks for nothing.
 */
function withoutAddress(
  { common, target }: CachedMonitor['record'],
  { name, ...before }: JsonObject,
  { name: given = name, ...wanted }: JsonObject,
): { readonly before: JsonObject; readonly wanted: JsonObject } {
  const isAddress = given === name && common.name === addressName(target)
  return isAddress
    ? { before, wanted }
    : { before: { ...before, name }, wanted: { ...wanted, name: given } }
}

/** The record of what differs; none if nothing does. */
export function monitorAudit(
  context: Pick<ServiceContext, 'core' | 'actor'>,
  { record, type, settings }: CachedMonitor,
  next: ValidMonitor,
): Pick<Change, 'audit'> {
  const { target } = record
  const changes = [
    ...fieldChanges(type.common, {
      before: record.common as never,
      after: next.common as never,
      texts: true,
    }),
    ...fieldChanges(type.checker.fields, { before: settings, after: next.settings }),
    ...(target === next.target ? [] : [{ field: 'target', from: target, to: next.target }]),
  ]
  if (changes.length === 0) return {}
  const { name } = next.common
  return {
    audit: auditRecord(context, {
      resource: 'monitor',
      action: 'updated',
      name,
      changes: boundedChanges(changes),
    }),
  }
}

/** @throws ValidationError if a stored secret would be sent to another destination */
export function requireSecrets(fields: FieldTable, revision: Revision): void {
  const problems = keptSecretProblems(fields, revision)
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
}

/** Fields of a view that a client may send back unchanged. */
const READ_ONLY = [
  'id',
  'target',
  'state',
  'status',
  'stale',
  'flapping',
  'degraded',
  'last_check_at',
  'next_check_at',
  'last_duration_ms',
  'last_response_ms',
  'cause_code',
  'open_incident_id',
  'version',
  'created_at',
  'updated_at',
  'locations',
  'counters',
  'token',
  'ping_url',
  'warnings',
]

function withoutReadOnly(type: MonitorType, patch: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(patch).filter(([name]) => name in type.all || !READ_ONLY.includes(name)),
  )
}
