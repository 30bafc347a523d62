/**
 * From what the machine says to what the store is to do. Everything that one event does to a monitor is
 * put into a single change here; nothing else writes monitor state, incidents or notifications.
 *
 * @module
 */

import { bucketOf } from '../incident/latency.ts'
import { audience, dueAt, news } from '../incident/notices.ts'
import type { Effect, MachineEvent, Policy, Transition } from '../incident/transition.ts'
import { transition } from '../incident/transition.ts'
import { dayOf } from '../incident/uptime.ts'
import type {
  CheckReport,
  ContactRecord,
  DailyStats,
  EpochMs,
  IncidentRecord,
  JsonObject,
  LocationState,
  MachineState,
  Notice,
} from '../model.ts'
import type { Change, NewNotification } from '../store/store.ts'
import { freezePayload } from '../webhook/payload.ts'
import type { PayloadMonitor } from '../webhook/payload.ts'
import type { Core } from './core.ts'
import { effective } from './registry.ts'
import type { Entry } from './roster.ts'

/** Changes of cause remembered per incident; the latest are kept. */
const CAUSES_LIMIT = 50

/** What the locations reported in one round. */
export interface Reported {
  readonly location_id: number
  readonly report: CheckReport
  readonly lag_ms: number
}

export interface Happening {
  readonly event: MachineEvent
  readonly round?: EpochMs
  readonly reports?: readonly Reported[]
  /** Notices of all reports that count in this round. */
  readonly notices?: readonly Notice[]
}

export interface Interpreted {
  readonly change: Change
  readonly effects: readonly Effect[]
  readonly fresh: readonly Notice[]
}

function policyOf(entry: Entry): Policy {
  const { fail_threshold, recover_threshold, interval_sec } = effective(
    entry.type,
    entry.record.common,
  )
  // Twice the interval: a single skipped round is a busy machine, not a blind one.
  const gap_ms = entry.type.checker.passive === undefined ? 2 * interval_sec * 1000 : null
  return { fail_threshold, recover_threshold, gap_ms }
}

/** The change that an event makes, or `null` where it makes none. */
export async function interpret(
  core: Core,
  entry: Entry,
  happening: Happening,
): Promise<Interpreted | null> {
  const { record } = entry
  const { at } = happening.event
  const step = transition(record.machine, happening.event, policyOf(entry))
  const muted = step.state.state === 'paused' || step.state.state === 'maintenance'
  const { fresh, told } = news(record.machine.told, muted ? [] : (happening.notices ?? []))
  const machine: MachineState = { ...step.state, told }
  const reports = happening.reports ?? []
  if (machine === record.machine && step.effects.length === 0 && reports.length === 0) return null

  const speaks = fresh.length > 0 || step.effects.some(({ kind }) => kind === 'announce')
  const contacts = speaks
    ? audience(await core.store.contacts.list(record.account_id), record.common)
    : []
  const incident = await touchedIncident(core, step)
  const change: Change = {
    monitor_id: record.id,
    revision: record.revision,
    at,
    machine,
    ...history(entry, reports, happening.round ?? at),
    availability: step.effects.flatMap((effect) =>
      effect.kind === 'availability' ? [{ at: effect.at, availability: effect.availability }] : [],
    ),
    ...incidentChange(step, incident),
    ...cancellation(step),
    notify: [
      ...announcements({ entry, step, contacts, reports, at, incident }),
      ...contacts.flatMap(({ id }) => fresh.map((notice) => noticeFor(entry, id, { notice, at }))),
    ],
  }
  return { change, effects: step.effects, fresh }
}

/** Results, what is known per location, and the day's counts. */
function history(entry: Entry, reports: readonly Reported[], round: EpochMs): Partial<Change> {
  if (reports.length === 0) return {}
  return {
    results: reports.map(({ location_id, report: { outcome }, lag_ms }) => ({
      ...outcome,
      location_id,
      round,
      started_at: Date.parse(outcome.started_at),
      lag_ms,
    })),
    locations: reports.map((reported) => locationState(entry, reported)),
    daily: reports.map(({ report: { outcome } }) => dailyStats(outcome, round)),
  }
}

function locationState(entry: Entry, { location_id, report }: Reported): LocationState {
  const before = entry.locations.get(location_id)
  const { outcome, memo } = report
  const fails = before?.consecutive_fails ?? 0
  return {
    monitor_id: entry.record.id,
    location_id,
    last: outcome,
    consecutive_fails:
      outcome.verdict === 'fail' ? fails + 1 : outcome.verdict === 'ok' ? 0 : fails,
    memo: memo ?? before?.memo ?? null,
  }
}

