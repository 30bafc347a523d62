/**
 * The initial state of a monitor, and how states fold into a status.
 *
 * @module
 */

import type { EpochMs, MachineState, MonitorState, MonitorStatus } from '../model.ts'

/** Consecutive inconclusive rounds after which a monitor is stale and its time counts as unknown. */
const STALE_AFTER = 3

/** The counters of rounds before the first. */
export const NO_ROUNDS = {
  fails: 0,
  oks: 0,
  inconclusive: 0,
  first_fail_at: null,
  first_ok_at: null,
  last_round_at: null,
} as const

export function initialState(at: EpochMs): MachineState {
  return {
    state: 'pending',
    since: at,
    ...NO_ROUNDS,
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

/** Whether too many consecutive rounds were inconclusive. */
export function isUndecided(machine: Pick<MachineState, 'inconclusive'>): boolean {
  return machine.inconclusive > STALE_AFTER
}

/** When the monitor was last checked, as far as the state says; creation and resumption count as checks. */
export function lastCheckAt(machine: MachineState): EpochMs {
  return Math.max(...checkTimesOf(machine))
}

/** What counts as a check: the last change of the state, and the last check. Not ordered if the clock was set. */
export function checkTimesOf({
  since,
  last_check_ended_at,
  last_round_at,
}: MachineState): readonly EpochMs[] {
  return [since, last_check_ended_at ?? last_round_at ?? since]
}
