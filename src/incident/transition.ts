/**
 * The incident machine: how one event changes a monitor. Pure: the same state, event and policy give the same result;
 * the caller writes the effects into one change.
 *
 * @module
 */

import type { Availability, EpochMs, MachineState, MonitorState, OpenIncident } from '../model.ts'
import { withDegraded } from './degraded.ts'
import type { Effect, MachineEvent, Policy, RoundEvent, Transition } from './machine.ts'
import { isUndecided, NO_ROUNDS } from './state.ts'

export type * from './machine.ts'

type FailEvent = RoundEvent & { readonly verdict: 'fail' }

/**
 * Placeholder for the id of an incident that the effects of this transition open (see `OPENED_INCIDENT` of the
 * store).
 */
const OPENED = 0

/**
 * A time without rounds after which failures are counted anew: so many gaps, and at least so many milliseconds. Rounds of a
 * busy machine are late by less, and a restart is shorter: a failing target must still be confirmed.
 */
const ABSENCE_GAPS = 5
const ABSENCE_MS = 600_000

export function transition(before: MachineState, event: MachineEvent, policy: Policy): Transition {
  return withDegraded(before, step(before, event, policy), event, policy)
}

function step(before: MachineState, event: MachineEvent, policy: Policy): Transition {
  switch (event.kind) {
    case 'round':
      return onRound(before, event, policy)
    case 'pause':
      return before.state === 'paused' ? same(before) : endChecks(before, event.at, 'paused')
    case 'resume':
      return before.state === 'paused' ? restartChecks(before, event.at) : same(before)
    case 'reconfigure':
      return before.state === 'paused' ? same(before) : endChecks(before, event.at, 'reconfigured')
    case 'remove':
      return endChecks(before, event.at, 'deleted')
    case 'maintenance_start':
      return before.state === 'paused' || before.state === 'maintenance'
        ? same(before)
        : beginMaintenance(before, event.at)
    case 'maintenance_end':
      return before.state === 'maintenance' ? restartChecks(before, event.at) : same(before)
  }
}

function onRound(before: MachineState, event: RoundEvent, policy: Policy): Transition {
  if (before.state === 'paused') return same(before)
  if (before.state === 'maintenance') return same({ ...before, last_round_at: event.at })
  const gap = afterGap(before, event.at, policy)
  const checked = { ...gap.state, ...lastCheckEnd(before, event), last_round_at: event.at }
  const seen: MachineState = withSilentLocations(checked, event)
  const next = onVerdict(seen, event, policy)
  return { state: next.state, effects: [...gap.effects, ...next.effects] }
}

/** A state stored before this field existed counts as last checked in its last round. */
function lastCheckEnd(
  { last_check_ended_at, last_round_at, since }: MachineState,
  event: RoundEvent,
): Pick<MachineState, 'last_check_ended_at'> {
  if (event.last_check_ended_at === undefined) return {}
  return {
    last_check_ended_at: event.last_check_ended_at ?? last_check_ended_at ?? last_round_at ?? since,
  }
}

function withSilentLocations(
  state: MachineState,
  { silent = {}, reduced = false }: RoundEvent,
): MachineState {
  const { silent: _silent, reduced_quorum: _reduced, ...kept } = state
  if (Object.keys(silent).length === 0) return kept
  return { ...kept, silent, ...(reduced ? { reduced_quorum: true } : {}) }
}

function onVerdict(seen: MachineState, event: RoundEvent, policy: Policy): Transition {
  switch (event.verdict) {
    case 'ok':
      return onOk({ ...seen, inconclusive: 0 }, event.at, policy)
    case 'late':
      return onLate({ ...seen, inconclusive: 0 }, event.at)
    case 'fail':
      return onFail({ ...seen, inconclusive: 0 }, event, policy)
    case 'inconclusive':
      return onInconclusive({ ...seen, inconclusive: seen.inconclusive + 1 }, event.at)
  }
}

function onOk(seen: MachineState, at: EpochMs, policy: Policy): Transition {
  const good: MachineState = { ...seen, fails: 0, first_fail_at: null }
  if (seen.state !== 'down' && seen.state !== 'recovering') {
    // Maintenance may have left an incident open; this round closes it.
    return recovered({ ...good, first_ok_at: at }, at)
  }
  const counted = { ...good, oks: seen.oks + 1, first_ok_at: seen.first_ok_at ?? at }
  if (counted.oks >= policy.recover_threshold) return recovered(counted, at)
  return countTimeAs(enter(counted, 'recovering', at), 'down', at)
}

function recovered(seen: MachineState, at: EpochMs): Transition {
  const { incident, first_ok_at } = seen
  const ended_at = first_ok_at ?? at
  const good: MachineState = { ...enter(seen, 'up', at), oks: 0, first_ok_at: null, incident: null }
  const step = countTimeAs(good, 'up', ended_at)
  if (incident === null) return step
  return also(step, [{ kind: 'close_incident', ...endOf(incident, ended_at), reason: 'recovered' }])
}

function onLate(seen: MachineState, at: EpochMs): Transition {
  if (seen.state !== 'up' && seen.state !== 'late') return same(seen)
  return countTimeAs(enter(seen, 'late', at), 'up', at)
}

