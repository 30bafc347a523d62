/**
 * What the state of a monitor's parent says about a failure of the monitor.
 *
 * @module
 */

import type { EpochMs, MachineState } from '../model.ts'
import { isUndecided } from './state.ts'

/** Rounds for which the notification of a failure waits for a check of the parent; after that it is sent. */
const MAX_WAIT_ROUNDS = 2

export interface ParentState {
  readonly machine: MachineState
  /** A push type: it cannot be checked on demand. */
  readonly push: boolean
}

/**
 * `cause`: the parent is down or in maintenance and explains the failure. `unclear`: the parent has not been checked
 * since the failure began, or it was down when it could last be measured. `healthy`: the parent is up, or not monitored.
 */
export function parentSays(
  { machine, push }: ParentState,
  failing_since: EpochMs,
): 'cause' | 'unclear' | 'healthy' {
  switch (machine.state) {
    case 'down':
    case 'recovering':
      return isUndecided(machine) ? 'unclear' : 'cause'
    case 'maintenance':
      return 'cause'
    case 'confirming':
    case 'pending':
      return push ? 'healthy' : 'unclear'
    case 'up':
    case 'late':
      return push || (machine.last_round_at ?? 0) >= failing_since ? 'healthy' : 'unclear'
    case 'paused':
      return 'healthy'
  }
}

/** Whether a failure that has waited for `rounds` rounds waits further for an unclear parent. */
export function mayStillWait(rounds: number): boolean {
  return rounds < MAX_WAIT_ROUNDS
}
