/**
 * Plans the notifications of a step: rows for the outbox, with their bodies.
 *
 * @module
 */

import { notificationDueAt } from '../../incident/notices.ts'
import type { Effect, RoundEvent } from '../../incident/transition.ts'
import { secondsFrom } from '../../incident/uptime.ts'
import type {
  ContactRecord,
  EpochMs,
  IncidentRecord,
  JsonObject,
  MachineState,
  Notice,
} from '../../model.ts'
import type { NewNotification } from '../../store/store.ts'
import { freezePayload, payloadMonitorOf, repeatPayload } from '../../webhook/payload.ts'
import type { PayloadIncident, PayloadMonitor } from '../../webhook/payload.ts'
import type { Core } from '../core/core.ts'
import type { Reported } from './round-records.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'

export interface NotificationContext {
  readonly core: Pick<Core, 'metadataInPayloads'>
  readonly cached: CachedMonitor
  readonly machine: MachineState
  readonly contacts: readonly ContactRecord[]
  readonly reports: readonly Reported[]
  readonly at: EpochMs
}

type Opened = Extract<Effect, { kind: 'open_incident' }>
type Closed = Extract<Effect, { kind: 'close_incident' }>

/** The `down` notifications of an incident that this step opens. */
export function planDown(context: NotificationContext, opened: Opened): NewNotification[] {
  const { cached, contacts } = context
  const { started_at, detected_at, cause, locations_failed } = opened
  const payload = downPayload(context, { started_at, ...cause }, locations_failed)
  return contacts.map(({ id }) => ({
    contact_id: id,
    event: downEvent(cached),
    due_at: notificationDueAt(id, cached.record.common, detected_at),
    payload,
    repeat: 0,
    incident: 'opened',
  }))
}

/**
 * Notifications of an incident whose suppression ends: a repeat for contacts that received `down`, if repeats are
 * enabled; `down` for all others. The repeats come first: once its `down` row exists, a contact counts as notified.
 */
export function planReleased(
  context: NotificationContext,
  incident: IncidentRecord,
  { cause, locations_failed }: Extract<RoundEvent, { verdict: 'fail' }>,
): NewNotification[] {
  const { cached, contacts, at } = context
  const { common } = cached.record
  const payload = downPayload(
    context,
    { started_at: incident.started_at, ...cause },
    locations_failed,
  )
  const again = { n: 1, max: common.notify_repeat_max }
  const repetitions = contacts.map(({ id }): NewNotification => ({
    contact_id: id,
    event: 'repeat',
    due_at: at + common.notify_repeat_min * 60_000,
    payload: repeatPayload(payload, again),
    repeat: 1,
    incident: incident.id,
    only_if_notified: true,
  }))
  const newly = contacts.map(({ id }): NewNotification => ({
    contact_id: id,
    event: downEvent(cached),
    due_at: Math.max(at, notificationDueAt(id, common, incident.detected_at)),
    payload,
    repeat: 0,
    incident: incident.id,
    only_if_not_notified: true,
  }))
  return [...(common.notify_repeat_min === 0 ? [] : repetitions), ...newly]
}

type FollowUp = Pick<NotificationContext, 'core' | 'cached' | 'contacts' | 'at'>

/** The `up` notifications of an incident, whatever its `closed_reason`. `contacts`: all of the account. */
export function planUp(
  followUp: FollowUp,
  incident: IncidentRecord,
  { ended_at, reason: closed_reason }: Closed,
): NewNotification[] {
  if (!followUp.cached.record.common.notify_recovery) return []
  const duration_sec = secondsFrom(incident.started_at, ended_at)
  return planFollowUp(followUp, incident, {
    event: 'up',
    facts: { ended_at, duration_sec, closed_reason },
  })
}

/** The `acknowledged` notifications. `contacts`: all of the account. */
export function planAcknowledged(followUp: FollowUp, incident: IncidentRecord): NewNotification[] {
  const facts = { acknowledged_at: followUp.at }
  return planFollowUp(followUp, incident, { event: 'acknowledged', facts })
}

/**
 * Only for contacts that were notified of the incident, even if they no longer belong to the monitor; the store
 * decides which those are.
 */
function planFollowUp(
  followUp: FollowUp,
  { id, started_at, cause_code, cause_text }: IncidentRecord,
  { event, facts }: { readonly event: string; readonly facts: Partial<PayloadIncident> },
): NewNotification[] {
  const { contacts, at } = followUp
  const payload = freezePayload({
    event,
    monitor: payloadMonitor(followUp),
    incident: { started_at, cause_code, cause_text, ...facts },
  })
  return contacts.map(({ id: contact_id }) => ({
    contact_id,
    event,
    due_at: at,
    payload,
    repeat: 0,
    incident: id,
    only_if_notified: true,
  }))
}

/** Notifications that belong to no incident. */
export function planNotices(
  context: NotificationContext,
  notices: readonly Pick<Notice, 'event' | 'data'>[],
): NewNotification[] {
  const { contacts, at } = context
  const monitor = payloadMonitor(context)
  return notices.flatMap(({ event, data }) => {
    const payload = freezePayload({ event, monitor, incident: null, extras: data })
    return contacts.map(({ id: contact_id }) => ({
      contact_id,
      event,
      due_at: at,
      payload,
      repeat: 0,
      incident: null,
    }))
  })
}

/** Only for contacts that ask for the event. */
export function planSoft(
  context: NotificationContext,
  notices: readonly Pick<Notice, 'event' | 'data'>[],
): NewNotification[] {
  return notices.flatMap((notice) => {
    const contacts = context.contacts.filter(({ events }) =>
      events.some((event) => event === notice.event),
    )
    return planNotices({ ...context, contacts }, [notice])
  })
}

function payloadMonitor({ core, cached }: Pick<FollowUp, 'core' | 'cached'>): PayloadMonitor {
  const monitor = payloadMonitorOf(cached.record)
  return core.metadataInPayloads ? { ...monitor, metadata: cached.record.common.metadata } : monitor
}

function downEvent({ type }: CachedMonitor): string {
  return type.checker.downEvent ?? 'down'
}

function downPayload(
  { core, cached, machine, reports }: NotificationContext,
  incident: { started_at: EpochMs; cause_code: string; cause_text: string },
  locations_failed: readonly number[],
): string {
  return freezePayload({
    event: downEvent(cached),
    monitor: payloadMonitor({ core, cached }),
    incident,
    extras: {
      ...downExtras(locations_failed, reports),
      ...(machine.reduced_quorum === true ? { reduced_quorum: true } : {}),
    },
  })
}

/** What a later notification says of an incident whose first one is not known any more. */
export function bareDownPayload(
  context: Pick<FollowUp, 'core' | 'cached'>,
  { started_at, cause_code, cause_text }: IncidentRecord,
): string {
  return freezePayload({
    event: downEvent(context.cached),
    monitor: payloadMonitor(context),
    incident: { started_at, cause_code, cause_text },
  })
}

function downExtras(failed: readonly number[], reports: readonly Reported[]): JsonObject {
  const first = reports.find(({ report }) => report.outcome.verdict === 'fail')?.report.outcome
  return {
    locations: reports.map(({ location_id, report: { outcome } }) => ({
      location_id,
      verdict: outcome.verdict,
      cause_code: outcome.cause_code,
      cause_text: outcome.cause_text,
    })),
    locations_failed: [...failed],
    ...(first === undefined ? {} : { phase: first.phase, details: first.details }),
  }
}
