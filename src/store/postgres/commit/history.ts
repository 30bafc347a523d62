import { addHours } from '../../../model/totals.ts'
import type { DailyStats, HourlyStats } from '../../../model.ts'
import { packPhases } from '../../phases.ts'
import { addDaily } from '../../rules.ts'
import { readable } from '../../readable.ts'
import { hourTotals, toDaily, toHourly } from '../../rows.ts'
import { arraysOf, given, insertAll } from '../bulk.ts'
import type { Columns } from '../bulk.ts'
import type { Session } from '../database.ts'
import { idsOf } from './incidents.ts'
import type { Accepted } from './accepted.ts'

const RESULTS = {
  monitor_id: 'bigint',
  location_id: 'bigint',
  round: 'bigint',
  started_at: 'bigint',
  lag_ms: 'double precision',
  duration_ms: 'double precision',
  verdict: 'text',
  cause_code: 'text',
  cause_text: 'text',
  phase: 'text',
  phases: 'text',
  remote_ip: 'text',
  details: 'text',
} as const satisfies Columns

const PUT_RESULTS = `${insertAll('watchpost.results', RESULTS)} RETURNING id`

export async function putResults(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const rows = accepted.flatMap(({ change: { monitor_id, results = [] } }) =>
    results.map((result) => {
      const details = JSON.stringify(result.details)
      return {
        monitor_id,
        location_id: result.location_id,
        round: result.round,
        started_at: result.started_at,
        lag_ms: result.lag_ms,
        duration_ms: result.duration_ms,
        verdict: result.verdict,
        cause_code: result.cause_code,
        cause_text: result.cause_text,
        phase: result.phase,
        phases: packPhases(result.phases),
        remote_ip: result.remote_ip,
        details: details === '{}' ? null : details,
      }
    }),
  )
  if (rows.length === 0) return
  const ids = await idsOf(session, PUT_RESULTS, arraysOf(RESULTS, rows))
  let from = 0
  for (const one of accepted) {
    const to = from + (one.change.results?.length ?? 0)
    one.result_ids = ids.slice(from, to)
    from = to
  }
}

const AVAILABILITY = {
  monitor_id: 'bigint',
  at: 'bigint',
  availability: 'text',
} as const satisfies Columns

const PUT_AVAILABILITY = insertAll('watchpost.availability', AVAILABILITY)

export async function putHistory(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const entries = accepted.flatMap(({ change: { monitor_id, availability = [] } }) =>
    availability.map((entry) => ({ ...entry, monitor_id })),
  )
  if (entries.length > 0) await session.run(PUT_AVAILABILITY, arraysOf(AVAILABILITY, entries))
  await putDaily(session, accepted)
  await putHourly(session, accepted)
}

const DAYS = { monitor_id: 'bigint', day: 'text' } as const satisfies Columns
const DAILY = {
  ...DAYS,
  ok: 'bigint',
  fail: 'bigint',
  unknown: 'bigint',
  ok_ms: 'double precision',
  latency: 'text',
} as const satisfies Columns

const READ_DAILY = `SELECT d.* FROM ${given(DAYS)}
  JOIN watchpost.daily AS d ON d.monitor_id = given.monitor_id AND d.day = given.day`
const PUT_DAILY = `INSERT INTO watchpost.daily (monitor_id, day, ok, fail, unknown, ok_ms, latency)
  SELECT monitor_id, day, ok, fail, unknown, ok_ms, latency FROM ${given(DAILY)}
  ON CONFLICT (monitor_id, day) DO UPDATE SET ok = excluded.ok, fail = excluded.fail,
  unknown = excluded.unknown, ok_ms = excluded.ok_ms, latency = excluded.latency`

/** Reads the totals, adds and writes them back: the monitor is locked, so no other transaction writes its days. */
async function putDaily(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const sums = new Map<string, DailyStats>()
  const add = (stats: DailyStats): void => {
    const key = `${stats.monitor_id} ${stats.day}`
    const known = sums.get(key)
    sums.set(
      key,
      known === undefined ? stats : { ...addDaily(known, stats), monitor_id: stats.monitor_id },
    )
  }
  for (const { change } of accepted) {
    for (const stats of change.daily ?? []) add({ ...stats, monitor_id: change.monitor_id })
  }
  if (sums.size === 0) return
  const rows = await session.rows(READ_DAILY, arraysOf(DAYS, [...sums.values()]))
  // Totals that are damaged are lost; the new ones are not.
  readable(rows, toDaily).forEach(add)
  const written = [...sums.values()].map((stats) => ({
    ...stats,
    latency: JSON.stringify(stats.latency),
  }))
  await session.run(PUT_DAILY, arraysOf(DAILY, written))
}

const HOURS = {
  monitor_id: 'bigint',
  hour: 'bigint',
  location_id: 'bigint',
} as const satisfies Columns
const HOURLY = { ...HOURS, totals: 'text' } as const satisfies Columns

const READ_HOURLY = `SELECT h.* FROM ${given(HOURS)} JOIN watchpost.hourly AS h
  ON h.monitor_id = given.monitor_id AND h.hour = given.hour AND h.location_id = given.location_id`
const PUT_HOURLY = `INSERT INTO watchpost.hourly (monitor_id, hour, location_id, totals)
  SELECT monitor_id, hour, location_id, totals FROM ${given(HOURLY)}
  ON CONFLICT (monitor_id, hour, location_id) DO UPDATE SET totals = excluded.totals`

/** As with days. Hours are over when they are written: most commits have none. */
async function putHourly(session: Session, accepted: readonly Accepted[]): Promise<void> {
  const sums = new Map<string, HourlyStats>()
  const add = (stats: HourlyStats): void => {
    const { monitor_id, hour, location_id } = stats
    const key = `${monitor_id} ${hour} ${location_id}`
    const known = sums.get(key)
    sums.set(key, known === undefined ? stats : { ...stats, ...addHours(known, stats) })
  }
  for (const { change } of accepted)
    for (const stats of change.hourly ?? []) add({ ...stats, monitor_id: change.monitor_id })
  if (sums.size === 0) return
  const rows = await session.rows(READ_HOURLY, arraysOf(HOURS, [...sums.values()]))
  readable(rows, toHourly).forEach(add)
  const written = [...sums.values()].map(({ monitor_id, ...stats }) => ({
    ...{ monitor_id, hour: stats.hour, location_id: stats.location_id },
    totals: hourTotals(stats),
  }))
  await session.run(PUT_HOURLY, arraysOf(HOURLY, written))
}
