/**
 * Lists of stored monitors: the query of a filter, how it is read, and the sources of the summaries.
 *
 * @module
 */

import { statesOf } from '../../incident/state.ts'
import { MONITOR_STATES, MONITOR_STATUSES } from '../../model.ts'
import type { MonitorRecord, MonitorState, MonitorStatus } from '../../model.ts'
import type { MonitorQuery } from '../../store/store.ts'
import type { MonitorFilter } from '../api/engine.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { byLocation, groupByMonitor } from '../monitors/cached-monitor.ts'
import { isLight } from '../monitors/monitor-reader.ts'
import type { SummarySource } from '../views/views.ts'

/** Number of monitors per query. */
const READ_AT_ONCE = 32

/** In steps: monitors with long bodies and headers take a millisecond each, and a store may answer synchronously. */
export async function listMonitors(
  core: Core,
  query: MonitorQuery,
): Promise<readonly MonitorRecord[]> {
  const { store, clock } = core
  const found: MonitorRecord[] = []
  for (let rest = query; ;) {
    const limit = Math.min(READ_AT_ONCE, query.limit - found.length)
    const step = await store.monitors.list({ ...rest, limit }, setAside(core, 'monitor'))
    found.push(...step)
    const last = step.at(-1)
    if (last === undefined || step.length < limit || found.length >= query.limit) return found
    if (!step.every(isLight)) await clock.sleep(0)
    rest = { ...query, after_id: last.id }
  }
}

/** Stored monitors with their last checks, as summaries need them. */
export async function summarySources(
  core: Core,
  records: readonly MonitorRecord[],
): Promise<readonly SummarySource[]> {
  if (records.length === 0) return []
  const ids = records.map(({ id }) => id)
  const states = groupByMonitor(await core.store.monitors.locations(ids, setAside(core, 'monitor')))
  return records.map((record) => ({
    record,
    locations: byLocation(states.get(record.id) ?? []),
  }))
}

export function queryOf(
  account_id: number,
  filter: Omit<MonitorFilter, 'status' | 'tag' | 'metadata'> & {
    readonly status?: readonly (MonitorState | MonitorStatus)[]
    readonly tag?: readonly (readonly string[])[]
    readonly metadata?: Readonly<Record<string, string>>
  },
  names: readonly string[],
): MonitorQuery {
  return {
    account_id,
    limit: (filter.limit ?? 50) + 1,
    ...(filter.after !== undefined ? { after_id: filter.after } : {}),
    ...(filter.status !== undefined ? { states: filter.status.flatMap(statesNamed) } : {}),
    // A type that is no longer registered has no fields to show.
    types: names.filter((name) => filter.type?.includes(name) ?? true),
    ...(filter.tag !== undefined ? { tags: filter.tag } : {}),
    ...(filter.metadata !== undefined ? { metadata: filter.metadata } : {}),
    ...(filter.q !== undefined ? { q: filter.q } : {}),
  }
}

/** `up`, `down` and `paused` are both states and statuses; a filter means the status. */
function statesNamed(name: MonitorState | MonitorStatus): MonitorState[] {
  const status = MONITOR_STATUSES.find((known) => known === name)
  if (status !== undefined) return statesOf(status)
  return MONITOR_STATES.filter((state) => state === name)
}
