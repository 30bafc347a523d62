/**
 * The nouns of the engine. Names are those of the REST API and the webhooks, kept verbatim down to
 * storage. Times inside the engine are epoch milliseconds (UTC); they become ISO 8601 at the edges.
 *
 * @module
 */

import type { Phase, Phases } from './model/phase.ts'
import type { CommonSettings } from './model/settings.ts'

export type * from './model/phase.ts'
export type * from './model/settings.ts'
export { WEEKDAYS } from './model/settings.ts'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. */
export type EpochMs = number

/** `unknown` means that our side could not measure; it never opens an incident. */
export type Verdict = 'ok' | 'fail' | 'unknown'

/** How a measurement is written for people: `end` is a time at which something ends, and how far off that is matters. */
export const MEASUREMENT_FORMATS = ['end', 'time', 'ms', 'percent'] as const
export type MeasurementFormat = (typeof MEASUREMENT_FORMATS)[number]

/** What one check from one location found out. */
export interface Outcome<D extends JsonObject = JsonObject> {
  readonly verdict: Verdict
  /** Stable machine code of the cause, `null` when `verdict` is `ok`. */
  readonly cause_code: string | null
  /** One sentence for a person; never holds a secret. */
  readonly cause_text: string | null
  /** The phase in which it failed, where one can be named. */
  readonly phase: Phase | null
  /** ISO 8601 UTC with milliseconds. */
  readonly started_at: string
  /** How long the check took. */
  readonly duration_ms: number
  readonly phases: Phases
  /** The address that answered, or was tried last. */
  readonly remote_ip: string | null
  /** What the type measured; the names are listed per type in the documentation. */
  readonly details: D
}

/** A fact that may be news (a certificate nears its end, a page changed). The engine tells it once per `key`. */
export interface Notice {
  readonly event: string
  /** Identifies the news: the same key is not told twice for one monitor. */
  readonly key: string
  /** Added to the webhook body as it is. */
  readonly data: JsonObject
}

/** An outcome with what the engine needs besides it; this is what a probe sends back. */
export interface CheckReport {
  readonly outcome: Outcome
  readonly notices?: readonly Notice[]
  /** Handed to the next check of this monitor at this location as `ctx.memo`. */
  readonly memo?: Json
  /** When the judged condition began, where that differs from the check's own time (a missed deadline). */
  readonly since?: EpochMs
  /** The verdict is `ok`, but something awaited is overdue (a heartbeat within its grace). */
  readonly late?: boolean
  /** No check was begun: what stands here says why. */
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

/** The eight states folded for a simple reader. */
export const MONITOR_STATUSES = ['up', 'down', 'unknown', 'paused'] as const
export type MonitorStatus = (typeof MONITOR_STATUSES)[number]

/** How the seconds of a day are counted. */
export type Availability = 'up' | 'down' | 'unknown' | 'paused' | 'maintenance'

/** What the incident machine remembers of a monitor between rounds. Plain JSON. */
export interface MachineState {
  readonly state: MonitorState
  /** When `state` was entered. */
  readonly since: EpochMs
  /** Failing, good and undecided rounds in a row. */
  readonly fails: number
  readonly oks: number
  readonly inconclusive: number
  readonly first_fail_at: EpochMs | null
  readonly first_ok_at: EpochMs | null
  readonly last_round_at: EpochMs | null
  /** When a check of it ended last, wherever it was made; absent before the first round that could say so. */
  readonly looked_at?: EpochMs
  /** The last change of `availability`, or the end of a time in which nobody looked: nothing is dated back beyond it. */
  readonly known_since: EpochMs
  readonly incident: OpenIncident | null
  /** Keys of the notices told last, newest last, at most 50. */
  readonly sent_notice_keys: readonly string[]
  readonly availability: Availability
  /** Rounds in a row in which a location was silent, by location id; only those above zero. */
  readonly silent?: Readonly<Record<string, number>>
  /** The last round was decided without the locations that have been silent for long. */
  readonly reduced_quorum?: boolean
  /** The last 21 rounds, `1` with an incident open and `0` without; only with `flap_detection`. */
  readonly recent?: string
  readonly flapping?: boolean
}

export interface OpenIncident {
  readonly id: number
  readonly started_at: EpochMs
  readonly cause_code: string
  /** Why nobody is told, or told again, for now. */
  readonly suppression?: Suppression
}

export interface Suppression {
  readonly reason: 'dependency' | 'flapping' | 'maintenance'
  /** The parent that explains it, `null` while that is not clear and for the other reasons. */
  readonly by: number | null
  /** Failing rounds since it is held. */
  readonly rounds: number
}

export interface MonitorRecord {
  readonly id: number
  readonly account_id: number
  readonly type: string
  readonly common: CommonSettings
  /** Type-specific settings in wire form; secrets are sealed where the engine has a key. */
  readonly settings: JsonObject
  /** What webhooks and lists show as the checked address; free of secrets. */
  readonly target: string
  readonly machine: MachineState
  /** SHA-256 (hex) of the token of a monitor that is fed by signals, else `null`. */
  readonly token_hash: string | null
  /** The token itself, sealed where the engine has a key. */
  readonly token: string | null
  /** Starts at 1; grows with every change that a user makes: of settings, by pause and by resume. */
  readonly version: number
  /** Starts at 1; grows with every change of any kind. A change worked out on an older one is refused. */
  readonly revision: number
  readonly created_at: EpochMs
  readonly updated_at: EpochMs
}

/** What is known of one monitor at one location. */
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
  /** How late the check began against its due time; waiting is never part of `duration_ms`. */
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
  /** The first failing round, not the moment of its confirmation. */
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
  /** The monitor whose failure explains this one: nobody is told while it lasts. */
  readonly suppressed_by: number | null
  /** Somebody has taken it on; repetitions end. */
  readonly acknowledged_at: EpochMs | null
}

