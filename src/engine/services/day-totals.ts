/**
 * Sums of UTC days that are over, kept in memory for a while: a chart of 90 days is read again at every change of a
 * page, and would add up thousands of hours each time.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import { DAY_MS } from '../../model/time.ts'
import { addHours } from '../../model/totals.ts'
import type { EpochMs, HourlyStats } from '../../model.ts'
import type { Core } from '../core/core.ts'
import { setAside } from '../core/damaged-rows.ts'
import { stepOf } from '../views/hours-view.ts'

/** A result that comes in late, or an import, is seen after this time at the latest. */
const KEPT_MS = 10 * 60_000
/** Of all monitors together: about 1 kB each. A monitor without any counts as one. */
const KEPT_ROWS = 10_000
/** The time that one query reads: a store may answer synchronously. */
const PART_MS = 10 * DAY_MS

interface Kept {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly read_at: EpochMs
  readonly days: readonly HourlyStats[]
}

export interface DayTotals {
  /**
   * The sums of the days from `from` to before `to`, both of them beginnings of days that are over: by day, then by
   * location.
   */
  between(monitor_id: number, from: EpochMs, to: EpochMs): Promise<readonly HourlyStats[]>
}

export function createDayTotals(core: Core): DayTotals {
  const kept = new Map<number, Kept>()
  let rows = 0

  function keep(monitor_id: number, read: Kept): void {
    forget(monitor_id)
    kept.set(monitor_id, read)
    rows += rowsOf(read)
    for (const id of kept.keys()) {
      if (rows <= KEPT_ROWS) return
      forget(id)
    }
  }

  function forget(monitor_id: number): void {
    const known = kept.get(monitor_id)
    if (!known) return
    kept.delete(monitor_id)
    rows -= rowsOf(known)
  }

  return {
    async between(monitor_id, from, to) {
      const now = core.clock.now()
      const known = kept.get(monitor_id)
      const isFresh =
        known !== undefined &&
        known.from <= from &&
        known.to >= to &&
        Math.abs(now - known.read_at) < KEPT_MS
      const read = isFresh
        ? known
        : { from, to, read_at: now, days: await daysBetween(core, monitor_id, from, to) }
      keep(monitor_id, read)
      return read.days.filter(({ hour }) => hour >= from && hour < to)
    },
  }
}

function rowsOf({ days }: Kept): number {
  return Math.max(days.length, 1)
}

async function daysBetween(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly HourlyStats[]> {
  const { store, clock } = core
  const days: HourlyStats[] = []
  const yieldIfLong = yielderOf(clock)
  for (let begin = from; begin < to; begin += PART_MS) {
    const end = Math.min(to, begin + PART_MS)
    const hours = await store.hourly.list(monitor_id, begin, end, setAside(core, 'totals'))
    for (const stats of daysOf(hours)) days.push(stats)
    await yieldIfLong()
  }
  return days
}

function daysOf(hours: readonly HourlyStats[]): readonly HourlyStats[] {
  const days = new Map<string, HourlyStats>()
  for (const stats of hours) {
    const hour = stepOf(stats.hour, 24)
    const key = `${hour} ${stats.location_id}`
    const sum = days.get(key)
    days.set(key, { ...stats, hour, ...(sum === undefined ? {} : addHours(sum, stats)) })
  }
  return [...days.values()]
}
