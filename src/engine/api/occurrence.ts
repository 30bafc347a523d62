/** One opening of a maintenance window in the public API of the engine. */

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
