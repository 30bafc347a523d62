/**
 * The views of the engine's records: the bodies of the REST API, the same for callers in code. Times are ISO 8601 UTC
 * with milliseconds, secrets are masked.
 *
 * @module
 */

import type { AnyChecker, FieldsOf } from '../../checkers/checker.ts'
import type { Flat, IsAnyText, Stored } from '../../fields/field.ts'
import type {
  AuditAction,
  AuditedResource,
  ClosedReason,
  CommonSettings,
  DegradedEnd,
  FieldChange,
  Json,
  JsonObject,
  KeyScope,
  MonitorState,
  MonitorStatus,
  NotificationStatus,
  Outcome,
  QuietHours,
  SoftEvent,
} from '../../model.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import type { FieldsOfKind } from './inputs.ts'
import type { OccurrenceView } from './maintenance.ts'

export interface MonitorSummary {
  readonly id: number
  readonly type: string
  readonly name: string
  readonly target: string
  readonly state: MonitorState
  readonly status: MonitorStatus
  /** The state is unknown: no check has started for two intervals, or the last rounds were inconclusive. */
  readonly stale: boolean
  /** So many outages in the last rounds that `down` and `up` are not sent (`flap_detection`). */
  readonly flapping: boolean
  /** Up, and beyond a threshold of `warn`; `null`: not. */
  readonly degraded: DegradedView | null
  readonly interval_sec: number
  readonly tags: readonly string[]
  readonly metadata: JsonObject
  readonly last_check_at: string | null
  readonly next_check_at: string | null
  /** The duration of the last check; the response time of its target is `last_response_ms`. */
  readonly last_duration_ms: number | null
  /** The response time of the last check, as the type measures it; `null` without one. */
  readonly last_response_ms: number | null
  readonly cause_code: string | null
  readonly open_incident_id: number | null
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

/** A monitor that is up and beyond a threshold of its setting `warn`. */
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

export interface LocationStatus {
  readonly location_id: number
  readonly name: string
  readonly status: 'up' | 'down' | 'unknown'
  readonly last_check_at: string | null
  readonly duration_ms: number | null
  readonly response_ms: number | null
  readonly phases: Outcome['phases']
  readonly cause_code: string | null
  readonly cause_text: string | null
  readonly consecutive_fails: number
}

/**
 * Summary, every setting (type-specific ones at the top level, as they are written), status per location. If the
 * checkers are known, `type` determines the settings.
 */
export type MonitorView<C extends AnyChecker = AnyChecker> = C extends AnyChecker
  ? IsAnyText<
      C['type'],
      MonitorSummary & CommonSettings & MonitorStanding & { readonly [setting: string]: unknown },
      Flat<
        { readonly type: C['type'] } & Omit<MonitorSummary, 'type'> &
          CommonSettings &
          MonitorStanding &
          Stored<FieldsOf<C>>
      >
    >
  : never

interface MonitorStanding {
  readonly locations: readonly LocationStatus[]
  readonly counters: {
    readonly fails: number
    readonly oks: number
    readonly inconclusive: number
  }
  /** Only for push types. */
  readonly token?: string
  readonly ping_url?: string
  /** Only in the result of `create` and `update`, and only if there are any. */
  readonly warnings?: readonly SettingWarning[]
}

/** A setting that was given and has no effect: it is stored, and `text` says why it has no effect. */
export interface SettingWarning {
  readonly field: string
  readonly text: string
}

/** The settings as they would be stored, secrets masked, and what would change. */
export interface MonitorPreview {
  readonly settings: JsonObject
  /** Empty if nothing differs. */
  readonly changes: readonly SettingChange[]
  /** For the given settings; empty if all have an effect. */
  readonly warnings: readonly SettingWarning[]
}

export interface SettingChange {
  /** A setting at the top level: `url`, `auth`. */
  readonly field: string
  readonly from: Json
  readonly to: Json
  /** Only the masked part differs. */
  readonly secret: boolean
}

export interface StatusView {
  readonly state: MonitorState
  readonly status: MonitorStatus
  readonly since: string
  readonly last_check_at: string | null
  readonly next_check_at: string | null
  readonly stale: boolean
  readonly flapping: boolean
  readonly degraded: DegradedView | null
  /** Locations have been silent for so long that the others decide without them. */
  readonly reduced_quorum: boolean
  /** Locations at which the check fails while the quorum is not reached. */
  readonly degraded_locations: readonly number[]
  /** Start or end of the next maintenance window. */
  readonly maintenance_changes_at: string | null
  /** The next 30 days, its own windows and those of the account: at most 5, by their start. */
  readonly planned_maintenance: readonly OccurrenceView[]
  readonly cause_code: string | null
  readonly cause_text: string | null
  readonly incident: { readonly id: number; readonly started_at: string } | null
  readonly locations: readonly LocationStatus[]
  readonly uptime_24h: number | null
}

/** An outcome with the response time that its type declares. */
export interface TimedOutcome<D extends JsonObject = JsonObject> extends Outcome<D> {
  /** The response time of the target, as the type measures it; `null` if not measured. */
  readonly response_ms: number | null
}

/** An outcome with its ids and times. */
export interface ResultView<D extends JsonObject = JsonObject> extends TimedOutcome<D> {
  readonly id: number
  readonly monitor_id: number
  readonly location_id: number
  readonly round: string
  readonly lag_ms: number
}

export interface IncidentView {
  readonly id: number
  readonly monitor: {
    readonly id: number
    readonly name: string
    readonly type: string
    readonly target: string
  }
  readonly state: 'open' | 'closed'
  readonly started_at: string
  readonly detected_at: string
  readonly ended_at: string | null
  /** Until now for an open incident. */
  readonly duration_sec: number
  readonly cause_code: string
  readonly cause_text: string
  readonly causes: readonly {
    readonly at: string
    readonly cause_code: string
    readonly cause_text: string
  }[]
  readonly locations_failed: readonly number[]
  readonly closed_reason: ClosedReason | null
  /** The parent whose failure suppresses the notifications. */
  readonly suppressed_by: number | null
  /** When the incident was acknowledged; repeats stop then. */
  readonly acknowledged_at: string | null
}

export interface UptimeSeconds {
  /** Percent, floored to four digits: never 100 if there was downtime; `null` without data. */
  readonly uptime: number | null
  readonly up_sec: number
  /** The part of `up_sec` in which it was degraded. */
  readonly degraded_sec: number
  readonly down_sec: number
  readonly paused_sec: number
  readonly maintenance_sec: number
  readonly unknown_sec: number
  readonly incidents: number
}

export interface UptimeDay extends UptimeSeconds {
  readonly date: string
  readonly checks: number
  /** Response times of successful checks; percentiles deviate by at most five percent. */
  readonly avg_ms: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
  /** The day has not ended, or the monitor was created during it. */
  readonly partial: boolean
}

export interface UptimeView extends Omit<UptimeSeconds, 'uptime'> {
  readonly from: string
  readonly to: string
  readonly tz: 'UTC'
  readonly overall: number | null
  /** Over the successful checks of all these days. */
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
  readonly days: readonly UptimeDay[]
}

/** If the kinds are known, `kind` determines the settings. */
export type ContactView<K extends AnyContactKind = AnyContactKind> = K extends AnyContactKind
  ? {
      readonly id: number
      readonly kind: K['kind']
      readonly name: string
      readonly all_monitors: boolean
      readonly quiet: QuietHours | null
      readonly group_window_sec: number
      readonly events: readonly SoftEvent[]
      readonly settings: IsAnyText<K['kind'], JsonObject, Stored<FieldsOfKind<K>>>
      readonly last_delivery: {
        readonly at: string
        readonly ok: boolean
        readonly error: string | null
      } | null
      /** Raised by every change. */
      readonly version: number
      readonly created_at: string
    }
  : never

/** What a contact would be sent. */
export interface ContactPreview {
  readonly event: string
  /** As the kind composes it: the body of a request, or subject and texts of an e-mail. */
  readonly content: JsonObject
}

export interface LocationView {
  readonly id: number
  readonly name: string
  readonly online: boolean
}

export interface AttemptView {
  readonly at: string
  readonly duration_ms: number
  readonly http_status: number | null
  readonly error: string | null
  readonly answer: string | null
}

export interface NotificationView {
  readonly id: number
  readonly event: string
  readonly monitor_id: number | null
  readonly incident_id: number | null
  readonly contact_id: number
  readonly status: NotificationStatus
  readonly error: string | null
  readonly repeat: number
  readonly created_at: string
  readonly sent_at: string | null
  readonly next_attempt_at: string | null
  readonly finished_at: string | null
  readonly attempts: readonly AttemptView[]
}

/** One change in the audit log. */
export interface AuditEntryView {
  readonly id: number
  readonly at: string
  /** Who did it; `null` where nobody said. */
  readonly actor: string | null
  readonly action: AuditAction
  readonly resource: AuditedResource
  readonly resource_id: number
  /** Its name after the change, or its last one; `null` for a removed account. */
  readonly resource_name: string | null
  /** For `updated`: the fields, with their values as far as those cannot be secrets. */
  readonly changes: readonly FieldChange[]
}

export interface KeyView {
  readonly id: number
  readonly account_id: number
  readonly name: string
  readonly prefix: string
  /** What it may do; `['read', 'write']` is everything. */
  readonly scopes: readonly KeyScope[]
  readonly created_at: string
  readonly last_used_at: string | null
  readonly revoked_at: string | null
}
