/**
 * The hourly totals of a monitor, with the hour that goes on.
 *
 * @module
 */

import { hourlyOf } from '../../incident/hours.ts'
import { addHours } from '../../model/totals.ts'
import type { EpochMs, HourlyStats } from '../../model.ts'
import type { Core } from '../core/core.ts'

/** Reads that are repeated when the hour turned between them. */
const TRIES = 3

/** Hours that begin within [from, to), by hour, then by location; none of a monitor that is not there. */
export async function hoursBetween(
  { store }: Pick<Core, 'store'>,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly HourlyStats[]> {
  let before = await store.monitors.get(monitor_id)
  for (let tries = 1; before !== undefined; tries++) {
    const finished = await store.hourly.list(monitor_id, from, to)
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

/** A late result or an import may have stored a part of the hour that goes on. */
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