function dailyStats(
  { verdict, duration_ms }: CheckReport['outcome'],
  round: EpochMs,
): Omit<DailyStats, 'monitor_id'> {
  const good = verdict === 'ok'
  return {
    day: dayOf(round),
    ok: good ? 1 : 0,
    fail: verdict === 'fail' ? 1 : 0,
    unknown: verdict === 'unknown' ? 1 : 0,
    ok_ms: good ? duration_ms : 0,
    latency: good ? { [bucketOf(duration_ms)]: 1 } : {},
  }
}

/** The stored incident that this step closes or adds to. */
async function touchedIncident(
  core: Core,
  { effects }: Transition,
): Promise<IncidentRecord | undefined> {
  for (const effect of effects) {
    if (effect.kind === 'close_incident' || effect.kind === 'cause_changed')
      return core.store.incidents.get(effect.id)
  }
  return undefined
}

function incidentChange(
  { effects }: Transition,
  stored: IncidentRecord | undefined,
): Pick<Change, 'open_incident' | 'update_incident'> {
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
          suppressed_by: null,
        },
      }
    }
    if (effect.kind === 'close_incident') {
      return {
        update_incident: { id: effect.id, ended_at: effect.ended_at, closed_reason: effect.reason },
      }
    }
    if (effect.kind === 'cause_changed') {
      const causes = [...(stored?.causes ?? []), { at: effect.at, ...effect.cause }].slice(
        -CAUSES_LIMIT,
      )
      return {
        update_incident: { id: effect.id, causes, locations_failed: effect.locations_failed },
      }
    }
  }
  return {}
}

/** What was planned for an incident that is over is not told any more; what is under way ends. */
function cancellation({ effects }: Transition): Pick<Change, 'cancel'> {
  const closed = effects.find((effect) => effect.kind === 'close_incident')
  if (closed === undefined) return {}
  if (closed.reason === 'deleted') return { cancel: { scope: 'all', reason: 'monitor_deleted' } }
  return { cancel: { scope: 'later', incident_id: closed.id, reason: closed.reason } }
}

interface Announcing {
  readonly entry: Entry
  readonly step: Transition
  readonly contacts: readonly ContactRecord[]
  readonly reports: readonly Reported[]
  readonly at: EpochMs
  readonly incident: IncidentRecord | undefined
}

function announcements(facts: Announcing): NewNotification[] {
  const announced = facts.step.effects.find((effect) => effect.kind === 'announce')
  if (announced === undefined) return []
  return announced.event === 'down' ? tellDown(facts) : tellUp(facts)
}

function tellDown({ entry, step, contacts, reports }: Announcing): NewNotification[] {
  const opened = step.effects.find((effect) => effect.kind === 'open_incident')
  if (opened === undefined) return []
  const event = entry.type.checker.downEvent ?? 'down'
  const payload = freezePayload({
    event,
    monitor: monitorOf(entry),
    incident: { started_at: opened.started_at, ...opened.cause },
    extras: downExtras(opened.locations_failed, reports),
  })
  return contacts.map(({ id }) => ({
    contact_id: id,
    event,
    due_at: dueAt(id, entry.record.common, opened.detected_at),
    payload,
    repeat: 0,
    incident: 'opened',
  }))
}

/** Only to those who were told of the failure; the store knows who that is. */
function tellUp({ entry, step, contacts, at, incident }: Announcing): NewNotification[] {
  const closed = step.effects.find((effect) => effect.kind === 'close_incident')
  if (closed === undefined || incident === undefined || !entry.record.common.notify_recovery)
    return []
  const { started_at, cause_code, cause_text } = incident
  const payload = freezePayload({
    event: 'up',
    monitor: monitorOf(entry),
    incident: {
      started_at,
      cause_code,
      cause_text,
      ended_at: closed.ended_at,
      duration_sec: Math.round((closed.ended_at - started_at) / 1000),
    },
    extras: {},
  })
  return contacts.map(({ id }) => ({
    contact_id: id,
    event: 'up',
    due_at: at,
    payload,
    repeat: 0,
    incident: closed.id,
    only_if_told: true,
  }))
}

function noticeFor(
  entry: Entry,
  contact_id: number,
  { notice, at }: { readonly notice: Notice; readonly at: EpochMs },
): NewNotification {
  const payload = freezePayload({
    event: notice.event,
    monitor: monitorOf(entry),
    incident: null,
    extras: notice.data,
  })
  return { contact_id, event: notice.event, due_at: at, payload, repeat: 0, incident: null }
}

export function monitorOf({ record }: Entry): PayloadMonitor {
  return { id: record.id, name: record.common.name, type: record.type, target: record.target }
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
