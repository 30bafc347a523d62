/**
 * What a baseline is learned from: the hours of the last weeks, and the latest response times.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { responseOf } from '../../checkers/response-time.ts'
import { LEARNED_MS, troubledHours, usualHour } from '../../incident/baseline.ts'
import type { UsualHour } from '../../incident/baseline.ts'
import { hourOf } from '../../incident/hours.ts'
import type { EpochMs } from '../../model.ts'
import { DAY_MS, HOUR_MS } from '../../model/time.ts'
import { changesInParts } from '../core/availability-changes.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'

/** History is read in parts, so that no read takes a long turn. */
const PART_MS = 7 * DAY_MS
/** Results that are read for the latest response times of all locations. */
const MAX_RESULTS = 500

/** The response time of a good check, by its tick. */
export type Latest = readonly [tick: EpochMs, ms: number]

/** The hours of each location that are over, and of the settings of today. */
export async function usualHoursOf(
  core: Core,
  { record }: Pick<CachedMonitor, 'record'>,
  now: EpochMs,
): Promise<ReadonlyMap<number, readonly UsualHour[]>> {
  const { store, clock } = core
  const yieldIfLong = yielderOf(clock)
  const { id, machine } = record
  const locations = new Map<number, UsualHour[]>()
  const end = hourOf(now)
  // The hour of a change has figures of both.
  const first = Math.max(end - LEARNED_MS, hourOf((machine.checked_since ?? 0) + HOUR_MS - 1))
  for (let from = first; from < end; from += PART_MS) {
    const to = Math.min(from + PART_MS, end)
    const hourly = await store.hourly.list(id, from, to, setAside(core, 'totals'))
    // Up to 60,000 of a monitor that is checked every ten seconds.
    const troubled = new Map<EpochMs, number>()
    for await (const part of changesInParts(core, id, from, to))
      for (const [hour, ms] of troubledHours(part.changes, part.from, part.to))
        troubled.set(hour, (troubled.get(hour) ?? 0) + ms)
    await yieldIfLong()
    for (const stats of hourly) {
      const usual = usualHour(stats, troubled)
      if (usual === undefined) continue
      const hours = locations.get(stats.location_id) ?? []
      locations.set(stats.location_id, hours)
      hours.push(usual)
    }
  }
  return locations
}

/** The latest response times of each location since `from`, oldest first: an engine that starts goes on with them. */
export async function latestTimesOf(
  core: Core,
  { record, type, locations }: CachedMonitor,
  query: { readonly from: EpochMs; readonly checks: number },
): Promise<ReadonlyMap<number, readonly Latest[]>> {
  const limit = Math.min(MAX_RESULTS, query.checks * Math.max(1, locations.size))
  const from = Math.max(query.from, record.machine.checked_since ?? 0)
  const results = await core.store.results.list(
    { monitor_id: record.id, verdict: 'ok', from, limit },
    setAside(core, 'result'),
  )
  const latest = new Map<number, Latest[]>()
  for (const { location_id, round: tick, ...outcome } of results) {
    const ms = responseOf(type.checker, outcome)
    if (ms !== null) latest.set(location_id, [[tick, ms], ...(latest.get(location_id) ?? [])])
  }
  return latest
}
