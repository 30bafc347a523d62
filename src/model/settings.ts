/**
 * The settings of a monitor of any type.
 *
 * @module
 */

import type { JsonObject } from './json.ts'
import type { VersionedRecord } from './versioned.ts'

/** Settings every monitor has, whatever its type (spec 2.1). */
export interface CommonSettings {
  /** Name; default is the checked address */
  readonly name: string
  /** Time between checks (seconds) */
  readonly interval_sec: number
  /**
   * Total deadline of one check; less than the interval. By default four fifths of an interval that is no
   * longer than the default (milliseconds)
   */
  readonly timeout_ms: number
  /** Locations to check from; default all */
  readonly location_ids: readonly number[]
  /** Locations that must agree on a failure; default 2, or 1 where there is only one */
  readonly confirm_locations: number
  /** Failed rounds in a row that open an incident */
  readonly fail_threshold: number
  /** Good rounds in a row that close it */
  readonly recover_threshold: number
  /** Repeat the notification while down; 0: no repeats (minutes) */
  readonly notify_repeat_min: number
  /** Maximum number of repeats; 0: no limit */
  readonly notify_repeat_max: number
  /** Notify when it is up again */
  readonly notify_recovery: boolean
  /** Tags; a string with commas is accepted as well */
  readonly tags: readonly string[]
  /** Contacts, in addition to those for all monitors */
  readonly contact_ids: readonly number[]
  /** Contact id to minutes, at most 100: notify only if it is still down then (minutes) */
  readonly contact_delay: Readonly<Record<string, number>>
  /** Maintenance windows, in which no notification is sent */
  readonly maintenance: readonly MaintenanceWindow[]
  /** Parent monitors; while one is down, this monitor's alerts are suppressed */
  readonly depends_on: readonly number[]
  /** Send one `flapping` event for many outages in twenty rounds */
  readonly flap_detection: boolean
  /**
   * Values of the host's own, shown wherever the monitor is and carried by its events: at most 4096 bytes of JSON, 4
   * levels. Not encrypted: no place for secrets
   */
  readonly metadata: JsonObject
  /**
   * Thresholds of figures: beyond one the monitor is degraded and stays up. Each is { above } or { below }, or
   * both, under response or the name of a measurement; "baseline" for a response time beyond what is usual at the
   * hour
   */
  readonly warn: Warn
}

/** By figure: `response`, or the name of a measurement. */
export type Warn = Readonly<Record<string, WarnLimit | typeof BASELINE>>

/** In place of a limit of a response time: learned from the same hours of the last four weeks. */
export const BASELINE = 'baseline'

/** At least one of them; each itself is not beyond. */
export interface WarnLimit {
  readonly above?: number
  readonly below?: number
}

/**
 * Settings of new monitors of an account where their input does not give them; `null` is the same as absent. The bounds
 * are those of the settings.
 */
export type MonitorDefaults = {
  readonly [N in keyof Pick<CommonSettings, Exclude<keyof CommonSettings, PerMonitor>>]?:
    CommonSettings[N] | null | undefined
}

/** Settings that say something of one monitor. */
type PerMonitor = 'name' | 'depends_on' | 'maintenance'

/** The same for all accounts: without contacts, which belong to one account each. */
export type EngineMonitorDefaults = Omit<MonitorDefaults, 'contact_ids' | 'contact_delay'>

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export type MaintenanceWindow = OneOffWindow | RecurringWindow | CronWindow

export interface OneOffWindow {
  /** ISO 8601 with a zone. */
  readonly start: string
  /** Not included. */
  readonly end: string
  readonly skip_checks: boolean
}

export interface RecurringWindow {
  /** Time of day, `HH:MM`. */
  readonly at: string
  readonly duration_min: number
  /** IANA name. */
  readonly time_zone: string
  /** Only on these days of the week; all where empty. */
  readonly weekdays: readonly Weekday[]
  /** Only on these days of the month; all where empty. */
  readonly days: readonly number[]
  readonly skip_checks: boolean
}

export interface CronWindow {
  /** When it opens: a cron expression of five fields, with one minute of the hour. */
  readonly cron: string
  readonly duration_min: number
  /** IANA name. */
  readonly time_zone: string
  readonly skip_checks: boolean
}

/** When a contact is not to be disturbed. */
export interface QuietHours {
  /** IANA name. */
  readonly time_zone: string
  readonly hours: readonly QuietSpan[]
  /** What becomes of a notification: it waits for the end, or is dropped. */
  readonly during: 'wait' | 'drop'
  /** An outage that began and ended within is reported as one `outage`, or not at all. */
  readonly ended: 'notify' | 'skip'
  /** Monitors with one of these tags are never silenced. */
  readonly except_tags: readonly string[]
}

export interface QuietSpan {
  /** Time of day, `HH:MM`. */
  readonly from: string
  /** Not included; on the next day if not after `from`. `24:00` is the end of the day. */
  readonly to: string
  /** The days on which it begins; all where empty. */
  readonly weekdays: readonly Weekday[]
}

/** Planned work of an account. A monitor is covered if it is named, has one of the tags, or `all_monitors` is set. */
export interface MaintenanceSettings {
  readonly name: string
  readonly window: MaintenanceWindow
  readonly monitor_ids: readonly number[]
  /** Compared without regard to case. */
  readonly tags: readonly string[]
  readonly all_monitors: boolean
}

export type MaintenanceRecord = VersionedRecord<MaintenanceSettings>
