/**
 * Uptime of a monitor over days, from its availability and its daily totals.
 *
 * @module
 */

import { iso, yielderOf } from '../../clock.ts'
import { addCounts, countOf, percentiles, roundedMs } from '../../incident/latency.ts'
import {
  addSeconds,
  lastDays,
  NO_SECONDS,
  secondsOfDays,
  uptimePercent,
} from '../../incident/uptime.ts'
import type { Seconds } from '../../incident/uptime.ts'
import type { DailyStats, EpochMs, MonitorRecord } from '../../model.ts'
import { changesInParts } from '../core/availability-changes.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import type { UptimeDay, UptimeView } from '../api/views.ts'
import { DAY_MS, dayOf } from '../../model/time.ts'
import type { Day } from './past-days.ts'
import type { ServiceContext } from './service-context.ts'

/** Maximum number of incidents read for the counts of a report. */
const INCIDENTS_LIMIT = 10_000
/** Rows per query. */
const INCIDENTS_AT_ONCE = 200

type Source = Pick<ServiceContext, 'core' | 'pastDays'>

/** The monitor whose days are read. */
type Counted = Pick<MonitorRecord, 'id' | 'account_id' | 'created_at'>

/** How much of the time a monitor was up, without counts of checks and incidents, and without response times. */
export interface AvailabilityView extends Pick<UptimeView, 'overall' | 'up_sec' | 'down_sec'> {
  readonly days: readonly AvailabilityDay[]
}

export type AvailabilityDay = Pick<
  UptimeDay,
  'date' | 'uptime' | 'up_sec' | 'down_sec' | 'paused_sec' | 'maintenance_sec'
>

/** @param days 1 to 365 */
export async function uptimeOfDays(
  { core, pastDays }: Source,
  record: MonitorRecord,
  days: number,
): Promise<UptimeView> {
  const now = core.clock.now()
  const { begins, past, present, total } = await sumsOfDays(record, { core, pastDays, days, now })
  return {
    from: iso(begins[0] ?? now),
    to: iso(now),
    tz: 'UTC',
    overall: uptimePercent(total),
    ...named(total),
    incidents: past.incidents + present.incidents,
    ...percentilesOf(addCounts([past.latency, present.latency])),
    days: [...past.views, ...present.views],
  }
}

/** @param days 1 to 365 */
export async function availabilityOfDays(
  { core, pastAvailability }: Pick<ServiceContext, 'core' | 'pastAvailability'>,
  record: Counted,
  days: number,
): Promise<AvailabilityView> {
  const now = core.clock.now()
  const { past, present, total } = await sumsOfDays(record, {
    core,
    days,
    now,
    pastDays: pastAvailability,
    uncounted: true,
  })
  return {
    overall: uptimePercent(total),
    up_sec: total.up,
    down_sec: total.down,
    days: [...past.views, ...present.views],
  }
}

/** The median response time of today, or of yesterday. */
export async function recentMedian(core: Core, monitor_id: number): Promise<number | null> {
  const { clock, store } = core
  const now = clock.now()
  const yesterday = dayOf(now - DAY_MS)
  const days = await store.daily.list(monitor_id, yesterday, dayOf(now), setAside(core, 'totals'))
  const medians = days.map(({ latency }) => percentilesOf(latency).p50_ms)
  return medians.findLast((median) => median !== null) ?? null
}

interface Summing extends Source {
  readonly days: number
  readonly now: EpochMs
  /** Without checks and incidents. */
  readonly uncounted?: boolean
}

async function sumsOfDays(
  record: Counted,
  { core, pastDays, days, now, uncounted = false }: Summing,
) {
  const begins = lastDays(now, days)
  const today = begins.at(-1) ?? now
  const names = pastDays.names(today, days)
  const asked = { record, until: today, days: days - 1 }
  const { past, present } = await pastDays.sums(asked, (from) =>
    daysBetween(core, record, {
      begins: begins.slice(from),
      names: names.slice(from),
      until: now,
      uncounted,
    }),
  )
  return { begins, past, present, total: addSeconds(past.seconds, present.seconds) }
}

/** Days in a row. */
interface Period {
  readonly begins: readonly EpochMs[]
  readonly names: readonly string[]
  readonly until: EpochMs
  /** Checks and incidents are not read. */
  readonly uncounted: boolean
}

