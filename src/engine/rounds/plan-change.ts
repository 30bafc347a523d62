/**
 * Turns the effects of the machine into one change: all that one event changes of a monitor is in it. Written
 * elsewhere are the deadlines of heartbeats (rounds/push.ts), repeats (delivery/repetition.ts), a user's own actions
 * (services/) and the account that is imported (transfer/).
 *
 * @module
 */

import { countFlaps, flapPercent, withoutFlaps } from '../../incident/flapping.ts'
import { audience, newNotices } from '../../incident/notices.ts'
import type { Effect, MachineEvent, Policy, RoundEvent } from '../../incident/transition.ts'
import { transition } from '../../incident/transition.ts'
import type { IncidentRecord, MachineState, Notice } from '../../model.ts'
import type { Change, NewNotification } from '../../store/store.ts'
import type { Core } from '../core/core.ts'
import { readableContacts } from '../core/stored-contacts.ts'
import { suppressionOf } from './suppression.ts'
import { roundHours, roundRecords } from './round-records.ts'
import type { Reported } from './round-records.ts'
import { effectiveSettings } from '../registry/registry.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { planDown, planReleased, planNotices, planSoft, planUp } from './plan-notifications.ts'
import { softNotices } from './soft-notices.ts'

/** Changes of cause stored per incident; the latest are kept. */
const CAUSES_LIMIT = 50

/** What happened to a monitor: one event; of a round, with its reports. */
export interface MachineInput {
  readonly event: MachineEvent
  readonly reports?: readonly Reported[]
  /** Notices of all reports that count in this round. */
  readonly notices?: readonly Notice[]
}

/** What planning needs besides the monitor, since monitors may depend on each other. */
export interface PlanningContext {
  readonly core: Core
  readonly monitorCache: Pick<MonitorCache, 'get'>
}

/** One event with its effects and their context. */
interface Step {
  readonly cached: CachedMonitor
  readonly event: MachineEvent
  readonly effects: readonly Effect[]
  readonly reports: readonly Reported[]
  readonly machine: MachineState
  /** The stored incident that it closes, updates or notifies of after a suppression. */
  readonly incident: IncidentRecord | undefined
  readonly fresh: readonly Notice[]
  /** `degraded` and `restored`. */
  readonly soft: readonly Notice[]
}

type FailEvent = Extract<RoundEvent, { verdict: 'fail' }>

/** The change for an event, or `null` if it changes nothing. */
export async function planChange(
  { core, monitorCache }: PlanningContext,
  cached: CachedMonitor,
  input: MachineInput,
): Promise<Planned | null> {
  const { record } = cached
  const { event, reports = [] } = input
  const { state: next, effects } = transition(record.machine, event, policyOf(cached))
  const { state, flaps } = withFlapping(cached, next, event)
  const muted = state.state === 'paused' || state.state === 'maintenance'
  const notices = muted ? [] : [...(input.notices ?? []), ...flaps]
  const { fresh, sent_notice_keys } = newNotices(record.machine.sent_notice_keys, notices)
  if (state === record.machine && effects.length === 0 && reports.length === 0) return null

  const { hour, finished } = roundHours(cached, reports, event.at)
  const machine: MachineState = {
    ...state,
    ...(hour === undefined ? {} : { hour }),
    sent_notice_keys,
    incident: await withSuppression(monitorCache, cached, { state, event }),
  }
  const incident = await affectedIncident(core, { before: record.machine, machine, effects })
  const soft = softNotices(effects)
  const step: Step = { cached, event, effects, reports, machine, incident, fresh, soft }
  const change: Change = {
    monitor_id: record.id,
    revision: record.revision,
    at: event.at,
    machine,
    ...roundRecords(cached, reports, event.at),
    ...(finished.length === 0 ? {} : { hourly: finished }),
    availability: effects.flatMap((effect) =>
      effect.kind === 'availability' ? [{ at: effect.at, availability: effect.availability }] : [],
    ),
    ...incidentChange(step),
    ...cancellation(step),
    notify: await plannedNotifications(core, step),
  }
  return { change, fresh: [...fresh, ...soft] }
}

function policyOf(cached: CachedMonitor): Policy {
  const { fail_threshold, recover_threshold, interval_sec } = effectiveSettings(
    cached.type,
    cached.record.common,
  )
  // Twice the interval: a single skipped round indicates a busy machine, not a gap.
  const gap_ms = cached.type.checker.push === undefined ? 2 * interval_sec * 1000 : null
  return { fail_threshold, recover_threshold, gap_ms }
}

/**
 * The state with this round counted for flapping, and the event if flapping started or ended: also because it is no
 * longer looked for, since nothing else would end it, and no outage would be notified.
 */
function withFlapping(
  { record }: CachedMonitor,
  state: MachineState,
  event: MachineEvent,
): { state: MachineState; flaps: Notice[] } {
  const decided = event.kind === 'round' && event.verdict !== 'inconclusive'
  const watched = state.state !== 'paused' && state.state !== 'maintenance'
  if (!decided || !watched) return { state, flaps: [] }
  const next = record.common.flap_detection ? countFlaps(state) : withoutFlaps(state)
  const flapping = next.flapping === true
  if (flapping === (state.flapping === true)) return { state: next, flaps: [] }
  const data = { flapping, change_percent: flapPercent(next.recent ?? ''), state: next.state }
  return { state: next, flaps: [{ event: 'flapping', key: String(event.at), data }] }
}

