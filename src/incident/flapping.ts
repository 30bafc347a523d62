/**
 * Flapping: so many outages in so few rounds that one event replaces the individual ones. Counted as in Icinga
 * (https://icinga.com/docs/icinga-2/latest/doc/08-advanced-topics/#check-flapping): the weighted share of changes
 * among the last twenty steps, the latest weighing most, with a lower threshold for the end than for the start.
 *
 * @module
 */

import type { MachineState } from '../model.ts'

const STEPS = 20
const START_PERCENT = 30
const STOP_PERCENT = 25
const LEAST_WEIGHT = 0.8
const WEIGHT_STEP = 0.02

/** The state with one more round counted: whether an incident is open after it. */
export function countFlaps(state: MachineState): MachineState {
  const recent = `${state.recent ?? ''}${state.incident === null ? '0' : '1'}`.slice(-STEPS - 1)
  const flapping = flapPercent(recent) >= (state.flapping === true ? STOP_PERCENT : START_PERCENT)
  return { ...state, recent, flapping }
}

/** The state of a monitor without `flap_detection`; the same one if nothing was counted. */
export function withoutFlaps(state: MachineState): MachineState {
  if (state.recent === undefined && state.flapping === undefined) return state
  const { recent: _recent, flapping: _flapping, ...kept } = state
  return kept
}

/** Weighted share of changes, 0 to 99, one decimal. */
export function flapPercent(recent: string): number {
  let sum = 0
  for (let step = 1; step < recent.length; step++) {
    const age = recent.length - 1 - step
    if (recent[step] !== recent[step - 1]) sum += LEAST_WEIGHT + WEIGHT_STEP * (STEPS - 1 - age)
  }
  return Math.round((sum / STEPS) * 1000) / 10
}
