/**
 * Planned work in the public API of the engine: one window for several monitors.
 *
 * @module
 */

import type { Json, JsonObject, MaintenanceWindow } from '../../model.ts'
import type { Page, PageOptions, VersionOptions } from './filters.ts'
import type { WindowInput } from './inputs.ts'

/** At least one of `monitor_ids`, `tags` and `all_monitors` is needed. */
export interface MaintenanceInput {
  /** 1 to 200 characters; public pages show it. */
  readonly name: string
  /** One-off windows last up to 90 days and begin within two years. */
  readonly window: WindowInput
  /** Up to 200 monitors of the account. */
  readonly monitor_ids?: readonly number[] | null | undefined
  /** Every monitor with one of these tags, now or later; case is ignored. */
  readonly tags?: readonly string[] | null | undefined
  /** Every monitor of the account, now or later. */
  readonly all_monitors?: boolean | null | undefined
}

/** `null` resets a field, `undefined` keeps it; `window` is replaced as a whole. */
export type MaintenancePatch = Partial<MaintenanceInput>

export interface MaintenanceView {
  readonly id: number
  readonly name: string
  readonly window: MaintenanceWindow
  readonly monitor_ids: readonly number[]
  readonly tags: readonly string[]
  readonly all_monitors: boolean
  /** The window is open. */
  readonly active: boolean
  /** Of the occurrence that is open, otherwise of the next one; `null` if there is no other. */
  readonly starts_at: string | null
  readonly ends_at: string | null
  readonly version: number
  readonly created_at: string
  readonly updated_at: string
}

export interface MaintenancePreview {
  readonly settings: JsonObject
  /** Empty if nothing differs. */
  readonly changes: readonly { readonly field: string; readonly from: Json; readonly to: Json }[]
  /** A one-off window whose end has passed, which `create` refuses. */
  readonly ended: boolean
}

export interface MaintenanceFilter extends PageOptions {
  /** Those that cover this monitor. */
  readonly monitor_id?: number | undefined
  /** Open at present, or not. */
  readonly active?: boolean | undefined
}

/** One opening of a window. */
export interface OccurrenceView {
  /** `null` for a window in the settings of the monitor itself. */
  readonly maintenance_id: number | null
  readonly name: string | null
  readonly starts_at: string
  readonly ends_at: string
  readonly active: boolean
  /** Checks pause meanwhile. */
  readonly skip_checks: boolean
  /** What the window covers. */
  readonly monitor_ids: readonly number[]
  readonly tags: readonly string[]
  readonly all_monitors: boolean
}

export interface UpcomingOptions {
  /** How far ahead, 1 to 366; default 30. */
  readonly days?: number | undefined
  /** Of this monitor, with the windows of its own settings. */
  readonly monitor_id?: number | undefined
  /** 1 to 200, default 50. */
  readonly limit?: number | undefined
}

/**
 * Windows that overlap add up: a monitor is in maintenance while at least one is open, and its checks pause while one
 * of the open ones says so. A change takes effect at once, also for windows that are open.
 */
export interface MaintenanceServices {
  /**
   * At the quota of the account, one-off windows that ended more than 30 days ago are removed first.
   *
   * @throws ValidationError with every problem at once
   * @throws ConflictError `quota`
   */
  create(input: MaintenanceInput): Promise<MaintenanceView>
  /** What `create` would store, and how it differs from another window. @throws ValidationError as `create` does */
  preview(
    input: MaintenanceInput,
    options?: { readonly against?: number | undefined },
  ): Promise<MaintenancePreview>
  get(id: number): Promise<MaintenanceView>
  list(filter?: MaintenanceFilter): Promise<Page<MaintenanceView>>
  update(id: number, patch: MaintenancePatch, options?: VersionOptions): Promise<MaintenanceView>
  /** Ends the window if it is open. */
  remove(id: number, options?: VersionOptions): Promise<void>
  /** Occurrences that are open or begin within `days`, by their start. */
  upcoming(options?: UpcomingOptions): Promise<readonly OccurrenceView[]>
}
