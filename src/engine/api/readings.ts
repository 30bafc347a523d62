/**
 * The monitors in the engine's memory, as plain numbers.
 *
 * @module
 */

import type { EpochMs, MonitorState, Verdict } from '../../model.ts'

/** One monitor of this engine. */
export interface MonitorReading {
  readonly account_id: number
  readonly id: number
  readonly name: string
  readonly type: string
  readonly state: MonitorState
  readonly flapping: boolean
  /** Up, and beyond a threshold of `warn`. */
  readonly degraded: boolean
  /** The state is unknown: no check has started for two intervals, or the last rounds were inconclusive. */
  readonly stale: boolean
  readonly incident_open: boolean
  /** No notifications are sent for the incident: a parent, a maintenance window or flapping suppresses them. */
  readonly incident_suppressed: boolean
  readonly locations: readonly LocationReading[]
}

/** The last check of one location; absent before its first check. */
export interface LocationReading {
  readonly location_id: number
  readonly name: string
  readonly verdict: Verdict
  readonly checked_at: EpochMs
  readonly duration_ms: number
  /** Its response time, as the type measures it; `null` without one. */
  readonly response_ms: number | null
}
