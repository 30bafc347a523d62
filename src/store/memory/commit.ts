import type { AvailabilityChange, MonitorRecord } from '../../model.ts'
import { exceeds } from '../quota.ts'
import { addDaily, changedMonitor, queuedRow, resultRow } from '../rules.ts'
import type { CancelNotifications, Change, Committed, NewNotification } from '../store.ts'
import { checksOf, useOf } from './accounts.ts'
import { copy } from './copy.ts'
import { rowsOfMonitor } from './lanes.ts'
import {
  addAudit,
  addHourly,
  addResult,
  dropMonitor,
  isThere,
  listAt,
  mapAt,
  putMonitor,
  putNotification,
  rowsOf,
} from './tables.ts'
import type { Tables } from './tables.ts'

export function commit(tables: Tables, changes: readonly Change[]): Committed[] {
  // All changes are copied before the first is applied: a value that cannot be stored rejects the whole commit.
  return copy(changes).map((change) => apply(tables, change))
}

function apply(tables: Tables, change: Change): Committed {
  const monitor = tables.monitors.get(change.monitor_id)
  if (!isThere(tables, monitor)) return { ok: false, reason: 'gone' }
  if (monitor.revision !== change.revision) return { ok: false, reason: 'outdated' }
  if (isBeyond(tables, monitor, change)) return { ok: false, reason: 'quota' }

  const opened = openIncident(tables, monitor, change)
  updateIncident(tables, change)
  const { version, revision } = changeMonitor(tables, { monitor, change, opened })
  putLocations(tables, change)
  const result_ids = putResults(tables, change)
  putHistory(tables, change)
  if (change.cancel !== undefined) cancel(tables, change, change.cancel)
  const notification_ids = notify(tables, { monitor, change, opened })
  addAudit(tables, change.audit, monitor)
  if (change.remove === true) dropMonitor(tables, monitor.id)

  const incident_id = opened ?? change.update_incident?.id ?? null
  return { ok: true, version, revision, incident_id, result_ids, notification_ids }
}

/** Whether the change raises the monitor's check rate and the account then exceeds its allowance. */
function isBeyond(tables: Tables, monitor: MonitorRecord, change: Change): boolean {
  const limit = change.within?.checks_per_min
  if (limit === undefined) return false
  const machine = change.machine ?? monitor.machine
  const more = checksOf({ ...monitor, ...change.settings, machine }) - checksOf(monitor)
  return more > 0 && exceeds(useOf(tables, monitor.account_id).checks_per_min + more, limit)
}

interface Step {
  readonly monitor: MonitorRecord
  readonly change: Change
  /** Id of the incident that the change opens. */
  readonly opened: number | null
}

function openIncident(tables: Tables, monitor: MonitorRecord, change: Change): number | null {
  if (change.open_incident === undefined) return null
  const id = tables.nextId('incident')
  tables.incidents.set(id, {
    ...change.open_incident,
    id,
    account_id: monitor.account_id,
    monitor_id: monitor.id,
    ended_at: null,
    closed_reason: null,
    acknowledged_at: null,
  })
  return id
}

function updateIncident(tables: Tables, { monitor_id, update_incident }: Change): void {
  if (update_incident === undefined) return
  const incident = tables.incidents.get(update_incident.id)
  if (incident === undefined || incident.monitor_id !== monitor_id) return
  const { id, account_id } = incident
  tables.incidents.set(id, { ...incident, ...update_incident, id, account_id, monitor_id })
}

function changeMonitor(tables: Tables, { monitor, change, opened }: Step): MonitorRecord {
  const next = changedMonitor(monitor, change, opened)
  putMonitor(tables, next)
  return next
}

function putLocations(tables: Tables, change: Change): void {
  if (change.forget_locations === true) tables.locationStates.delete(change.monitor_id)
  for (const state of change.locations ?? []) {
    const known = mapAt(tables.locationStates, change.monitor_id)
    known.set(state.location_id, { ...state, monitor_id: change.monitor_id })
  }
}

function putResults(tables: Tables, change: Change): number[] {
  const { monitor_id, results = [] } = change
  return results.map((result) => {
    const id = tables.nextId('result')
    addResult(tables, resultRow({ id, monitor_id }, result))
    return id
  })
}

function putHistory(tables: Tables, change: Change): void {
  const { monitor_id, availability = [], daily = [], hourly = [] } = change
  for (const entry of availability) {
    const entries: AvailabilityChange[] = listAt(tables.availability, monitor_id)
    entries.push({ ...entry, monitor_id })
  }
  for (const stats of daily) {
    const days = mapAt(tables.daily, monitor_id)
    const known = days.get(stats.day)
    const sum = known === undefined ? stats : addDaily(known, stats)
    days.set(stats.day, { ...sum, monitor_id })
  }
  for (const stats of hourly) addHourly(tables, { ...stats, monitor_id })
}

function cancel(
  tables: Tables,
  change: Change,
  { scope, incident_id, reason }: CancelNotifications,
) {
  for (const row of rowsOfMonitor(tables.waiting, change.monitor_id)) {
    if (row.status !== 'queued') continue
    if (incident_id !== undefined && row.incident_id !== incident_id) continue
    const later = row.repeat > 0 || (row.due_at > change.at && row.claims === 0)
    if (scope === 'later' ? !later : row.event === 'up') continue
    putNotification(tables, {
      ...row,
      status: 'cancelled',
      error: reason,
      finished_at: change.at,
    })
  }
}

function notify(tables: Tables, { monitor, change, opened }: Step): number[] {
  const ids: number[] = []
  for (const wanted of change.notify ?? []) {
    const incident_id = wanted.incident === 'opened' ? opened : wanted.incident
    if (wanted.only_if_notified === true && !wasNotified(tables, wanted, incident_id)) continue
    if (wanted.only_if_not_notified === true && wasNotified(tables, wanted, incident_id)) continue
    const row = queuedRow({
      ...wanted,
      account_id: monitor.account_id,
      monitor_id: monitor.id,
      incident_id,
      created_at: change.at,
    })
    const id = tables.nextId('notification')
    putNotification(tables, { ...row, id })
    ids.push(id)
  }
  return ids
}

function wasNotified(tables: Tables, wanted: NewNotification, incident_id: number | null): boolean {
  if (incident_id === null) return false
  return rowsOf(tables, incident_id).some(
    ({ contact_id, status, claims }) =>
      contact_id === wanted.contact_id && (status !== 'cancelled' || claims > 0),
  )
}
