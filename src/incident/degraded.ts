/**
 * A monitor that is up and degraded: a threshold of `warn` is crossed in as many rounds as open an incident, and kept
 * in as many as close one. It changes neither the state nor the uptime.
 *
 * @module
 */

import type { Degraded, DegradedEnd, EpochMs, MachineState } from '../model.ts'
import type { Cause, Effect, MachineEvent, Policy, RoundEvent, Transition } from './machine.ts'

type GoodRound = Extract<RoundEvent, { verdict: 'ok' | 'late' | 'inconclusive' }>

/** The transition of an event, with what it means for `degraded`. */
export function withDegraded(
  before: MachineState,
  step: Transition,
  event: MachineEvent,
  policy: Policy,
): Transition {
  const { degraded, warn_streak, state } = step.state
  const isConcerned =
    before.degraded !== undefined || warn_streak !== undefined || 'warned' in event
  if (!isConcerned) return step
  if (state !== 'up' && state !== 'late' && state !== 'confirming')
    return ended(before, step, event)
  if (event.kind !== 'round' || event.verdict === 'inconclusive') return step
  // A failed round is no good one in a row of them.
  if (event.verdict === 'fail') return degraded === undefined ? step : counting(step, undefined)
  return counted(step, event, policy)
}

/** A good round: one for or against what is counted in a row. */
function counted(step: Transition, { warned, at }: GoodRound, policy: Policy): Transition {
  if (warned === 'unclear') return step
  const { degraded, warn_streak } = step.state
  const streak = { rounds: (warn_streak?.rounds ?? 0) + 1, since: warn_streak?.since ?? at }
  const settled = counting(step, undefined)
  if (degraded === undefined) {
    if (warned === undefined) return settled
    if (streak.rounds < policy.fail_threshold) return counting(step, streak)
    return begun(settled, { since: streak.since, ...warned })
  }
  if (warned !== undefined) return causedBy(settled, degraded, warned)
  if (streak.rounds < policy.recover_threshold) return counting(step, streak)
  return restored(settled, degraded, streak.since, 'recovered')
}

function begun(step: Transition, degraded: Degraded): Transition {
  const { since, ...cause } = degraded
  const state = { ...step.state, degraded }
  return dated({ ...step, state }, since, { kind: 'degraded', since, cause })
}

function restored(
  step: Transition,
  degraded: Degraded,
  at: EpochMs,
  reason: DegradedEnd,
): Transition {
  const { degraded: _, ...state } = step.state
  const ended_at = Math.max(at, degraded.since)
  return dated({ ...step, state }, ended_at, { kind: 'restored', degraded, ended_at, reason })
}

/** The time from `at` counts as the state says; never from before the last stored change. */
function dated({ state, effects }: Transition, at: EpochMs, effect: Effect): Transition {
  const availability = state.degraded === undefined ? 'up' : 'degraded'
  const isUp = state.availability === 'up' || state.availability === 'degraded'
  if (!isUp) return { state, effects: [...effects, effect] }
  const from = Math.max(at, state.known_since)
  return {
    state: { ...state, availability, known_since: from },
    effects: [...effects, { kind: 'availability', at: from, availability }, effect],
  }
}

/** Down, paused, in maintenance or started again: the time is counted as that by the step itself. */
function ended(before: MachineState, step: Transition, event: MachineEvent): Transition {
  const { degraded: _, warn_streak: _streak, ...state } = step.state
  if (before.degraded === undefined) return { ...step, state }
  const at = step.state.incident?.started_at ?? event.at
  const ended_at = Math.max(at, before.degraded.since)
  const reason = END_OF[event.kind]
  const effect: Effect = { kind: 'restored', degraded: before.degraded, ended_at, reason }
  return { state, effects: [...step.effects, effect] }
}

const END_OF: Readonly<Record<MachineEvent['kind'], DegradedEnd>> = {
  round: 'down',
  pause: 'paused',
  resume: 'paused',
  reconfigure: 'reconfigured',
  remove: 'deleted',
  maintenance_start: 'maintenance',
  maintenance_end: 'maintenance',
}

function counting(step: Transition, warn_streak: MachineState['warn_streak']): Transition {
  const { warn_streak: _, ...state } = step.state
  return { ...step, state: warn_streak === undefined ? state : { ...state, warn_streak } }
}

function causedBy(step: Transition, { since }: Degraded, cause: Cause): Transition {
  return { ...step, state: { ...step.state, degraded: { since, ...cause } } }
}
