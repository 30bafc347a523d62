/**
 * What a user sets for a monitor of any type.
 *
 * @module
 */

/** Settings every monitor has, whatever its type (spec 2.1). */
export interface CommonSettings {
  readonly name: string
  readonly interval_sec: number
  readonly timeout_ms: number
  readonly location_ids: readonly number[]
  readonly confirm_locations: number
  readonly fail_threshold: number
  readonly recover_threshold: number
  readonly notify_repeat_min: number
  readonly notify_repeat_max: number
  readonly notify_recovery: boolean
  readonly tags: readonly string[]
  readonly contact_ids: readonly number[]
  /** Contact id (as a string key) to minutes. */
  readonly contact_delay: Readonly<Record<string, number>>
  /** Times of planned work: nobody is told of anything. */
  readonly maintenance: readonly MaintenanceWindow[]
  /** Monitors whose failure explains a failure of this one. */
  readonly depends_on: readonly number[]
  /** Tell once of many outages in a short time, instead of each. */
  readonly flap_detection: boolean
}

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export type MaintenanceWindow = OneOffWindow | RecurringWindow

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
