import type { MonitorRecord } from '../../model.ts'
import { addHours } from '../../model/totals.ts'
import { checksOf } from '../memory/accounts.ts'
import { exceeds } from '../quota.ts'
import { addDaily, changedMonitor, queuedRow, resultRow } from '../rules.ts'
import type { Change, Committed, NewNotification } from '../store.ts'
import { HISTORY, useOf } from './accounts.ts'
import type { Records } from './records.ts'

export async function commit(r: Records, changes: readonly Change[]): Promise<Committed[]> {
  const committed: Committed[] = []
  for (const change of changes) committed.push(await apply(r, change))
  return committed
}

async function apply(r: Records, change: Change): Promise<Committed> {
  const monitor = await r.get('monitors', change.monitor_id)
  if (monitor === undefined || !(await r.isThere(monitor.account_id)))
    return { ok: false, reason: 'gone' }
  if (monitor.revision !== change.revision) return { ok: false, reason: 'outdated' }
  if (await isBeyond(r, monitor, change)) return { ok: false, reason: 'quota' }

  const opened = await openIncident(r, monitor, change)
  await updateIncident(r, change)
  const { version, revision } = await putMonitor(r, { monitor, change, opened })
  await putLocations(r, change)
  const result_ids: number[] = []
  for (const result of change.results ?? []) {
    // The table gives the row its id.
    const row = resultRow({ id: 0, monitor_id: monitor.id }, result)
    result_ids.push((await r.insert('results', row)).id)
  }
  await putHistory(r, change)
  await cancel(r, change)
  const notification_ids = await notify(r, { monitor, change, opened })
  await r.audit(change.audit, monitor)
  if (change.remove === true) await removeMonitor(r, monitor.id)

  const incident_id = opened ?? change.update_incident?.id ?? null
  return { ok: true, version, revision, incident_id, result_ids, notification_ids }
}

/** Whether the change raises the monitor's check rate and the account then exceeds its allowance. */
async function isBeyond(r: Records, monitor: MonitorRecord, change: Change): Promise<boolean> {
  const limit = change.within?.checks_per_min
  if (limit === undefined) return false
  const machine = change.machine ?? monitor.machine
  const more = checksOf({ ...monitor, ...change.settings, machine }) - checksOf(monitor)
  if (more <= 0) return false
  return exceeds((await useOf(r, monitor.account_id)).checks_per_min + more, limit)
}

interface Step {
  readonly monitor: MonitorRecord
  readonly change: Change
  /** The id of the incident that the change opens. */
  readonly opened: number | null
}

async function openIncident(r: Records, monitor: MonitorRecord, { open_incident }: Change) {
  if (open_incident === undefined) return null
  const ends = { ended_at: null, closed_reason: null, acknowledged_at: null }
  const { id: monitor_id, account_id } = monitor
  const made = await r.insert('incidents', { ...open_incident, account_id, monitor_id, ...ends })
  return made.id
}

async function updateIncident(r: Records, { monitor_id, update_incident }: Change): Promise<void> {
  if (update_incident === undefined) return
  const incident = await r.get('incidents', update_incident.id)
  if (incident?.monitor_id !== monitor_id) return
  const { id, account_id } = incident
  await r.put('incidents', { ...incident, ...update_incident, id, account_id, monitor_id })
}

async function putMonitor(r: Records, { monitor, change, opened }: Step): Promise<MonitorRecord> {
  const next = changedMonitor(monitor, change, opened)
  await r.put('monitors', next)
  return next
}

async function putLocations(r: Records, change: Change): Promise<void> {
  const { monitor_id, forget_locations, locations = [] } = change
  if (forget_locations === true) await removeAll(r, 'location_states', monitor_id)
  for (const state of locations) {
    const { location_id } = state
    const known = await r.first('location_states', { monitor_id, location_id })
    const row = { ...state, monitor_id }
    if (known === undefined) await r.insert('location_states', row)
    else await r.put('location_states', { ...row, id: known.id })
  }
}

async function putHistory(r: Records, change: Change): Promise<void> {
  const { monitor_id, availability = [], daily = [], hourly = [] } = change
  for (const entry of availability) await r.insert('availability', { ...entry, monitor_id })
  for (const stats of daily) {
    const known = await r.first('daily', { monitor_id, day: stats.day })
    if (known === undefined) await r.insert('daily', { ...stats, monitor_id })
    else await r.put('daily', { ...known, ...addDaily(known, stats) })
  }
  for (const stats of hourly) {
    const of = await r.all('hourly', { monitor_id, hour: stats.hour })
    const known = of.find(({ location_id }) => location_id === stats.location_id)
    if (known === undefined) await r.insert('hourly', { ...stats, monitor_id })
    else await r.put('hourly', { ...known, ...addHours(known, stats) })
  }
}

async function cancel(r: Records, { monitor_id, at, cancel: wanted }: Change): Promise<void> {
  if (wanted === undefined) return
  const { scope, incident_id, reason } = wanted
  for (const row of await r.all('notifications', { monitor_id, status: 'queued' })) {
    if (incident_id !== undefined && row.incident_id !== incident_id) continue
    const later = row.repeat > 0 || (row.due_at > at && row.claims === 0)
    if (scope === 'later' ? !later : row.event === 'up') continue
    const end = { status: 'cancelled', error: reason, finished_at: at } as const
    await r.put('notifications', { ...row, ...end })
  }
}

async function notify(r: Records, { monitor, change, opened }: Step): Promise<number[]> {
  const ids: number[] = []
  const { account_id, id: monitor_id } = monitor
  for (const wanted of change.notify ?? []) {
    const incident_id = wanted.incident === 'opened' ? opened : wanted.incident
    if (wanted.only_if_notified === true || wanted.only_if_not_notified === true) {
      const notified = await wasNotified(r, wanted, incident_id)
      if (notified ? wanted.only_if_not_notified : wanted.only_if_notified) continue
    }
    const row = { ...wanted, account_id, monitor_id, incident_id, created_at: change.at }
    ids.push((await r.insert('notifications', queuedRow(row))).id)
  }
  return ids
}

async function wasNotified(
  r: Records,
  { contact_id }: NewNotification,
  incident_id: number | null,
): Promise<boolean> {
  if (incident_id === null) return false
  const rows = await r.all('notifications', { incident_id, contact_id })
  return rows.some(({ status, claims }) => status !== 'cancelled' || claims > 0)
}

async function removeMonitor(r: Records, monitor_id: number): Promise<void> {
  await r.remove('monitors', monitor_id)
  for (const name of HISTORY) await removeAll(r, name, monitor_id)
}

async function removeAll(
  r: Records,
  name: (typeof HISTORY)[number],
  monitor_id: number,
): Promise<void> {
  for (const { id } of await r.all(name, { monitor_id })) await r.remove(name, id)
}