/** The open incident, with the reason for its suppression, if any. */
async function withSuppression(
  monitorCache: PlanningContext['monitorCache'],
  cached: CachedMonitor,
  { state, event }: { readonly state: MachineState; readonly event: MachineEvent },
): Promise<MachineState['incident']> {
  const { incident } = state
  const fails = event.kind === 'round' && event.verdict === 'fail' && state.state === 'down'
  const isNew = cached.record.machine.incident === null
  if (incident === null || !fails || (!isNew && incident.suppression === undefined)) return incident
  const { suppression: _before, ...open } = incident
  const suppression = await suppressionOf(monitorCache, cached, state)
  return suppression === undefined ? open : { ...open, suppression }
}

/** The failing event of this step, if it ends the suppression of an incident. */
function releasingEvent({ cached, machine, event }: Step): FailEvent | undefined {
  if (event.kind !== 'round' || event.verdict !== 'fail') return undefined
  const released =
    cached.record.machine.incident?.suppression !== undefined &&
    machine.incident !== null &&
    machine.incident.suppression === undefined
  return released ? event : undefined
}

/** The stored incident that this step concerns; an incident that it opens is not stored yet. */
async function affectedIncident(
  core: Core,
  {
    before,
    machine,
    effects,
  }: {
    readonly before: MachineState
    readonly machine: MachineState
    readonly effects: readonly Effect[]
  },
): Promise<IncidentRecord | undefined> {
  const { incident } = before
  if (incident === null) return undefined
  const isChanged = effects.some(
    ({ kind }) => kind === 'close_incident' || kind === 'cause_changed',
  )
  const same = machine.incident?.suppression === incident.suppression
  return isChanged || !same ? core.store.incidents.get(incident.id) : undefined
}

function incidentChange({
  effects,
  cached,
  machine,
  incident,
}: Step): Pick<Change, 'open_incident' | 'update_incident'> {
  const suppressed_by = machine.incident?.suppression?.by ?? null
  for (const effect of effects) {
    if (effect.kind === 'open_incident') {
      const { started_at, detected_at, cause, locations_failed } = effect
      const causes = [{ at: started_at, ...cause }]
      return {
        open_incident: {
          started_at,
          detected_at,
          ...cause,
          causes,
          locations_failed,
          suppressed_by,
        },
      }
    }
    if (effect.kind === 'close_incident') {
      const { id, ended_at, reason } = effect
      return { update_incident: { id, ended_at, closed_reason: reason } }
    }
    if (effect.kind === 'cause_changed') {
      const { id, at, cause, locations_failed } = effect
      const causes = [...(incident?.causes ?? []), { at, ...cause }].slice(-CAUSES_LIMIT)
      return { update_incident: { id, causes, locations_failed, suppressed_by } }
    }
  }
  const open = cached.record.machine.incident
  if (open === null || (open.suppression?.by ?? null) === suppressed_by) return {}
  return { update_incident: { id: open.id, suppressed_by } }
}

/** After a removal only the end of a notified incident is still sent. */
export const MONITOR_DELETED = { scope: 'all', reason: 'monitor_deleted' } as const

/** Notifications planned for an incident that is closed or in maintenance are cancelled; an attempt that runs is not interrupted. */
function cancellation({ effects, event, machine }: Step): Pick<Change, 'cancel'> {
  const closed = effects.find((effect) => effect.kind === 'close_incident')
  if (closed?.reason === 'deleted') return { cancel: MONITOR_DELETED }
  if (closed !== undefined)
    return { cancel: { scope: 'later', incident_id: closed.id, reason: closed.reason } }
  if (event.kind !== 'maintenance_start' || machine.incident === null) return {}
  return { cancel: { scope: 'later', incident_id: machine.incident.id, reason: 'maintenance' } }
}

async function plannedNotifications(core: Core, step: Step): Promise<NewNotification[]> {
  const { cached, effects, machine, reports, event, incident, fresh, soft } = step
  const opened = effects.find((effect) => effect.kind === 'open_incident')
  const closed = effects.find((effect) => effect.kind === 'close_incident')
  const released = releasingEvent(step)
  if (fresh.length === 0 && soft.length === 0 && !opened && !closed && !released) return []
  const { account_id, common } = cached.record
  const known = await readableContacts(core, account_id)
  const contacts = audience(known, common)
  const context = { core, cached, machine, contacts, reports, at: event.at }
  return [
    ...(opened !== undefined && machine.incident?.suppression === undefined
      ? planDown(context, opened)
      : []),
    ...(released !== undefined && incident?.acknowledged_at === null
      ? planReleased(context, incident, released)
      : []),
    ...(closed !== undefined && incident !== undefined
      ? planUp({ core, cached, contacts: known, at: event.at }, incident, closed)
      : []),
    ...planNotices(context, fresh),
    ...planSoft(context, soft),
  ]
}
