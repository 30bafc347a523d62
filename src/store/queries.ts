/**
 * What the methods of a store are asked: queries of lists, claims and ends of attempts, pruning, a changed wall clock,
 * responses of repeated requests.
 *
 * @module
 */

import type {
  AccountRecord,
  AttemptRecord,
  AuditAction,
  AuditedResource,
  EpochMs,
  MonitorState,
  NotificationStatus,
  Verdict,
} from '../model.ts'
import type { NewNotification } from './change.ts'

export type NewAccount = Pick<AccountRecord, 'name' | 'created_at'> &
  Partial<Pick<AccountRecord, 'external_id' | 'quotas' | 'monitor_defaults'>>

/** Whether a removal needs further steps. */
export type Removal = 'more' | 'done'

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
  /** Members of the metadata, as `rules.ts` writes them; all must match. */
  readonly metadata?: Readonly<Record<string, string>>
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

export interface AuditQuery extends OfAccount {
  readonly resource?: AuditedResource
  readonly resource_id?: number
  readonly action?: AuditAction
  readonly actor?: string
  /** `at` within [from, to). */
  readonly from?: EpochMs
  readonly to?: EpochMs
  readonly before_id?: number
  readonly limit: number
}

export interface Claim {
  readonly now: EpochMs
  readonly lease_until: EpochMs
  readonly limit: number
  /** Maximum number of rows per contact, including those with status `sending`. */
  readonly per_contact: number
  /** Maximum number of rows per account, including those with status `sending`. Default: no limit. */
  readonly per_account?: number
  /** Only rows of this contact. */
  readonly contact_id?: number
  /**
   * Maximum number of rows for contacts with the same host, including those with status `sending`; keyed by contact
   * id. Contacts that are not in the map have no such limit.
   */
  readonly hosts?: { readonly of: ReadonlyMap<number, string>; readonly limit: number }
}

export interface FinishedAttempt {
  readonly id: number
  /** `claims` of the row as it was claimed: the fencing token. */
  readonly claim: number
  /** `queued` with a new `due_at` requests a further attempt. */
  readonly status: 'sent' | 'failed' | 'queued' | 'cancelled'
  readonly due_at?: EpochMs
  readonly attempts: number
  /** Resets or keeps the number of attempts without a recorded result. */
  readonly interruptions: number
  readonly error: string | null
  readonly at: EpochMs
  /** Absent if nothing was sent (a cancelled row). */
  readonly attempt?: Omit<AttemptRecord, 'notification_id' | 'claim'>
  /** Created in the same transaction, if the row's incident is open and not acknowledged. */
  readonly then?: Pick<NewNotification, 'event' | 'due_at' | 'payload' | 'repeat'>
}

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
  /** Hourly totals of hours that began before it. */
  readonly hours_before: EpochMs
  readonly audit_before: EpochMs
  /**
   * API keys that were revoked before it, but not the one made last in its account. `meta` keeps the hash of each that
   * goes, under the name `revoked_key:<hash>`: it is never accepted again.
   */
  readonly revoked_before: EpochMs
  readonly idempotency_before: EpochMs
  readonly limit: number
}

export interface IdempotencyLimit {
  readonly count: number
  /** Of all bodies together, in UTF-8. */
  readonly bytes: number
}

export interface IdempotencyResponse {
  /** SHA-256 of method, path and body. */
  readonly request_hash: string
  readonly status: number
  readonly body: string
  readonly expires_at: EpochMs
}
