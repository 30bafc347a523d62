/**
 * Uptime of a monitor over days, from its availability and its daily counts.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { addCounts, countOf, percentiles, roundedMs } from '../../incident/latency.ts'
import {
  DAY_MS,
  addSeconds,
  dayOf,
  lastDays,
  secondsBetween,
  uptimePercent,
} from '../../incident/uptime.ts'
import type { Seconds } from '../../incident/uptime.ts'
import type { DailyStats, EpochMs, IncidentRecord, MonitorRecord } from '../../model.ts'
import type { Core } from '../core/core.ts'
import type { UptimeDay, UptimeView } from '../api/views.ts'

const NONE: Seconds = { up: 0, down: 0, unknown: 0, paused: 0, maintenance: 0 }

/** Incidents that are looked at for the counts of a report. */
const INCIDENTS_LIMIT = 10_000

/** @param days 1 to 365 */
export async function uptimeOfDays(
  core: Core,
  record: MonitorRecord,
  days: number,
): Promise<UptimeView> {
  const now = core.clock.now()
  const begins = lastDays(now, days)
  const from = begins[0] ?? now
  const [changes, stats, incidents] = await Promise.all([
    core.store.availability.list(record.id, from, now),
    core.store.daily.list(record.id, dayOf(from), dayOf(now)),
    core.store.incidents.list({
      account_id: record.account_id,
      monitor_id: record.id,
      from,
      to: now,
      limit: INCIDENTS_LIMIT,
    }),
  ])
  const byDay = new Map(stats.map((counts) => [counts.day, counts]))
  const perDay = begins.map((begin) => {
    const end = Math.min(begin + DAY_MS, now)
    const seconds = secondsBetween(changes, begin, end)
    const partial = end < begin + DAY_MS || record.created_at > begin
    const date = dayOf(begin)
    const stats = byDay.get(date)
    return { seconds, view: dayView({ begin, date, seconds, partial, stats, incidents }) }
  })
  const total = perDay.reduce((sum, { seconds }) => addSeconds(sum, seconds), NONE)
  return {
    from: iso(from),
    to: iso(now),
    tz: 'UTC',
    overall: uptimePercent(total),
    ...named(total),
    incidents: incidents.length,
    ...percentilesOf(addCounts(stats.map(({ latency }) => latency))),
    days: perDay.map(({ view }) => view),
  }
}

/** Percent up within [from, to). */
export async function uptimeBetween(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<{ readonly uptime: number | null }> {
  const changes = await core.store.availability.list(monitor_id, from, to)
  return { uptime: uptimePercent(secondsBetween(changes, from, to)) }
}

interface DayFacts {
  readonly begin: EpochMs
  readonly date: string
  readonly seconds: Seconds
  readonly partial: boolean
  readonly stats: DailyStats | undefined
  readonly incidents: readonly IncidentRecord[]
}

function dayView({ begin, date, seconds, partial, stats, incidents }: DayFacts): UptimeDay {
  const end = begin + DAY_MS
  const ok = stats?.ok ?? 0
  const timed = countOf(stats?.latency ?? {})
  return {
    date,
    uptime: uptimePercent(seconds),
    ...named(seconds),
    incidents: incidents.filter(({ started_at }) => started_at >= begin && started_at < end).length,
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

function named({ up, down, paused, maintenance, unknown }: Seconds) {
  return {
    up_sec: up,
    down_sec: down,
    paused_sec: paused,
    maintenance_sec: maintenance,
    unknown_sec: unknown,
  }
}
