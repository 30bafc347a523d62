/**
 * What is asked of a store's lists.
 *
 * @module
 */

import type { EpochMs, MonitorState, NotificationStatus, Verdict } from '../model.ts'

/**
 * Whose rows: of one account, or of `all`, which the engine asks for itself. There is no third way: a query
 * without an account, or for one that cannot be, rejects with `NotFoundError`.
 */
export interface OfAccount {
  readonly account_id: number | 'all'
}

export interface MonitorQuery extends OfAccount {
  readonly states?: readonly MonitorState[]
  readonly types?: readonly string[]
  /** Each inner list is "any of these"; all inner lists must hold. Compared without case. */
  readonly tags?: readonly (readonly string[])[]
  /** Substring of name or target, without case (also beyond ASCII). */
  readonly q?: string
  /** Those in any of these shards. */
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
  /** Continue behind this id, in the direction of `order`. */
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
