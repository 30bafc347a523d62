/**
 * The views of a monitor that is up and beyond a threshold of its setting `warn`.
 *
 * @module
 */

import type { DegradedEnd } from '../../model.ts'

export interface DegradedView {
  /** The first round beyond the threshold. */
  readonly since: string
  readonly cause_code: string
  readonly cause_text: string
}

export interface RestoredView extends DegradedView {
  readonly ended_at: string
  readonly duration_sec: number
  /** `recovered`: the figure came back. Otherwise the monitor is no longer up, or no longer checked. */
  readonly closed_reason: DegradedEnd
}
