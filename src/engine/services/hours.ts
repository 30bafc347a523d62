/**
 * The hourly totals of a monitor, with the current hour.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { ValidationError } from '../../errors.ts'
import { hourlyOf } from '../../incident/hours.ts'
import { DAY_MS } from '../../model/time.ts'
import { addHours } from '../../model/totals.ts'
import type { EpochMs, HourlyStats, MonitorRecord } from '../../model.ts'
import type { HoursView } from '../api/hours.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { hoursView, stepOf } from '../views/hours-view.ts'
import { hoursOptions } from './filters.ts'
import { readFilter } from './read-filter.ts'
import type { ServiceContext } from './service-context.ts'
import { newestChanges } from '../core/availability-changes.ts'

/** How often the reads are repeated if an hour begins between them. */
const TRIES = 3
/** A longer period is refused: it would be read in one piece. */
const MAX_DAYS = 100
/** The time that one query reads: a store may answer synchronously. */
const PART_MS = 10 * DAY_MS

type Source = Pick<ServiceContext, 'core' | 'dayTotals'>

/** @throws ValidationError */
export async function hoursOf(
  source: Source,
  record: MonitorRecord,
  options: unknown,
): Promise<HoursView> {
  const { core } = source
  const now = core.clock.now()
  const { to = now, step_hours = 1, ...given } = readFilter(hoursOptions, options)
  const from = stepOf(given.from ?? to - DAY_MS, step_hours)
  if (to - from > MAX_DAYS * DAY_MS)
    throw new ValidationError({ from: `out_of_range: at most ${MAX_DAYS} days before "to"` })
  const end = Math.max(from, Math.min(to, now))
  const hours = await (step_hours === 24
    ? withDays(source, record, { from, to })
    : inParts(core, record.id, { from, to }))
  const changes = await newestChanges(core, record.id, from, end)
  const view = { from, to: end, step_hours, hours, changes }
  return hoursView(view, yielderOf(core.clock))
}

interface Period {
  readonly from: EpochMs
  readonly to: EpochMs
}

async function inParts(
  core: Core,
  monitor_id: number,
  { from, to }: Period,
): Promise<readonly HourlyStats[]> {
  const yieldIfLong = yielderOf(core.clock)
  const hours: HourlyStats[] = []
  for (let begin = from; begin < to; begin += PART_MS) {
    const part = await hoursBetween(core, monitor_id, begin, Math.min(to, begin + PART_MS))
    for (const stats of part) hours.push(stats)
    await yieldIfLong()
  }
  return hours
}

/** The days that ended at least a day ago, and the hours since. */
async function withDays(
  { core, dayTotals }: Source,
  { id, machine }: MonitorRecord,
  { from, to }: Period,
): Promise<readonly HourlyStats[]> {
  const recent = Math.max(from, stepOf(core.clock.now(), 24) - DAY_MS)
  const until = stepOf(Math.min(to, recent), 24)
  if (until <= from) return hoursBetween(core, id, from, to)
  const days = await dayTotals.between(id, from, until)
  // While a monitor is paused, its current hour is the one of its last round.
  const { hour } = machine
  const paused = hour !== undefined && hour.hour >= from && hour.hour < until ? hourlyOf(hour) : []
  return [
    ...days,
    ...paused.map((stats) => ({ ...stats, monitor_id: id })),
    ...(until < to ? await hoursBetween(core, id, until, to) : []),
  ]
}

/** Hours that begin within [from, to), by hour, then by location; none if the monitor does not exist. */
export async function hoursBetween(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly HourlyStats[]> {
  const { store } = core
  let before = await store.monitors.get(monitor_id)
  for (let tries = 1; before !== undefined; tries++) {
    const finished = await store.hourly.list(monitor_id, from, to, setAside(core, 'totals'))
    const after = await store.monitors.get(monitor_id)
    const current = before.machine.hour
    // Otherwise the current hour is in neither of them, or in both.
    if (after?.machine.hour?.hour === current?.hour || tries === TRIES) {
      if (current === undefined || current.hour < from || current.hour >= to) return finished
      return withHour(
        finished,
        hourlyOf(current).map((stats) => ({ ...stats, monitor_id })),
      )
    }
    before = after
  }
  return []
}

/** A late result or an import may have stored a part of the current hour. */
function withHour(
  finished: readonly HourlyStats[],
  current: readonly HourlyStats[],
): readonly HourlyStats[] {
  const sums = finished.map((stats) => {
    const more = current.find(
      ({ hour, location_id }) => hour === stats.hour && location_id === stats.location_id,
    )
    return more === undefined ? stats : { ...stats, ...addHours(stats, more) }
  })
  const isNew = ({ hour, location_id }: HourlyStats): boolean =>
    !finished.some((stats) => stats.hour === hour && stats.location_id === location_id)
  return [...sums, ...current.filter(isNew)].toSorted(
    (a, b) => a.hour - b.hour || a.location_id - b.location_id,
  )
}
