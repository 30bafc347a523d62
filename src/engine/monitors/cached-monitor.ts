/**
 * A monitor in the cache, and how a commit changes it.
 *
 * @module
 */

import { mapSecrets } from '../../fields/secrets.ts'
import type {
  CommonSettings,
  JsonObject,
  LocationState,
  MonitorRecord,
  Notice,
} from '../../model.ts'
import { withIncident } from '../../store/store.ts'
import type { Change, Committed } from '../../store/store.ts'
import type { Core } from '../core/core.ts'
import type { MonitorType } from '../registry/registry.ts'

export interface CachedMonitor {
  readonly record: MonitorRecord
  readonly type: MonitorType
  /** Type-specific settings in stored form with decrypted secrets. */
  readonly settings: JsonObject
  readonly locations: ReadonlyMap<number, LocationState>
}

/** A change that is computed and not stored yet. */
export interface Planned {
  readonly change: Change
  /** Notices that the change sends for the first time. */
  readonly fresh?: readonly Notice[]
}

/** A commit that took effect, with the monitor before and after it. */
export interface Changed {
  readonly before: CachedMonitor
  /** `undefined` if the monitor was removed. */
  readonly after: CachedMonitor | undefined
  readonly change: Change
  readonly committed: Extract<Committed, { ok: true }>
  /** Notices that were sent for the first time. */
  readonly fresh: readonly Notice[]
}

type Sealing = Pick<Core, 'registry' | 'seal'>

type Later = 'maintenance' | 'depends_on' | 'flap_detection' | 'metadata' | 'warn'
type Stored = Omit<CommonSettings, Later> & Partial<CommonSettings>

const place = (path: string): string => `monitor.${path}`

/** @throws ConfigurationError if a secret cannot be decrypted */
export function cachedMonitorOf(
  { registry, seal }: Sealing,
  record: MonitorRecord,
  states: readonly LocationState[],
): CachedMonitor {
  const type = registry.getOrThrow(record.type)
  return {
    record: { ...record, common: completed(record.common) },
    type,
    settings: mapSecrets(type.checker.fields, record.settings, (secret, path) =>
      seal.decrypt(secret, place(path)),
    ),
    locations: byLocation(states),
  }
}

/**
 * A record stored before a setting existed lacks it. Named one by one: V8 gives a spread of defaults and a spread of
 * settings a hidden class for each monitor.
 */
function completed(common: Stored): CommonSettings {
  const {
    maintenance = [],
    depends_on = [],
    flap_detection = false,
    metadata = {},
    warn = {},
  } = common
  return { ...common, maintenance, depends_on, flap_detection, metadata, warn }
}

/** Type-specific settings as stored, with secrets encrypted. */
export function sealSettings(
  { seal }: Sealing,
  type: MonitorType,
  settings: JsonObject,
): JsonObject {
  return mapSecrets(type.checker.fields, settings, (secret, path) =>
    seal.encrypt(secret, place(path)),
  )
}

type CommittedChange = Pick<Changed, 'change' | 'committed'>

/** The monitor after a change that did not remove it. */
export function applyChange(
  sealing: Sealing,
  before: CachedMonitor,
  { change, committed }: CommittedChange,
): CachedMonitor {
  const { record } = before
  const next: MonitorRecord = {
    ...record,
    ...change.settings,
    ...change.token,
    machine: withIncident(change.machine ?? record.machine, committed.incident_id),
    version: committed.version,
    revision: committed.revision,
    updated_at: change.settings === undefined ? record.updated_at : change.at,
  }
  const states = new Map(change.forget_locations === true ? [] : before.locations)
  for (const state of change.locations ?? []) states.set(state.location_id, state)
  return change.settings === undefined
    ? { ...before, record: next, locations: states }
    : cachedMonitorOf(sealing, next, [...states.values()])
}

/** The monitor was up or down and stays so: no later decision depends on this step. */
export function isSteady({ record }: CachedMonitor, { machine }: Change): boolean {
  const { state } = record.machine
  return (state === 'up' || state === 'down') && machine?.state === state
}

export function byLocation(states: readonly LocationState[]): CachedMonitor['locations'] {
  return new Map(states.map((state) => [state.location_id, state]))
}

export function groupByMonitor(states: readonly LocationState[]): Map<number, LocationState[]> {
  const groups = new Map<number, LocationState[]>()
  for (const state of states) {
    const group = groups.get(state.monitor_id)
    if (group === undefined) groups.set(state.monitor_id, [state])
    else group.push(state)
  }
  return groups
}
