/**
 * The records of the engine. Names are those of the REST API and the webhooks, used verbatim down to storage. Times
 * inside the engine are epoch milliseconds (UTC); they become ISO 8601 at the edges.
 *
 * @module
 */

import type { Degraded, SoftEvent } from './model/degraded.ts'
import type { CurrentHour } from './model/totals.ts'
import type { Json, JsonObject } from './model/json.ts'
import type { AccountQuotas } from './model/quotas.ts'
import type { Phase, Phases } from './model/phase.ts'
import type { KeyScope } from './model/scopes.ts'
import type { CommonSettings, MonitorDefaults, QuietHours } from './model/settings.ts'

export type { Json, JsonObject } from './model/json.ts'
export type * from './model/audit.ts'
export type * from './model/degraded.ts'
export type * from './model/totals.ts'
export type * from './model/maintenance.ts'
export type * from './model/phase.ts'
export type * from './model/public-page.ts'
export type * from './model/quotas.ts'
export type { KeyScope } from './model/scopes.ts'
export type * from './model/settings.ts'
export type * from './model/versioned.ts'
export { SOFT_EVENTS } from './model/degraded.ts'
export { BASELINE, WEEKDAYS } from './model/settings.ts'

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type EpochMs = number

/** `unknown` means that the check could not measure; it never opens an incident. */
export type Verdict = 'ok' | 'fail' | 'unknown'

/** How a measurement is formatted: `end` is the time of an expiry, shown with the remaining time. */
export const MEASUREMENT_FORMATS = ['end', 'time', 'ms', 'percent'] as const
export type MeasurementFormat = (typeof MEASUREMENT_FORMATS)[number]

/** The outcome of one check at one location. */
export interface Outcome<D extends JsonObject = JsonObject> {
  readonly verdict: Verdict
  /** Stable machine code of the cause, `null` when `verdict` is `ok`. */
  readonly cause_code: string | null
  /** One sentence for a person; never contains a secret. */
  readonly cause_text: string | null
  /** The phase that failed, if known. */
  readonly phase: Phase | null
  /** ISO 8601 UTC with milliseconds. */
  readonly started_at: string
  /** The duration of the check. */
  readonly duration_ms: number
  readonly phases: Phases
  /** The address that answered, or the last one tried. */
  readonly remote_ip: string | null
  /** The measurements of the type; the documentation lists their names. */
  readonly details: D
}

/** A fact that is not a failure (a certificate expires soon, a page changed). The engine sends it once per `key`. */
export interface Notice {
  readonly event: string
  /** Identifies the notice: the same key is not sent twice for one monitor. */
  readonly key: string
  /** Added to the webhook body as it is. */
  readonly data: JsonObject
}

/** An outcome with further data for the engine; a probe returns this. */
export interface CheckReport {
  readonly outcome: Outcome
  readonly notices?: readonly Notice[]
  /** Passed to the next check of this monitor at this location as `ctx.memo`. */
  readonly memo?: Json
  /** When the condition began, if that differs from the time of the check (a missed deadline). */
  readonly since?: EpochMs
  /** The verdict is `ok`, but a signal is overdue (a heartbeat within its grace). */
  readonly late?: boolean
  /** No check started: the cause says why. */
  readonly begun?: false
}

export const MONITOR_STATES = [
  'pending',
  'up',
  'confirming',
  'down',
  'recovering',
  'late',
  'maintenance',
  'paused',
] as const
export type MonitorState = (typeof MONITOR_STATES)[number]

/** The eight states folded into four. */
export const MONITOR_STATUSES = ['up', 'down', 'unknown', 'paused'] as const
export type MonitorStatus = (typeof MONITOR_STATUSES)[number]

/** How the seconds of a day are counted. `degraded` is up as well. */
export type Availability = 'up' | 'degraded' | 'down' | 'unknown' | 'paused' | 'maintenance'

