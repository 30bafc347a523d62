/**
 * The queries of a store's lists.
 *
 * @module
 */

import type { EpochMs, MonitorState, NotificationStatus, Verdict } from '../model.ts'

/**
 * The owner of the rows: one account, or `all`, which the engine itself uses. A query without an account, or with an
 * invalid one, rejects with `NotFoundError`.
 */
export interface OfAccount {
  readonly account_id: number | 'all'
}

export interface MonitorQuery extends OfAccount {
  readonly states?: readonly MonitorState[]
  readonly types?: readonly string[]
  /** Each inner list means "any of these"; all inner lists must match. Case is ignored. */
  readonly tags?: readonly (readonly string[])[]
  /** Substring of name or target; case is ignored (also beyond ASCII). */
  readonly q?: string
  /** Monitors in any of these shards. */
  readonly shards?: readonly number[]
  readonly after_id?: number
  readonly limit: number
}

export interface ResultQuery {
  readonly monitor_id: number
  readonly location_id?: number
  readonly verdict?: Verdict
  /** `started_at` within [from, to). */
  readonly from?: EpochMs
  readonly to?: EpochMs
  /** Continue after this id, in the direction of `order`. */
  readonly after_id?: number
  readonly order?: 'asc' | 'desc'
  readonly limit: number
}

export interface IncidentQuery extends OfAccount {
  readonly monitor_id?: number
  readonly open?: boolean
  readonly cause_code?: string
  /** `started_at` within [from, to). */
  readonly from?: EpochMs
  readonly to?: EpochMs
  readonly before_id?: number
  readonly limit: number
}

export interface NotificationQuery extends OfAccount {
  readonly monitor_id?: number
  readonly incident_id?: number
  readonly contact_id?: number
  readonly statuses?: readonly NotificationStatus[]
  readonly before_id?: number
  readonly limit: number
}
