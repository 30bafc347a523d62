/**
 * What a checker that judges other monitors knows of each.
 *
 * @module
 */

import type { MonitorState } from '../model.ts'

/** A monitor of the same account, at present. */
export interface Member {
  readonly id: number
  readonly name: string
  readonly state: MonitorState
  /** Nobody knows how it is. */
  readonly stale: boolean
}
