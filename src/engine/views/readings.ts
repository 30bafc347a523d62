/**
 * What the engine has in memory of its monitors, as plain numbers: for whoever reads all of them every few
 * seconds, without a question to the store.
 *
 * @module
 */

import { responseOf } from '../../checkers/checker.ts'
import type { EpochMs, LocationRecord, MonitorState, Verdict } from '../../model.ts'
import type { CachedMonitor } from '../monitors/monitor-cache.ts'

/** One monitor that this engine watches. */
export interface MonitorReading {
  readonly account_id: number
  readonly id: number
  readonly name: string
  readonly type: string
  readonly state: MonitorState
  readonly flapping: boolean
  /** Nobody knows how it is: its checks have not begun for two intervals, or the last rounds could not be decided. */
  readonly stale: boolean
  readonly incident_open: boolean
  /** The incident is not told, since another monitor or a window of planned work explains it. */
  readonly incident_held: boolean
  readonly locations: readonly LocationReading[]
}

/** The last check of one location; of a location that has not checked yet there is none. */
export interface LocationReading {
  readonly location_id: number
  readonly name: string
  readonly verdict: Verdict
  readonly checked_at: EpochMs
  readonly duration_ms: number
  /** The response time of it, as the type measures it; `null` where it has none. */
  readonly response_ms: number | null
}

export function readingOf(
  { record, locations, type }: CachedMonitor,
  known: readonly LocationRecord[],
  stale: boolean,
): MonitorReading {
  const { machine, common } = record
  return {
    account_id: record.account_id,
    id: record.id,
    name: common.name,
    type: record.type,
    state: machine.state,
    flapping: machine.flapping === true,
    stale,
    incident_open: machine.incident !== null,
    incident_held: machine.incident?.suppression !== undefined,
    locations: known.flatMap(({ id, name }) => {
      const last = common.location_ids.includes(id) ? locations.get(id)?.last : null
      if (last == null) return []
      const { verdict, duration_ms, started_at } = last
      const checked_at = Date.parse(started_at)
      const response_ms = responseOf(type.checker, last)
      return [{ location_id: id, name, verdict, checked_at, duration_ms, response_ms }]
    }),
  }
}
