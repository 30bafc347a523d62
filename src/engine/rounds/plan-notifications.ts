/**
 * What the contacts of a monitor are to hear of a step: rows for the outbox, with their bodies.
 *
 * @module
 */

import { dueAt } from '../../incident/notices.ts'
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
import { freezePayload, repeatPayload } from '../../webhook/payload.ts'
import type { PayloadIncident, PayloadMonitor } from '../../webhook/payload.ts'
import type { Reported } from './recording.ts'
import type { Entry } from '../monitors/monitor-cache.ts'

export interface Telling {
  readonly entry: Entry
  readonly machine: MachineState
  readonly contacts: readonly ContactRecord[]
  readonly reports: readonly Reported[]
  readonly at: EpochMs
}

type Opened = Extract<Effect, { kind: 'open_incident' }>
type Closed = Extract<Effect, { kind: 'close_incident' }>

/** The first telling of an incident that this step opens. */
export function tellDown(telling: Telling, opened: Opened): NewNotification[] {
  const { entry, contacts } = telling
  const { started_at, detected_at, cause, locations_failed } = opened
  const payload = downPayload(telling, { started_at, ...cause }, locations_failed)
  return contacts.map(({ id }) => ({
    contact_id: id,
    event: downEvent(entry),
    due_at: dueAt(id, entry.record.common, detected_at),
    payload,
    repeat: 0,
    incident: 'opened',
  }))
}

/**
 * An incident that was held is told now: to those who know of it, a repetition where they asked for any;
 * to all others, the news. In this order, since the news would make them know.
 */
export function tellHeld(
  telling: Telling,
  incident: IncidentRecord,
  { cause, locations_failed }: Extract<RoundEvent, { verdict: 'fail' }>,
): NewNotification[] {
  const { entry, contacts, at } = telling
  const { common } = entry.record
  const payload = downPayload(
    telling,
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
    only_if_told: true,
  }))
  const news = contacts.map(({ id }): NewNotification => ({
    contact_id: id,
    event: downEvent(entry),
    due_at: Math.max(at, dueAt(id, common, incident.detected_at)),
    payload,
    repeat: 0,
    incident: incident.id,
    only_if_untold: true,
  }))
  return [...(common.notify_repeat_min === 0 ? [] : repetitions), ...news]
}

type Sequel = Pick<Telling, 'entry' | 'contacts' | 'at'>

/** The end of an incident, whatever has ended it. `contacts`: all of the account. */
export function tellUp(
  sequel: Sequel,
  incident: IncidentRecord,
  { ended_at, reason: closed_reason }: Closed,
): NewNotification[] {
  if (!sequel.entry.record.common.notify_recovery) return []
  const duration_sec = secondsFrom(incident.started_at, ended_at)
  return tellSequel(sequel, incident, {
    event: 'up',
    facts: { ended_at, duration_sec, closed_reason },
  })
}

/** Somebody has taken an incident on. `contacts`: all of the account. */
export function tellAcknowledged(sequel: Sequel, incident: IncidentRecord): NewNotification[] {
  const facts = { acknowledged_at: sequel.at }
  return tellSequel(sequel, incident, { event: 'acknowledged', facts })
}

/**
 * Only to those who were told of the failure, be they contacts of the monitor still or not; the store knows who that
 * is.
 */
function tellSequel(
  { entry, contacts, at }: Sequel,
  { id, started_at, cause_code, cause_text }: IncidentRecord,
  { event, facts }: { readonly event: string; readonly facts: Partial<PayloadIncident> },
): NewNotification[] {
  const payload = freezePayload({
    event,
    monitor: monitorOf(entry),
    incident: { started_at, cause_code, cause_text, ...facts },
  })
  return contacts.map(({ id: contact_id }) => ({
    contact_id,
    event,
    due_at: at,
    payload,
    repeat: 0,
    incident: id,
    only_if_told: true,
  }))
}

/** News that has nothing to do with an incident. */
export function tellNotices(
  { entry, contacts, at }: Telling,
  notices: readonly Pick<Notice, 'event' | 'data'>[],
): NewNotification[] {
  return notices.flatMap(({ event, data }) => {
    const monitor = monitorOf(entry)
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

export function monitorOf({ record }: Entry): PayloadMonitor {
  return { id: record.id, name: record.common.name, type: record.type, target: record.target }
}

function downEvent({ type }: Entry): string {
  return type.checker.downEvent ?? 'down'
}

function downPayload(
  { entry, machine, reports }: Telling,
  incident: { started_at: EpochMs; cause_code: string; cause_text: string },
  locations_failed: readonly number[],
): string {
  return freezePayload({
    event: downEvent(entry),
    monitor: monitorOf(entry),
    incident,
    extras: {
      ...downExtras(locations_failed, reports),
      ...(machine.reduced_quorum === true ? { reduced_quorum: true } : {}),
    },
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
