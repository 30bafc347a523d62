/**
 * The records of the engine. Names are those of the REST API and the webhooks, used verbatim down to storage. Times
 * inside the engine are epoch milliseconds (UTC); they become ISO 8601 at the edges.
 *
 * @module
 */

import type { CurrentHour } from './model/totals.ts'
import type { Json, JsonObject } from './model/json.ts'
import type { CommonSettings } from './model/settings.ts'
import type { EpochMs } from './model/time.ts'

export type * from './model/accounts.ts'
export type * from './model/audit.ts'
export type { Json, JsonObject } from './model/json.ts'
export type * from './model/notifications.ts'
export type * from './model/public-page.ts'
export type { KeyScope } from './model/scopes.ts'
export type * from './model/settings.ts'
export type { EpochMs } from './model/time.ts'
export type * from './model/totals.ts'
export type * from './model/versioned.ts'
export { FIRST_ACCOUNT, isAccountId } from './model/accounts.ts'
export { NOTIFICATION_STATUSES, SOFT_EVENTS } from './model/notifications.ts'
export { BASELINE, WEEKDAYS } from './model/settings.ts'

/** `unknown` means that the check could not measure; it never opens an incident. */
export type Verdict = 'ok' | 'fail' | 'unknown'

/** How a measurement is formatted: `end` is the time of an expiry, shown with the remaining time. */
export const MEASUREMENT_FORMATS = ['end', 'time', 'ms', 'percent'] as const
export type MeasurementFormat = (typeof MEASUREMENT_FORMATS)[number]

/** The phases of the built-in checkers, from name resolution to the last byte. */
export const BUILTIN_PHASES = [
  'resolve',
  'connect',
  'tls',
  'starttls',
  'greeting',
  'send',
  'auth',
  'query',
  'first_byte',
  'transfer',
] as const
export type BuiltinPhase = (typeof BUILTIN_PHASES)[number]

/** The phase of a check. A custom checker may define others. */
export type Phase = BuiltinPhase | (string & {})

/** Milliseconds spent per phase, summed over redirects and retries; only the phases that took place. */
export type Phases = { readonly [P in BuiltinPhase as `${P}_ms`]?: number } & {
  readonly [own: `${string}_ms`]: number
}

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

/** A monitor that is up and beyond a threshold of its setting `warn`. */
export interface Degraded {
  /** The first round beyond it. */
  readonly since: EpochMs
  readonly cause_code: string
  readonly cause_text: string
}

/** What ended it: the figure came back, or the monitor is no longer up or checked. */
export type DegradedEnd =
  'recovered' | 'down' | 'maintenance' | 'paused' | 'reconfigured' | 'deleted'

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

export interface LocationRecord {
  readonly id: number
  readonly name: string
}
