/**
 * What a monitor's parent says about its failure.
 *
 * @module
 */

import type { EpochMs, MachineState } from '../model.ts'

/** Rounds for which a failure waits to hear of its parent; after that it is told. */
const PATIENCE_ROUNDS = 2

export interface ParentState {
  readonly machine: MachineState
  /** Fed by signals: it cannot be asked. */
  readonly push: boolean
}

/**
 * `cause`: the parent is down or under maintenance, the failure is its. `unclear`: nobody has looked at
 * the parent since the failure began. `healthy`: it works, or is not watched.
 */
export function parentSays(
  { machine, push }: ParentState,
  failing_since: EpochMs,
): 'cause' | 'unclear' | 'healthy' {
  switch (machine.state) {
    case 'down':
    case 'recovering':
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

/** Whether a failure that has waited for so many rounds goes on waiting for an unclear parent. */
export function mayStillWait(rounds: number): boolean {
  return rounds < PATIENCE_ROUNDS
}
