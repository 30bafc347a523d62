/**
 * Actions on many monitors at once.
 *
 * @module
 */

import type { MonitorFilter, PageOptions } from './filters.ts'

/**
 * Which monitors: the filter of `monitors.list`, a list of `ids`, or `all: true`. One of them must be given, so that
 * a lost filter never means all monitors.
 */
export interface BulkFilter extends Omit<MonitorFilter, keyof PageOptions> {
  /** At most 1000; beside no other member. */
  readonly ids?: readonly number[] | undefined
  /** Every monitor of the account; beside no other member. */
  readonly all?: true | undefined
}

/** What happens to the monitors. `tag` adds before it removes, without regard to case. */
export type BulkAction =
  | { readonly action: 'pause' | 'resume' | 'check' | 'remove' }
  | {
      readonly action: 'tag'
      readonly add_tags?: readonly string[] | undefined
      readonly remove_tags?: readonly string[] | undefined
    }

export interface BulkOptions {
  readonly filter: BulkFilter
  /** Counts the monitors that match and changes nothing. */
  readonly dry_run?: boolean | undefined
  /** Monitors of one call, 1 to 10000, the default. */
  readonly limit?: number | undefined
}

export type BulkInput = BulkAction &
  BulkOptions & {
    /** `next` of the previous call. */
    readonly after?: number | undefined
  }

/** For an action on behalf of somebody who may lose the right to it meanwhile, such as the holder of a key. */
export interface BulkPermission {
  /**
   * Awaited when the turn of the action comes, and again before every 32 monitors. If it rejects, the action ends and
   * rejects with the same error; what it has changed by then stays changed.
   */
  readonly permitted?: (() => Promise<unknown>) | undefined
}

/** A monitor for which the action was refused. */
export interface BulkFailure {
  readonly monitor_id: number
  /** The code of the error: `quota`, `not_found`, `validation`. */
  readonly error: string
  readonly message: string
}

export interface BulkView {
  readonly matched: number
  /** 0 for `dry_run`. */
  readonly changed: number
  /** Already in the wanted state; for `check`, paused monitors. */
  readonly unchanged: number
  readonly failed: number
  /** The first 20. */
  readonly failures: readonly BulkFailure[]
  /** Where the next call continues, `null` if no monitor is left. */
  readonly next: number | null
}
