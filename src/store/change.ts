/**
 * What a commit is made of: everything that one event does to one monitor.
 *
 * @module
 */

import type {
  AvailabilityChange,
  ClosedReason,
  CommonSettings,
  DailyStats,
  EpochMs,
  IncidentCause,
  IncidentRecord,
  JsonObject,
  LocationState,
  MachineState,
  ResultRecord,
} from '../model.ts'
import type { Allowance } from './quota.ts'

/** Stands in `machine.incident.id` for the id of the incident that the same change opens; the store fills it in. */
const OPENED_INCIDENT = 0

/** The machine's state with the id of the incident that was opened beside it. */
export function withIncident(machine: MachineState, opened_id: number | null): MachineState {
  if (machine.incident?.id !== OPENED_INCIDENT || opened_id === null) return machine
  return { ...machine, incident: { ...machine.incident, id: opened_id } }
}

/** Everything that one event does to one monitor. */
export interface Change {
  readonly monitor_id: number
  /** The revision the change was worked out on; another one stored means `outdated`. */
  readonly revision: number
  readonly at: EpochMs
  readonly machine?: MachineState
  /** New settings: grows the version. */
  readonly settings?: {
    readonly common: CommonSettings
    readonly settings: JsonObject
    readonly target: string
  }
  readonly token?: { readonly token: string; readonly token_hash: string }
  /** Drops what is known per location (memos included) before `locations` is written. */
  readonly forget_locations?: boolean
  readonly locations?: readonly LocationState[]
  readonly results?: readonly Omit<ResultRecord, 'id' | 'monitor_id'>[]
  /** Appended; never earlier than the last one of the monitor. */
  readonly availability?: readonly Omit<AvailabilityChange, 'monitor_id'>[]
  /** Added to what is counted already. */
  readonly daily?: readonly Omit<DailyStats, 'monitor_id'>[]
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
  /** Carried out before `notify`. */
  readonly cancel?: CancelNotifications
  readonly notify?: readonly NewNotification[]
  /** Refused (`quota`) where the monitor would be checked more often than before, and the account beyond this. */
  readonly within?: Pick<Allowance, 'checks_per_min'>
  /** Tell other processes of it (`Changes`), though neither settings nor token change. */
  readonly broadcast?: boolean
  /** Removes the monitor; its open incident must be closed by the same change. Incidents and the notification log stay. */
  readonly remove?: boolean
}

export interface CancelNotifications {
  /**
   * `later`: rows not due yet (`due_at` after the change's `at`) that no attempt was made for, and every queued
   * repetition. `all`: every queued row of the monitor but `up`, which somebody waits for who was told of the failure.
   * A row under way is never touched.
   */
  readonly scope: 'later' | 'all'
  /** Only rows of this incident; all of the monitor's where absent. */
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
  /** Made only where this contact has a row of the same incident that was not cancelled, or was attempted (`claims`) before. */
  readonly only_if_notified?: boolean
  /** Made only where this contact has no such row. */
  readonly only_if_not_notified?: boolean
}

export type Committed =
  | {
      readonly ok: true
      readonly version: number
      readonly revision: number
      /** The opened incident, or the one updated. */
      readonly incident_id: number | null
      readonly result_ids: readonly number[]
      readonly notification_ids: readonly number[]
    }
  | { readonly ok: false; readonly reason: 'gone' | 'outdated' | 'quota' }
