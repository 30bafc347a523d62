/**
 * All monitors of an account, as a page counts and orders them: from memory where this engine has them there, from
 * the store otherwise. Of those that are shown, and only of those, the summaries are made.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { statusOf } from '../../incident/state.ts'
import type { MonitorState, MonitorStatus, Outcome } from '../../model.ts'
import { monitorFilter as fits } from '../../store/filters.ts'
import { shardOf } from '../../store/store.ts'
import type { MonitorQuery } from '../../store/store.ts'
import type { MonitorFilter } from '../api/filters.ts'
import type { MonitorSummary } from '../api/views.ts'
import { byLocation, groupByMonitor } from '../monitors/cached-monitor.ts'
import { latest, monitorSummary } from '../views/views.ts'
import type { SummarySource } from '../views/views.ts'
import { listed, monitorFilter, queryOf } from './filters.ts'
import { read, readFilter } from './read-filter.ts'
import { accountContext } from './service-context.ts'
import type { ServiceContext } from './service-context.ts'

/** Rows per query of the store. */
const PAGE = 200

export interface MonitorEntry {
  readonly id: number
  readonly name: string
  readonly type: string
  readonly tags: readonly string[]
  readonly state: MonitorState
  readonly status: MonitorStatus
  readonly stale: boolean
  /** The last check of all locations. */
  readonly last: Outcome | undefined
  readonly open_incident_id: number | null
  readonly source: SummarySource
}

export interface MonitorEntries {
  /** In no order. */
  readonly entries: readonly MonitorEntry[]
  /** There are more than `limit`. */
  readonly cut: boolean
}

export type EntryFilter = Omit<MonitorFilter, 'limit' | 'after'>

export interface AccountMonitors {
  /** At most `limit` monitors. @throws NotFoundError for an account that does not exist, ValidationError */
  list(account_id: number, limit: number, filter?: EntryFilter): Promise<MonitorEntries>
  /** As of the moment when the entry was made. */
  summaryOf(entry: MonitorEntry): MonitorSummary
}

interface InMemory {
  readonly isFiltered: boolean
  readonly elsewhere: ReadonlySet<number>
}

export function accountMonitorsOf(context: ServiceContext): AccountMonitors {
  const { core, monitorCache, schedule, staleness } = context

  function entryOf(source: SummarySource): MonitorEntry {
    const { id, type, common, machine } = source.record
    return {
      id,
      type,
      name: common.name,
      tags: common.tags,
      state: machine.state,
      status: statusOf(machine.state),
      stale: staleness.isStale(source),
      last: latest(source)?.last ?? undefined,
      open_incident_id: machine.incident?.id ?? null,
      source,
    }
  }

  /** In one turn: all of them as of the same moment. */
  function fromMemory(query: MonitorQuery, { isFiltered, elsewhere }: InMemory): MonitorEntry[] {
    const isAsked = isFiltered ? fits(query) : () => true
    const entries: MonitorEntry[] = []
    for (const cached of monitorCache.all()) {
      const { record } = cached
      if (record.account_id !== query.account_id || elsewhere.has(shardOf(record.id))) continue
      if (isAsked(record)) entries.push(entryOf(cached))
      if (entries.length === query.limit) break
    }
    return entries
  }

  async function fromStore(query: MonitorQuery): Promise<readonly MonitorEntry[]> {
    const entries: MonitorEntry[] = []
    const yieldIfLong = yielderOf(core.clock)
    for (let after_id = 0; entries.length < query.limit;) {
      const limit = Math.min(PAGE, query.limit - entries.length)
      const records = await listed(core, { ...query, after_id, limit })
      const ids = records.map(({ id }) => id)
      const states = groupByMonitor(await core.store.monitors.locations(ids))
      for (const record of records)
        entries.push(entryOf({ record, locations: byLocation(states.get(record.id) ?? []) }))
      const last = ids.at(-1)
      if (last === undefined || ids.length < limit) break
      await yieldIfLong()
      after_id = last
    }
    return entries
  }

  return {
    async list(account_id, most, given = {}) {
      await accountContext(context, account_id).ready()
      const { names } = core.registry
      const filter = readFilter({ ...monitorFilter, type: read.list(read.oneOf(names)) }, given)
      const query = { ...queryOf(account_id, filter, names), limit: most + 1 }
      const shards = monitorCache.elsewhere
      const isFiltered = Object.keys(filter).length > 0
      const entries = fromMemory(query, { isFiltered, elsewhere: new Set(shards) })
      const limit = query.limit - entries.length
      if (shards.length > 0 && limit > 0)
        for (const entry of await fromStore({ ...query, shards, limit })) entries.push(entry)
      const cut = entries.length > most
      return { entries: cut ? entries.slice(0, most) : entries, cut }
    },
    summaryOf: ({ source, stale }) =>
      monitorSummary(source, { ...schedule.factsOf(source), stale }),
  }
}
