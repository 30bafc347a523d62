/**
 * The filters and options of the engine's lists and calls, and the pages of lists.
 *
 * @module
 */

import type {
  AuditAction,
  AuditedResource,
  EpochMs,
  MonitorState,
  MonitorStatus,
  Verdict,
} from '../../model.ts'

/** A `Date`, epoch milliseconds, or ISO 8601 text, UTC without an offset; from 1970 to 9999. */
export type TimeInput = Date | EpochMs | string

export interface PageOptions {
  /**
   * Default 50, 1 to 200 (results: default 100, at most 1000, and fewer if their `details` exceed 1 MiB of JSON in
   * total).
   */
  readonly limit?: number | undefined
  /** `next` of the previous page. */
  readonly after?: number | undefined
}

/** A page of a list; `next` is `after` of the call for the next one, `null` at the end. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: number | null
}

export interface MonitorFilter extends PageOptions {
  /** Any of these states, or of the four statuses they fold into. */
  readonly status?: readonly (MonitorState | MonitorStatus)[] | undefined
  readonly type?: readonly string[] | undefined
  /** All must match; an inner list means "any of these". */
  readonly tag?: readonly (string | readonly string[])[] | undefined
  /** Members at the top level of the metadata, compared as text; all must match. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined
  /** Part of the name or the target; case is ignored. */
  readonly q?: string | undefined
}

export interface ResultFilter extends PageOptions {
  readonly location_id?: number | undefined
  readonly verdict?: Verdict | undefined
  /** Inclusive. */
  readonly from?: TimeInput | undefined
  /** Exclusive. */
  readonly to?: TimeInput | undefined
  readonly order?: 'asc' | 'desc' | undefined
}

export interface IncidentFilter extends PageOptions {
  readonly monitor_id?: number | undefined
  readonly open?: boolean | undefined
  readonly cause_code?: string | undefined
  /** Started at or after this time. */
  readonly from?: TimeInput | undefined
  /** Started before this time. */
  readonly to?: TimeInput | undefined
}

export interface NotificationFilter extends PageOptions {
  readonly monitor_id?: number | undefined
  readonly incident_id?: number | undefined
  readonly contact_id?: number | undefined
}

export interface AuditFilter extends PageOptions {
  readonly resource?: AuditedResource | undefined
  /** Id of the monitor, contact, window of planned work, key or account; use it with `resource`. */
  readonly resource_id?: number | undefined
  readonly action?: AuditAction | undefined
  /** Exactly this actor. */
  readonly actor?: string | undefined
  /** Changed at or after this time. */
  readonly from?: TimeInput | undefined
  /** Changed before this time. */
  readonly to?: TimeInput | undefined
}

export interface ActorOptions {
  /**
   * Who makes the changes, as the audit log shows it: an id or a name of your own, 1 to 200 characters. Default: nobody
   * is named.
   */
  readonly actor?: string | undefined
}

export interface VersionOptions {
  /** Rejects with a `ConflictError` (`version_mismatch`) if another version is stored. */
  readonly version?: number | undefined
}
