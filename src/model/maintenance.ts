/**
 * Planned work of an account: a window for several monitors.
 *
 * @module
 */

import type { MaintenanceWindow } from './settings.ts'
import type { VersionedRecord } from './versioned.ts'

/** A monitor is covered if it is named, has one of the tags, or `all_monitors` is set. */
export interface MaintenanceSettings {
  readonly name: string
  readonly window: MaintenanceWindow
  readonly monitor_ids: readonly number[]
  /** Compared without regard to case. */
  readonly tags: readonly string[]
  readonly all_monitors: boolean
}

export type MaintenanceRecord = VersionedRecord<MaintenanceSettings>