/** The state of the incident machine of a monitor between rounds. Plain JSON. */
export interface MachineState {
  readonly state: MonitorState
  /** When `state` was entered. */
  readonly since: EpochMs
  /** Failed, good and inconclusive rounds in a row. */
  readonly fails: number
  readonly oks: number
  readonly inconclusive: number
  readonly first_fail_at: EpochMs | null
  readonly first_ok_at: EpochMs | null
  readonly last_round_at: EpochMs | null
  /** When a check last ended, at any location; absent before the first round that recorded it. */
  readonly last_check_ended_at?: EpochMs
  /** The last change of `availability`, or the end of a gap without checks: nothing is dated before it. */
  readonly known_since: EpochMs
  readonly incident: OpenIncident | null
  /** Keys of the last sent notices, newest last, at most 50. */
  readonly sent_notice_keys: readonly string[]
  readonly availability: Availability
  /** Consecutive silent rounds per location id; only those above zero. */
  readonly silent?: Readonly<Record<string, number>>
  /** The last round was decided without locations that have been silent for too long. */
  readonly reduced_quorum?: boolean
  /** The last 21 rounds, `1` with an incident open and `0` without; only with `flap_detection`. */
  readonly recent?: string
  readonly flapping?: boolean
  /** Absent: not degraded. */
  readonly degraded?: Degraded
  /** Rounds in a row that say the opposite of `degraded`, and the first of them. */
  readonly warn_streak?: { readonly rounds: number; readonly since: EpochMs }
  /** Since when the same is checked; absent: since it was created. */
  readonly checked_since?: EpochMs
  /** The totals of the current hour; absent before the first round. */
  readonly hour?: CurrentHour
}

export interface OpenIncident {
  readonly id: number
  readonly started_at: EpochMs
  readonly cause_code: string
  /** Why notifications are suppressed at present. */
  readonly suppression?: Suppression
}

export interface Suppression {
  readonly reason: 'dependency' | 'flapping' | 'maintenance'
  /** The parent that is the reason, `null` while that is unclear and for other reasons. */
  readonly by: number | null
  /** Failed rounds since the suppression began. */
  readonly rounds: number
}

export interface MonitorRecord {
  readonly id: number
  readonly account_id: number
  readonly type: string
  readonly common: CommonSettings
  /** Type-specific settings in stored form; secrets are encrypted if the engine has a key. */
  readonly settings: JsonObject
  /** The checked address as shown in webhooks and lists; free of secrets. */
  readonly target: string
  readonly machine: MachineState
  /** SHA-256 (hex) of the token of a push type, else `null`. */
  readonly token_hash: string | null
  /** The token itself, encrypted if the engine has a key. */
  readonly token: string | null
  /** Starts at 1; raised by every change that a user makes: of settings, by pause and by resume. */
  readonly version: number
  /** Starts at 1; raised by every change of any kind. A change computed on an older one is rejected. */
  readonly revision: number
  readonly created_at: EpochMs
  readonly updated_at: EpochMs
}

/** The state of one monitor at one location. */
export interface LocationState {
  readonly monitor_id: number
  readonly location_id: number
  readonly last: Outcome | null
  readonly consecutive_fails: number
  readonly memo: Json | null
}

export interface ResultRecord extends Omit<Outcome, 'started_at'> {
  readonly id: number
  readonly monitor_id: number
  readonly location_id: number
  /** The due time shared by all locations of one round. */
  readonly round: EpochMs
  readonly started_at: EpochMs
  /** How late the check started after its due time; waiting is never part of `duration_ms`. */
  readonly lag_ms: number
}

export type ClosedReason = 'recovered' | 'paused' | 'reconfigured' | 'deleted'

export interface IncidentCause {
  readonly at: EpochMs
  readonly cause_code: string
  readonly cause_text: string
}

export interface IncidentRecord {
  readonly id: number
  readonly account_id: number
  readonly monitor_id: number
  /** The first failed round, not the time of its confirmation. */
  readonly started_at: EpochMs
  readonly detected_at: EpochMs
  /** The first good round; `null` while open. */
  readonly ended_at: EpochMs | null
  readonly cause_code: string
  readonly cause_text: string
  /** Every change of cause while open, the first one included; at most 50, the latest kept. */
  readonly causes: readonly IncidentCause[]
  readonly locations_failed: readonly number[]
  readonly closed_reason: ClosedReason | null
  /** The parent whose failure suppresses the notifications. */
  readonly suppressed_by: number | null
  /** When it was acknowledged; repeats stop then. */
  readonly acknowledged_at: EpochMs | null
}

