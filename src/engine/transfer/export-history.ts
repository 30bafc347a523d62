/**
 * The history of an account as lines: totals and availability by monitor, incidents and results in the order of time,
 * so that whoever stores them gives them ids in that order, as retention expects.
 *
 * @module
 */

import { iso, isoOrNull, yielderOf } from '../../clock.ts'
import type { AvailabilityChange, HourlyStats, IncidentRecord, ResultRecord } from '../../model.ts'
import { DAY_MS, HOUR_MS } from '../../model/time.ts'
import type { Core } from '../core/core.ts'
import { hoursBetween } from '../services/hours.ts'
import { jsonLine } from './lines.ts'

const PAGE = 100
/** Results that are read in one turn: each may have 64 KiB of details. */
const MAX_RESULTS = 32
const ALWAYS = Number.MAX_SAFE_INTEGER

type Ids = ReadonlySet<number>

export async function* historyLines(
  core: Core,
  account_id: number,
  ids: Ids,
): AsyncGenerator<string> {
  // A monitor without history yields no line, and a store in this process answers without yielding.
  const yieldIfLong = yielderOf(core.clock)
  for (const id of ids) {
    await yieldIfLong()
    yield* monitorHistory(core, id)
  }
  yield* incidentLines(core, account_id, ids)
  yield* resultLines(core, ids)
}

async function* monitorHistory(core: Core, id: number): AsyncGenerator<string> {
  const { store } = core
  const days = await store.daily.list(id, '0000-01-01', '9999-12-31')
  for (const { monitor_id, ...day } of days)
    yield jsonLine('day', { monitor: monitor_id, ...day, latency: { ...day.latency } })
  const [first] = days
  if (first !== undefined)
    for await (const stats of hoursSince(core, id, first.day)) yield hourLine(stats)
  for await (const { at, availability } of changesOf(store, id))
    yield jsonLine('availability', { monitor: id, at: iso(at), availability })
}

/** A day at a time. */
async function* hoursSince(core: Core, id: number, first: string): AsyncGenerator<HourlyStats> {
  const yieldIfLong = yielderOf(core.clock)
  const until = core.clock.now() + HOUR_MS
  for (let day = Date.parse(first); day < until; day += DAY_MS) {
    await yieldIfLong()
    yield* await hoursBetween(core, id, day, day + DAY_MS)
  }
}

function hourLine({ monitor_id, location_id, ...stats }: HourlyStats): string {
  return jsonLine('hour', {
    monitor: monitor_id,
    location: location_id,
    ...stats,
    hour: iso(stats.hour),
    latency: latencyOf(stats),
    phases: { ...stats.phases },
    figures: Object.fromEntries(
      Object.entries(stats.figures).map(([name, [...totals]]) => [name, totals]),
    ),
  })
}

function latencyOf({
  latency: [lowest, ...counts],
}: Pick<HourlyStats, 'latency'>): [] | [number, ...number[]] {
  return lowest === undefined ? [] : [lowest, ...counts]
}

/** Changes of one moment stay together: the next page begins with a later one. */
async function* changesOf(store: Core['store'], id: number): AsyncGenerator<AvailabilityChange> {
  for (let from = 0; ;) {
    const page = (await store.availability.list(id, from, ALWAYS, PAGE)).filter(
      ({ at }) => at >= from,
    )
    const last = page.at(-1)
    if (last === undefined) return
    const whole = page.length < PAGE || page[0]?.at === last.at
    for (const change of page) if (whole || change.at < last.at) yield change
    if (page.length < PAGE) return
    from = whole ? last.at + 1 : last.at
  }
}

/** The store lists the newest first: its pages are marked, and read from the last to the first. */
async function* incidentLines(core: Core, account_id: number, ids: Ids): AsyncGenerator<string> {
  const { store } = core
  const marks: number[] = []
  const yieldIfLong = yielderOf(core.clock)
  const page = (before_id: number): Promise<readonly IncidentRecord[]> =>
    store.incidents.list({ account_id, limit: PAGE, before_id })
  for (let before = ALWAYS; ;) {
    await yieldIfLong()
    const found = await page(before)
    const [newest] = found
    if (newest === undefined) break
    // What opens from now on is not in the export.
    marks.push(newest.id + 1)
    before = found.at(-1)?.id ?? 0
  }
  for (const mark of marks.toReversed())
    for (const incident of (await page(mark)).toReversed())
      if (ids.has(incident.monitor_id)) yield incidentLine(incident)
}

function incidentLine(incident: IncidentRecord): string {
  const { id: _, account_id: _a, suppressed_by: _s, monitor_id: monitor, ...rest } = incident
  return jsonLine('incident', {
    ...rest,
    monitor,
    started_at: iso(rest.started_at),
    detected_at: iso(rest.detected_at),
    ended_at: isoOrNull(rest.ended_at),
    acknowledged_at: isoOrNull(rest.acknowledged_at),
    causes: rest.causes.map((cause) => ({ ...cause, at: iso(cause.at) })),
    locations_failed: [...rest.locations_failed],
  })
}

/** How far the results of a monitor are written. */
interface Reading {
  readonly id: number
  /** The last one that was written. */
  after: number
  /** When the next one started; `null` if there is none. */
  next: number | null
  /** Results of its last day: as many are read at once. */
  step: number
}

/** A day of all monitors, then the next one: a merge that keeps a few numbers of each monitor. */
async function* resultLines({ store, clock }: Core, ids: Ids): AsyncGenerator<string> {
  const until = clock.now() + 1
  const readings: Reading[] = []
  const yieldIfLong = yielderOf(clock)
  for (const id of ids) {
    await yieldIfLong()
    const [first] = await store.results.list({ monitor_id: id, order: 'asc', limit: 1 })
    if (first !== undefined) readings.push({ id, after: 0, next: first.started_at, step: 20 })
  }
  for (let day = startOfDay(earliest(readings)); day <= until; day = nextDay(day, readings)) {
    for (const reading of readings)
      if (reading.next !== null && reading.next < day + DAY_MS)
        yield* resultsUntil(store, reading, Math.min(day + DAY_MS, until))
  }
}

async function* resultsUntil(
  store: Core['store'],
  reading: Reading,
  until: number,
): AsyncGenerator<string> {
  let count = 0
  for (;;) {
    const limit = Math.min(MAX_RESULTS, reading.step + 2)
    const page = await store.results.list({
      monitor_id: reading.id,
      order: 'asc',
      limit,
      ...(reading.after === 0 ? {} : { after_id: reading.after }),
    })
    const later = page.findIndex(({ started_at }) => started_at >= until)
    const due = later < 0 ? page : page.slice(0, later)
    for (const result of due) yield resultLine(result)
    count += due.length
    reading.after = due.at(-1)?.id ?? reading.after
    reading.step = Math.max(5, count)
    reading.next = page[later]?.started_at ?? null
    if (later >= 0 || page.length < limit) return
  }
}

function resultLine({ id: _, monitor_id, location_id, ...result }: ResultRecord): string {
  return jsonLine('result', {
    monitor: monitor_id,
    location: location_id,
    ...result,
    round: iso(result.round),
    started_at: iso(result.started_at),
    phases: { ...result.phases },
  })
}

function earliest(readings: readonly Reading[]): number {
  return readings.reduce((least, { next }) => Math.min(least, next ?? Infinity), Infinity)
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/** Days without results are skipped. */
function nextDay(day: number, readings: readonly Reading[]): number {
  return Math.max(day + DAY_MS, startOfDay(earliest(readings)))
}
