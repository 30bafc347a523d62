/**
 * All monitors of an account, as a page counts and orders them: from memory where this engine has them there, from
 * the store otherwise. Summaries are made only for the monitors that are shown.
 *
 * @module
 */

import { yielderOf, yieldingQueueOf } from '../../clock.ts'
import { NotFoundError, UnreadableError } from '../../errors.ts'
import { statusOf } from '../../incident/state.ts'
import type { MonitorRecord, MonitorState, MonitorStatus, Outcome } from '../../model.ts'
import { monitorFilter as fits } from '../../store/filters.ts'
import { shardOf } from '../../store/store.ts'
import type { MonitorQuery } from '../../store/store.ts'
import type { MonitorFilter } from '../api/filters.ts'
import type { MonitorSummary } from '../api/views.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { latest, monitorSummary } from '../views/views.ts'
import type { SummarySource } from '../views/views.ts'
import { setAside } from '../core/damaged-rows.ts'
import { monitorFilter } from './filters.ts'
import { listMonitors, queryOf, summarySources } from './monitor-list.ts'
import { read, readFilter } from './read-filter.ts'
import { accountContext } from './service-context.ts'
import type { ServiceContext } from './service-context.ts'
import { availabilityOfDays, recentMedian } from './uptime.ts'
import type { AvailabilityView } from './uptime.ts'

/** Rows per query of the store. */
const PAGE = 200
/** Monitors that are searched between two looks at the clock. */
const SEARCHED_AT_ONCE = 32

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
  /** When the incident began; empty without one. */
  readonly last_at: string
  readonly open_incident_id: number | null
  readonly source: SummarySource
  /** Computed once by the reader of the entry: from when on the end of something, such as a certificate, is near. */
  readonly derived: { near_from?: number }
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
  /** In the order of these ids; without those that the account does not have. @throws NotFoundError like `list` */
  byIds(account_id: number, ids: readonly number[]): Promise<readonly MonitorEntry[]>
  /** As of the moment when the entry was made. */
  summaryOf(entry: MonitorEntry): MonitorSummary
  /** `days`: 1 to 365. @throws NotFoundError for a monitor that the account does not have */
  availability(account_id: number, id: number, days: number): Promise<AvailabilityView>
  /** The median response time of today, or of yesterday. @throws NotFoundError likewise */
  median(account_id: number, id: number): Promise<number | null>
}

export function accountMonitorsOf(context: ServiceContext): AccountMonitors {
  const { core, monitorCache, schedule, staleness } = context
  const step = yieldingQueueOf(core.clock)

  /** Entries of monitors in memory, reused while the monitor is unchanged: most are, between two views of a page. */
  const kept = new WeakMap<CachedMonitor, MonitorEntry>()

  function entryOf(source: SummarySource, stale = staleness.isStale(source)): MonitorEntry {
    const { id, type, common, machine } = source.record
    const last = latest(source)?.last ?? undefined
    return {
      id,
      type,
      name: common.name,
      tags: common.tags,
      state: machine.state,
      status: statusOf(machine.state),
      stale,
      last,
      last_at: last?.started_at ?? '',
      open_incident_id: machine.incident?.id ?? null,
      source,
      derived: {},
    }
  }

  function keptEntryOf(cached: CachedMonitor): MonitorEntry {
    const stale = staleness.isStale(cached)
    const known = kept.get(cached)
    if (known?.stale === stale) return known
    const entry = entryOf(cached, stale)
    kept.set(cached, entry)
    return entry
  }

  /** Found in one turn of the event loop, so that all are of the same moment. */
  function ownInMemory(account_id: MonitorQuery['account_id'], most: number): CachedMonitor[] {
    const missingShards = new Set(monitorCache.missingShards)
    const own: CachedMonitor[] = []
    for (const cached of monitorCache.all()) {
      const { record } = cached
      if (record.account_id !== account_id || missingShards.has(shardOf(record.id))) continue
      own.push(cached)
      if (own.length === most) break
    }
    return own
  }

  /** Searched in steps: a monitor may have fifty tags and two thousand characters of an address. */
  async function fromMemory(query: MonitorQuery, isFiltered: boolean): Promise<MonitorEntry[]> {
    const { account_id, limit } = query
    if (!isFiltered) return ownInMemory(account_id, limit).map(keptEntryOf)
    const isAsked = fits(query)
    const entries: MonitorEntry[] = []
    for (const [at, cached] of ownInMemory(account_id, Infinity).entries()) {
      // The steps of many searches at once would all run in one turn.
      if (at % SEARCHED_AT_ONCE === 0) await step()
      if (isAsked(cached.record)) entries.push(keptEntryOf(cached))
      if (entries.length === limit) break
    }
    return entries
  }

  async function recordOf(account_id: number, id: number): Promise<MonitorRecord> {
    const record = monitorCache.peek(id)?.record ?? (await core.store.monitors.get(id))
    if (record?.account_id !== account_id) throw new NotFoundError('monitor')
    return record
  }

  /** A page shows the others. */
  function unlessDamaged(error: unknown): undefined {
    if (!(error instanceof UnreadableError)) throw error
    setAside(core, 'monitor')(error)
  }

  async function fromStore(query: MonitorQuery): Promise<readonly MonitorEntry[]> {
    const entries: MonitorEntry[] = []
    const yieldIfLong = yielderOf(core.clock)
    for (let after_id = 0; entries.length < query.limit;) {
      const limit = Math.min(PAGE, query.limit - entries.length)
      const records = await listMonitors(core, { ...query, after_id, limit })
      for (const source of await summarySources(core, records)) entries.push(entryOf(source))
      const last = records.at(-1)
      if (last === undefined || records.length < limit) break
      await yieldIfLong()
      after_id = last.id
    }
    return entries
  }

  return {
    async list(account_id, limit, given = {}) {
      await accountContext(context, account_id).ready()
      const { names } = core.registry
      const filter = readFilter({ ...monitorFilter, type: read.list(read.oneOf(names)) }, given)
      const query = { ...queryOf(account_id, filter, names), limit: limit + 1 }
      const shards = monitorCache.missingShards
      const isFiltered = Object.keys(filter).length > 0
      const entries = await fromMemory(query, isFiltered)
      const room = query.limit - entries.length
      if (shards.length > 0 && room > 0)
        for (const entry of await fromStore({ ...query, shards, limit: room })) entries.push(entry)
      const cut = entries.length > limit
      return { entries: cut ? entries.slice(0, limit) : entries, cut }
    },
    async byIds(account_id, ids) {
      await accountContext(context, account_id).ready()
      const missing = ids.filter((id) => monitorCache.peek(id) === undefined)
      const own: MonitorRecord[] = []
      // One after another: a hundred at once would be before each statement of other accounts.
      for (const id of missing) {
        const record = await core.store.monitors.get(id).catch(unlessDamaged)
        if (record?.account_id === account_id) own.push(record)
      }
      const stored = new Map(
        (await summarySources(core, own)).map((source) => [source.record.id, source]),
      )
      return ids.flatMap((id) => {
        const source = monitorCache.peek(id) ?? stored.get(id)
        return source?.record.account_id === account_id ? [entryOf(source)] : []
      })
    },
    availability: async (account_id, id, days) =>
      availabilityOfDays(context, await recordOf(account_id, id), days),
    median: async (account_id, id) => recentMedian(core, (await recordOf(account_id, id)).id),
    summaryOf: ({ source, stale }) =>
      monitorSummary(source, { ...schedule.factsOf(source), stale }),
  }
}