/** From `at` until the next entry of the same monitor, time counts as `availability`. */
export interface AvailabilityChange {
  readonly monitor_id: number
  readonly at: EpochMs
  readonly availability: Availability
}

/** Results of one monitor on one UTC day. */
export interface DailyStats {
  readonly monitor_id: number
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly ok: number
  readonly fail: number
  readonly unknown: number
  /** Sum of the response times of the good results, which `latency` counts. */
  readonly ok_ms: number
  /** Good results per latency bucket (see `incident/latency.ts`), bucket number to count. */
  readonly latency: Readonly<Record<string, number>>
}

/** Whether a value can be the id of an account at all: a positive integer that a number holds exactly. */
export function isAccountId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}

/** What an account may have at most. Left out: as the options of the engine say. `null`: without limit. */
export interface AccountQuotas {
  readonly monitors?: number | null | undefined
  readonly contacts?: number | null | undefined
  /** The shortest interval of a monitor, in seconds. */
  readonly min_interval_sec?: number | null | undefined
  /** Of all monitors that are checked and not paused: locations × 60 / interval. */
  readonly checks_per_min?: number | null | undefined
}

/** What an account has of it. */
export interface AccountUse {
  readonly monitors: number
  readonly contacts: number
  readonly checks_per_min: number
}

export interface AccountRecord {
  readonly id: number
  readonly name: string
  /** Its id in the host's own books, once in a store. */
  readonly external_id: string | null
  readonly quotas: AccountQuotas
  readonly created_at: EpochMs
}

export interface KeyRecord {
  readonly id: number
  readonly account_id: number
  readonly name: string
  /** The first characters, to recognise a key by. */
  readonly prefix: string
  /** SHA-256 of the key, hex. The key itself is shown once and never stored. */
  readonly hash: string
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
  /** Told about every monitor of the account. */
  readonly all_monitors: boolean
  /** Settings of the kind in wire form; secrets are sealed where the engine has a key. */
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
  /** Claims so far, counted or not: the fencing token of the attempt under way. */
  readonly claims: number
  /** Attempts in a row whose end nobody saw (the process died). */
  readonly interruptions: number
  readonly lease_until: EpochMs | null
  /** The event's body without `notification_id` and `sent_at`, frozen when the row is made: JSON text. */
  readonly payload: string
  /** Time of the first attempt; `null` before it. */
  readonly sent_at: EpochMs | null
  /** Number of the repetition, 0 for all other events. */
  readonly repeat: number
  /** Why it failed or was cancelled. */
  readonly error: string | null
  readonly created_at: EpochMs
  readonly finished_at: EpochMs | null
}

export interface AttemptRecord {
  readonly notification_id: number
  /** The claim this attempt was made under. */
  readonly claim: number
  readonly at: EpochMs
  readonly duration_ms: number
  readonly http_status: number | null
  /** Machine code of the failure, `interrupted` for an attempt whose end nobody saw, `null` on success. */
  readonly error: string | null
  /** The beginning of the receiver's answer, cut and escaped. */
  readonly answer: string | null
}