/** From `at` until the next entry of the same monitor, time counts as `availability`. */
export interface AvailabilityChange {
  readonly monitor_id: number
  readonly at: EpochMs
  readonly availability: Availability
}

/** The first account of a store: created with the store, and the default where none is named. */
export const FIRST_ACCOUNT = 1

/** Whether a value can be the id of an account: a positive safe integer. */
export function isAccountId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/** The usage of an account. */
export interface AccountUse {
  readonly monitors: number
  readonly contacts: number
  readonly checks_per_min: number
}

export interface AccountRecord {
  readonly id: number
  readonly name: string
  /** Its id in the host's system, unique in a store. */
  readonly external_id: string | null
  readonly quotas: AccountQuotas
  /** Settings of its new monitors where their input does not give them; before those of the engine's options. */
  readonly monitor_defaults: MonitorDefaults
  readonly created_at: EpochMs
}

export interface KeyRecord {
  readonly id: number
  readonly account_id: number
  readonly name: string
  /** The first characters, to identify a key. */
  readonly prefix: string
  /** SHA-256 of the key, hex. The key itself is shown once and never stored. */
  readonly hash: string
  readonly scopes: readonly KeyScope[]
  readonly created_at: EpochMs
  readonly last_used_at: EpochMs | null
  readonly revoked_at: EpochMs | null
}

export interface LocationRecord {
  readonly id: number
  readonly name: string
}

export interface ContactRecord {
  readonly id: number
  readonly account_id: number
  readonly kind: string
  readonly name: string
  /** Receives the notifications of every monitor of the account. */
  readonly all_monitors: boolean
  readonly quiet: QuietHours | null
  /** Notifications of this many seconds go out as one message; 0: each by itself. */
  readonly group_window_sec: number
  /** Soft events of which it is notified as well. */
  readonly events: readonly SoftEvent[]
  /** Settings of the kind in stored form; secrets are encrypted if the engine has a key. */
  readonly settings: JsonObject
  readonly created_at: EpochMs
  readonly updated_at: EpochMs
}

export const NOTIFICATION_STATUSES = ['queued', 'sending', 'sent', 'failed', 'cancelled'] as const
export type NotificationStatus = (typeof NOTIFICATION_STATUSES)[number]

export interface NotificationRecord {
  readonly id: number
  readonly account_id: number
  readonly monitor_id: number | null
  readonly incident_id: number | null
  readonly contact_id: number
  readonly event: string
  readonly status: NotificationStatus
  /** Earliest time of the next attempt. */
  readonly due_at: EpochMs
  /** Counted attempts so far. */
  readonly attempts: number
  /** Claims so far, counted or not: the fencing token of the running attempt. */
  readonly claims: number
  /** Consecutive attempts without a recorded result (the process ended). */
  readonly interruptions: number
  readonly lease_until: EpochMs | null
  /** The event's body without `notification_id` and `sent_at`, fixed when the row is created: JSON text. */
  readonly payload: string
  /** Time of the first attempt; `null` before it. */
  readonly sent_at: EpochMs | null
  /** Number of the repeat, 0 for all other events. */
  readonly repeat: number
  /** Why it failed or was cancelled. */
  readonly error: string | null
  readonly created_at: EpochMs
  readonly finished_at: EpochMs | null
}

export interface AttemptRecord {
  readonly notification_id: number
  /** The claim of this attempt. */
  readonly claim: number
  readonly at: EpochMs
  readonly duration_ms: number
  readonly http_status: number | null
  /** Machine code of the failure, `interrupted` for an attempt without a recorded result, `null` on success. */
  readonly error: string | null
  /** The beginning of the receiver's response, cut and escaped. */
  readonly answer: string | null
}
