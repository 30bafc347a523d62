/**
 * The totals of the current hour: each round is counted into it, and an hour that is over is returned as a whole.
 *
 * @module
 */

import { addHours } from '../model/totals.ts'
import { HOUR_MS } from '../model/time.ts'
import type { CurrentHour, EpochMs, HourCounts, HourlyStats } from '../model.ts'

export type OfMonitor = Omit<HourlyStats, 'monitor_id'>

/** What one location counts in one round. */
export type Counted = readonly [location_id: number, counts: HourCounts]

export interface Hours {
  readonly hour: CurrentHour | undefined
  /** To be stored: the hour before, which is over, or what came in late. */
  readonly finished: readonly OfMonitor[]
}

/** When the UTC hour of a time begins. */
export function hourOf(at: EpochMs): EpochMs {
  return Math.floor(at / HOUR_MS) * HOUR_MS
}

/** The round is counted to the hour in which it was due. */
export function countHour(
  current: CurrentHour | undefined,
  round: EpochMs,
  counted: readonly Counted[],
): Hours {
  if (counted.length === 0) return { hour: current, finished: [] }
  const hour = hourOf(round)
  if (current === undefined) return { hour: counting(hour, {}, counted), finished: [] }
  if (hour > current.hour) return { hour: counting(hour, {}, counted), finished: hourlyOf(current) }
  if (hour === current.hour)
    return { hour: counting(hour, current.locations, counted), finished: [] }
  return { hour: current, finished: hourlyOf(counting(hour, {}, counted)) }
}

/** The rows of an hour, one per location. */
export function hourlyOf({ hour, locations }: CurrentHour): readonly OfMonitor[] {
  return Object.entries(locations).map(([id, counts]) => ({
    ...{ location_id: Number(id), hour },
    ...counts,
  }))
}

function counting(
  hour: EpochMs,
  known: CurrentHour['locations'],
  counted: readonly Counted[],
): CurrentHour {
  const locations: Record<string, HourCounts> = { ...known }
  for (const [id, counts] of counted) {
    const before = locations[id]
    locations[id] = before === undefined ? counts : addHours(before, counts)
  }
  return { hour, locations }
}
