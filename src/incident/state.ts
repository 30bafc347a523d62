/**
 * The beginning of every monitor, and what its state means to a simple reader.
 *
 * @module
 */

import type { EpochMs, MachineState, MonitorState, MonitorStatus } from '../model.ts'

/** Undecided rounds in a row after which a monitor is stale and its time counts as unknown. */
const STALE_AFTER = 3

export function initialState(at: EpochMs): MachineState {
  return {
    state: 'pending',
    since: at,
    fails: 0,
    oks: 0,
    inconclusive: 0,
    first_fail_at: null,
    first_ok_at: null,
    last_round_at: null,
    known_since: at,
    incident: null,
    sent_notice_keys: [],
    availability: 'unknown',
  }
}

const STATUS_OF: Readonly<Record<MonitorState, MonitorStatus>> = {
  pending: 'unknown',
  up: 'up',
  confirming: 'up',
  down: 'down',
  recovering: 'down',
  late: 'up',
  maintenance: 'paused',
  paused: 'paused',
}

export function statusOf(state: MonitorState): MonitorStatus {
  return STATUS_OF[state]
}

/** The states that fold into `status`. */
export function statesOf(status: MonitorStatus): MonitorState[] {
  return (Object.keys(STATUS_OF) as MonitorState[]).filter((state) => STATUS_OF[state] === status)
}

/** Too many rounds in a row could not be decided. */
export function isUndecided(machine: Pick<MachineState, 'inconclusive'>): boolean {
  return machine.inconclusive > STALE_AFTER
}

/** When somebody looked last, as far as the state tells; being new or resumed counts as a look. */
export function lastCheckAt(machine: MachineState): EpochMs {
  return Math.max(...looksOf(machine))
}

/** What counts as a look: the last change of its state, and the last check. Out of order where a clock was set. */
export function looksOf({ since, looked_at, last_round_at }: MachineState): readonly EpochMs[] {
  return [since, looked_at ?? last_round_at ?? since]
}
