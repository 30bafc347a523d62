/**
 * Contacts, and what is sent to them.
 *
 * @module
 */

import type { JsonObject } from './json.ts'
import type { QuietHours } from './settings.ts'
import type { EpochMs } from './time.ts'

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
  /** Raised by every change. */
  readonly version: number
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

/** Events of a monitor that is up: a contact is notified of those that it asks for. */
export const SOFT_EVENTS = ['degraded', 'restored'] as const
export type SoftEvent = (typeof SOFT_EVENTS)[number]
