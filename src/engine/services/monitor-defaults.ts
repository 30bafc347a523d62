/**
 * The defaults of new monitors: those of the account, otherwise those of the engine's options, otherwise those of the
 * type.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import { parse } from '../../fields/parse.ts'
import type { Problems } from '../../fields/parse.ts'
import { withoutAbsent } from '../../fields/merge.ts'
import type { AccountRecord, ContactRecord, JsonObject, MonitorDefaults } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import type { Core } from '../core/core.ts'
import { defaultsTable } from '../registry/defaults-table.ts'
import { contactProblems, locationProblems } from './monitor-ids.ts'
import { resolvedQuotas } from './quotas.ts'

type Parsed =
  | { readonly ok: true; readonly value: MonitorDefaults }
  | { readonly ok: false; readonly fields: Problems }

/** Ids are validated by the caller: those of locations and contacts are known to an open store only. */
export function parseDefaults(given: unknown, setBy: 'engine' | 'account'): Parsed {
  if (!isJsonObject(given)) return { ok: false, fields: { '': 'invalid: an object is expected' } }
  const parsed = parse(defaultsTable(setBy), withoutAbsent(given))
  if (!parsed.ok) return parsed
  const { interval_sec, timeout_ms } = parsed.value as MonitorDefaults
  const isTooLong =
    typeof interval_sec === 'number' &&
    typeof timeout_ms === 'number' &&
    timeout_ms >= interval_sec * 1000
  return isTooLong
    ? { ok: false, fields: { timeout_ms: 'out_of_range: must be less than interval_sec' } }
    : { ok: true, value: parsed.value }
}

/** Problems by the name of the field, empty for an object that fits. */
export function intervalProblem(
  { interval_sec }: MonitorDefaults,
  least: number | null | undefined,
): Problems {
  if (typeof interval_sec !== 'number' || interval_sec >= (least ?? 0)) return {}
  return { interval_sec: `out_of_range: ${least} or more (the shortest interval of the quotas)` }
}

/** Problems of ids that the engine does not know. */
export function idProblems(
  core: Core,
  { location_ids, confirm_locations, contact_ids, contact_delay }: MonitorDefaults,
  contacts: readonly ContactRecord[],
): Problems {
  const known = core.locations.map(({ id }) => id)
  return {
    ...locationProblems(
      core,
      confirm_locations === null ? undefined : confirm_locations,
      location_ids ?? known,
    ),
    ...contactProblems(
      { contact_ids: contact_ids ?? [], contact_delay: contact_delay ?? {} },
      contacts,
    ),
  }
}

/** For an open store. @throws ConfigurationError for a location that this engine does not have */
export function requireKnownIds(core: Core): void {
  const problems = Object.entries(idProblems(core, core.monitorDefaults, []))
  if (problems.length === 0) return
  const texts = problems.map(([name, problem]) => `monitorDefaults.${name}: ${problem}`)
  throw new ConfigurationError(`createEngine: ${texts.join('; ')}`)
}

/** As `GET /me` shows them. */
export function effectiveDefaults(
  { monitorDefaults }: Pick<Core, 'monitorDefaults'>,
  { monitor_defaults }: AccountRecord,
): MonitorDefaults {
  return { ...monitorDefaults, ...monitor_defaults }
}

interface Applied {
  readonly account: AccountRecord
  readonly contacts: readonly ContactRecord[]
  readonly input: JsonObject
}

/**
 * For one input: without ids that were deleted since, and so that a default is never the reason why an input is
 * refused: not by the shortest interval, nor by the number of locations.
 */
export function defaultsFor(core: Core, { account, contacts, input }: Applied): JsonObject {
  const { location_ids, contact_ids, contact_delay, ...defaults } = effectiveDefaults(core, account)
  const contactIds = new Set(contacts.map(({ id }) => id))
  const locations = core.locations.map(({ id }) => id)
  const kept = (location_ids ?? []).filter((id) => locations.includes(id))
  const given = input['location_ids'] ?? (kept.length > 0 ? kept : locations)
  const { min_interval_sec } = resolvedQuotas(core, account)
  const { interval_sec, confirm_locations } = defaults
  return {
    ...(defaults as JsonObject),
    ...(kept.length > 0 ? { location_ids: kept } : {}),
    ...(typeof interval_sec === 'number'
      ? { interval_sec: Math.max(interval_sec, min_interval_sec ?? 0) }
      : {}),
    ...(typeof confirm_locations === 'number' && Array.isArray(given)
      ? { confirm_locations: Math.max(1, Math.min(confirm_locations, new Set(given).size)) }
      : {}),
    contact_ids: (contact_ids ?? []).filter((id) => contactIds.has(id)),
    contact_delay: Object.fromEntries(
      Object.entries(contact_delay ?? {}).filter(([id]) => contactIds.has(Number(id))),
    ),
  }
}