async function daysBetween(
  core: Core,
  record: Counted,
  { begins, names, until, uncounted }: Period,
): Promise<readonly Day[]> {
  const [from, first, last] = [begins[0], names[0], names.at(-1)]
  if (from === undefined || first === undefined || last === undefined) return []
  const [secondsPerDay, stats, incidents] = await Promise.all([
    secondsOf(core, record.id, begins, until),
    uncounted ? [] : core.store.daily.list(record.id, first, last, setAside(core, 'totals')),
    uncounted ? new Map<string, number>() : incidentsPerDay(core, record, from, until),
  ])
  const byDay = new Map(stats.map((counts) => [counts.day, counts]))
  return begins.map((begin, index) => {
    const end = Math.min(begin + DAY_MS, until)
    const seconds = secondsPerDay[index] ?? NO_SECONDS
    const partial = end < begin + DAY_MS || record.created_at > begin
    const date = names[index] ?? dayOf(begin)
    const stats = byDay.get(date)
    const begun = incidents.get(date) ?? 0
    const view = dayView({ date, seconds, partial, stats, incidents: begun })
    return { seconds, latency: stats?.latency ?? {}, view }
  })
}

/** Percent up within [from, to). */
export async function uptimeBetween(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<{ readonly uptime: number | null }> {
  const [seconds = NO_SECONDS] = await secondsOf(core, monitor_id, [from], to)
  return { uptime: uptimePercent(seconds) }
}

/** The seconds of each day up to `to`, added up part by part: there may be more changes than memory has place for. */
async function secondsOf(
  core: Core,
  monitor_id: number,
  begins: readonly EpochMs[],
  to: EpochMs,
): Promise<readonly Seconds[]> {
  const sums = begins.map(() => NO_SECONDS)
  let first = 0
  for await (const part of changesInParts(core, monitor_id, begins[0] ?? to, to)) {
    while ((begins[first + 1] ?? Infinity) <= part.from) first += 1
    const later = begins.slice(first + 1).filter((begin) => begin < part.to)
    const seconds = secondsOfDays(part.changes, [part.from, ...later], part.to)
    for (const [index, more] of seconds.entries())
      sums[first + index] = addSeconds(sums[first + index] ?? NO_SECONDS, more)
  }
  return sums
}

/** The number of incidents started on each UTC day. */
async function incidentsPerDay(
  core: Core,
  { account_id, id: monitor_id }: Counted,
  from: EpochMs,
  to: EpochMs,
): Promise<ReadonlyMap<string, number>> {
  const { store, clock } = core
  const perDay = new Map<string, number>()
  const yieldIfLong = yielderOf(clock)
  const query = { account_id, monitor_id, from, to, limit: INCIDENTS_AT_ONCE }
  let before: { readonly before_id?: number } = {}
  for (let seen = 0; seen < INCIDENTS_LIMIT; seen += INCIDENTS_AT_ONCE) {
    const step = await store.incidents.list({ ...query, ...before }, setAside(core, 'incident'))
    for (const { started_at } of step) {
      const day = dayOf(started_at)
      perDay.set(day, (perDay.get(day) ?? 0) + 1)
    }
    const last = step.at(-1)
    if (last === undefined || step.length < INCIDENTS_AT_ONCE) break
    await yieldIfLong()
    before = { before_id: last.id }
  }
  return perDay
}

interface DayFacts {
  readonly date: string
  readonly seconds: Seconds
  readonly partial: boolean
  readonly stats: DailyStats | undefined
  readonly incidents: number
}

function dayView({ date, seconds, partial, stats, incidents }: DayFacts): UptimeDay {
  const ok = stats?.ok ?? 0
  const timed = countOf(stats?.latency ?? {})
  return {
    date,
    uptime: uptimePercent(seconds),
    ...named(seconds),
    incidents,
    checks: ok + (stats?.fail ?? 0) + (stats?.unknown ?? 0),
    avg_ms: timed === 0 ? null : roundedMs((stats?.ok_ms ?? 0) / timed),
    ...percentilesOf(stats?.latency ?? {}),
    partial,
  }
}

function percentilesOf(latency: DailyStats['latency']) {
  const [p50_ms = null, p95_ms = null, p99_ms = null] = percentiles(latency, [0.5, 0.95, 0.99])
  return { p50_ms, p95_ms, p99_ms }
}

function named({ up, degraded, down, paused, maintenance, unknown }: Seconds) {
  return {
    up_sec: up,
    degraded_sec: degraded,
    down_sec: down,
    paused_sec: paused,
    maintenance_sec: maintenance,
    unknown_sec: unknown,
  }
}
