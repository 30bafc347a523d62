/**
 * The inputs of pruning and of a changed wall clock.
 *
 * @module
 */

import type { EpochMs } from '../model.ts'

/** The wall clock was set by `by_ms`; times between `after` and `before`, both exclusive, refer to the old time. */
export interface ClockSet {
  readonly by_ms: number
  readonly after: EpochMs
  readonly before: EpochMs
}

export interface PruneOptions {
  readonly results_before: EpochMs
  /**
   * Final notifications (with attempts). Those of an incident that is open, or that has further notifications to
   * send, stay, since they determine which contacts receive its end.
   */
  readonly notifications_before: EpochMs
  /**
   * Daily statistics and availability changes. The last change of a monitor before this time stays, however old: it
   * is the state when the kept part begins.
   */
  readonly history_before: EpochMs
  readonly idempotency_before: EpochMs
  readonly limit: number
}
