/**
 * What the engine has in memory of its monitors, as plain numbers.
 *
 * @module
 */

import type { EpochMs, MonitorState, Verdict } from '../../model.ts'

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