function onFail(seen: MachineState, event: FailEvent, policy: Policy): Transition {
  const failed: MachineState = {
    ...seen,
    fails: seen.fails + 1,
    oks: 0,
    first_ok_at: null,
    first_fail_at: seen.first_fail_at ?? Math.min(event.since ?? event.at, event.at),
  }
  if (seen.incident !== null) return stillDown(failed, seen.incident, event)
  if (failed.fails >= policy.fail_threshold) return confirmed(failed, event)
  // The time keeps its availability until confirmation, which is dated back.
  return same(enter(failed, 'confirming', event.at))
}

function confirmed(failed: MachineState, event: FailEvent): Transition {
  const started_at = Math.min(failed.first_fail_at ?? event.at, event.at)
  const { cause, locations_failed } = event
  const incident = { id: OPENED, started_at, cause_code: cause.cause_code }
  const step = countTimeAs({ ...enter(failed, 'down', event.at), incident }, 'down', started_at)
  return also(step, [
    { kind: 'open_incident', started_at, detected_at: event.at, cause, locations_failed },
  ])
}

function stillDown(failed: MachineState, open: OpenIncident, event: FailEvent): Transition {
  const { cause, locations_failed } = event
  const incident = { ...open, cause_code: cause.cause_code }
  const step = countTimeAs({ ...enter(failed, 'down', event.at), incident }, 'down', event.at)
  if (cause.cause_code === open.cause_code) return step
  return also(step, [{ kind: 'cause_changed', id: open.id, at: event.at, cause, locations_failed }])
}

/** Neither resets nor counts failures; after several in a row the time counts as unknown. */
function onInconclusive(seen: MachineState, at: EpochMs): Transition {
  if (!isUndecided(seen)) return same(seen)
  const step = countTimeAs(seen, 'unknown', at)
  return unknownUntil(step, at)
}

/** No check ran for longer than the policy allows: the time is unknown from when the next check was due. */
function afterGap(before: MachineState, at: EpochMs, policy: Policy): Transition {
  const last = before.last_round_at
  if (last === null || policy.gap_ms === null || at - last <= policy.gap_ms) return same(before)
  const step = countTimeAs(before, 'unknown', last + policy.gap_ms / 2)
  return unknownUntil({ ...step, state: afterAbsence(step.state, at - last, policy.gap_ms) }, at)
}

/** Failures before a long absence and one after it are not in a row: the target may have been well in between. */
function afterAbsence(state: MachineState, away_ms: number, gap_ms: number): MachineState {
  const isLong = away_ms > Math.max(ABSENCE_GAPS * gap_ms, ABSENCE_MS)
  if (!isLong || state.state !== 'confirming') return state
  return { ...state, state: 'pending', fails: 0, first_fail_at: null }
}

/** Nothing is dated before `at`, nor before what is stored already if the clock was set back. */
function unknownUntil(step: Transition, at: EpochMs): Transition {
  return { ...step, state: { ...step.state, known_since: Math.max(step.state.known_since, at) } }
}

/** Ends the checks: an open incident is closed. */
function endChecks(
  before: MachineState,
  at: EpochMs,
  reason: 'paused' | 'reconfigured' | 'deleted',
): Transition {
  const paused = reason === 'paused'
  const step = countTimeAs(reset(before, at), paused ? 'paused' : 'unknown', at)
  const state: MachineState = {
    ...step.state,
    state: paused ? 'paused' : 'pending',
    incident: null,
  }
  const closed: Effect[] =
    before.incident === null
      ? []
      : [{ kind: 'close_incident', ...endOf(before.incident, at), reason }]
  return also({ state, effects: step.effects }, closed)
}

/** The clock may have been set back: an incident never ends before it started. */
function endOf({ id, started_at }: OpenIncident, at: EpochMs) {
  return { id, ended_at: Math.max(at, started_at) }
}

/** Restarts the checks: the state is unknown; an incident that maintenance left open continues. */
function restartChecks(before: MachineState, at: EpochMs): Transition {
  return countTimeAs({ ...reset(before, at), state: 'pending' }, 'unknown', at)
}

/** An open incident continues after maintenance, and is notified again if it is still open then. */
function beginMaintenance(before: MachineState, at: EpochMs): Transition {
  const suppression = { reason: 'maintenance', by: null, rounds: 0 } as const
  const incident = before.incident === null ? null : { ...before.incident, suppression }
  return countTimeAs({ ...reset(before, at), state: 'maintenance', incident }, 'maintenance', at)
}

function reset(before: MachineState, at: EpochMs): MachineState {
  const { silent: _silent, reduced_quorum: _reduced, recent: _recent, ...kept } = before
  return { ...kept, since: at, ...NO_ROUNDS }
}

function enter(from: MachineState, state: MonitorState, at: EpochMs): MachineState {
  return from.state === state ? from : { ...from, state, since: at }
}

/** Counts the time from `at` as `availability`; never from before the last stored change. */
function countTimeAs(state: MachineState, availability: Availability, at: EpochMs): Transition {
  if (state.availability === availability) return same(state)
  if (availability === 'up' && state.degraded !== undefined)
    return countTimeAs(state, 'degraded', at)
  const from = Math.max(at, state.known_since)
  return {
    state: { ...state, availability, known_since: from },
    effects: [{ kind: 'availability', at: from, availability }],
  }
}

function also({ state, effects }: Transition, more: readonly Effect[]): Transition {
  return { state, effects: [...effects, ...more] }
}

function same(state: MachineState): Transition {
  return { state, effects: [] }
}
