/**
 * The parts of a commit: everything that one event changes of one monitor.
 *
 * @module
 */

import type {
  AvailabilityChange,
  ClosedReason,
  CommonSettings,
  DailyStats,
  EpochMs,
  HourlyStats,
  IncidentCause,
  IncidentRecord,
  JsonObject,
  LocationState,
  MachineState,
  NewAuditRecord,
  ResultRecord,
} from '../model.ts'
import type { Allowance } from './quota.ts'

/** Placeholder in `machine.incident.id` for the id of the incident that the same change opens; the store replaces it. */
const OPENED_INCIDENT = 0

/** Returns the machine's state with the placeholder replaced by the id of the incident that was opened. */
export function withIncident(machine: MachineState, opened_id: number | null): MachineState {
  if (machine.incident?.id !== OPENED_INCIDENT || opened_id === null) return machine
  return { ...machine, incident: { ...machine.incident, id: opened_id } }
}

/** Everything that one event changes of one monitor. */
export interface Change {
  readonly monitor_id: number
  /** The revision the change was computed from; if the stored one differs, the result is `outdated`. */
  readonly revision: number
  readonly at: EpochMs
  readonly machine?: MachineState
  /** New settings; raises the version. */
  readonly settings?: {
    readonly common: CommonSettings
    readonly settings: JsonObject
    readonly target: string
  }
  readonly token?: { readonly token: string; readonly token_hash: string }
  /** Deletes the states of all locations (memos included) before `locations` is written. */
  readonly forget_locations?: boolean
  readonly locations?: readonly LocationState[]
  readonly results?: readonly Omit<ResultRecord, 'id' | 'monitor_id'>[]
  /** Appended; none is earlier than the monitor's last one. */
  readonly availability?: readonly Omit<AvailabilityChange, 'monitor_id'>[]
  /** Added to the stored totals. */
  readonly daily?: readonly Omit<DailyStats, 'monitor_id'>[]
  /** Hours that are over, or a late part of one; added to the stored totals. */
  readonly hourly?: readonly Omit<HourlyStats, 'monitor_id'>[]
  readonly open_incident?: Omit<
    IncidentRecord,
    'id' | 'account_id' | 'monitor_id' | 'ended_at' | 'closed_reason' | 'acknowledged_at'
  >
  readonly update_incident?: {
    readonly id: number
    readonly ended_at?: EpochMs
    readonly closed_reason?: ClosedReason
    readonly causes?: readonly IncidentCause[]
    readonly locations_failed?: readonly number[]
    readonly suppressed_by?: number | null
    readonly acknowledged_at?: EpochMs
  }
  /** Executed before `notify`. */
  readonly cancel?: CancelNotifications
  readonly notify?: readonly NewNotification[]
  /** Fails with `quota` if the change raises the monitor's check rate and the account then exceeds this allowance. */
  readonly within?: Pick<Allowance, 'checks_per_min'>
  /** Broadcast the change to other processes (`Changes`), even if neither settings nor token change. */
  readonly broadcast?: boolean
  /** Who made the change; stored with it. */
  readonly audit?: NewAuditRecord
  /** Removes the monitor; the same change must close its open incident. Incidents and the notification log stay. */
  readonly remove?: boolean
}

export interface CancelNotifications {
  /**
   * `later`: rows that are not due yet (`due_at` after the change's `at`) and were never attempted, and every queued
   * repeat. `all`: every queued row of the monitor except `up`, since its contact has received `down`.
   * A row with status `sending` is never cancelled.
   */
  readonly scope: 'later' | 'all'
  /** Only rows of this incident; if absent, all rows of the monitor. */
  readonly incident_id?: number
  readonly reason: string
}

export interface NewNotification {
  readonly contact_id: number
  readonly event: string
  readonly due_at: EpochMs
  readonly payload: string
  readonly repeat: number
  /** `opened`: the incident that the same change opens. */
  readonly incident: 'opened' | number | null
  /**
   * Create the row only if this contact has a row of the same incident that was attempted (`claims > 0`) or is not
   * cancelled.
   */
  readonly only_if_notified?: boolean
  /** Create the row only if this contact has no such row. */
  readonly only_if_not_notified?: boolean
}

export type Committed =
  | {
      readonly ok: true
      readonly version: number
      readonly revision: number
      /** The incident that the change opened or updated. */
      readonly incident_id: number | null
      readonly result_ids: readonly number[]
      readonly notification_ids: readonly number[]
    }
  | { readonly ok: false; readonly reason: 'gone' | 'outdated' | 'quota' }
