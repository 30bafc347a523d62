/**
 * Commits changes: the whole list in one transaction.
 *
 * @module
 */

import type { IncidentRecord } from '../../model.ts'
import type { CancelNotifications, Change, Committed, NewNotification } from '../store.ts'
import { isBeyond } from './account-use.ts'
import { addAudit } from './audit.ts'
import type { Connection } from './connection.ts'
import { putHour } from './hourly.ts'
import { putLocations, removeLocations } from './location-states.ts'
import { insertNotification } from './notifications.ts'
import { updateMonitorState, removeMonitorState, monitorStatesOf } from './monitor-state.ts'
import type { MonitorStateRow } from './monitor-state.ts'
import { packPhases } from '../phases.ts'
import { assignments, insertInto, settingsColumns } from '../sql.ts'

export function commit(db: Connection, changes: readonly Change[]): Committed[] {
  if (changes.length === 0) return []
  return db.transaction(() => {
    const states = monitorStatesOf(
      db,
      changes.map(({ monitor_id }) => monitor_id),
    )
    return changes.map((change) => {
      const committed = apply(db, change, states.get(change.monitor_id))
      follow(states, change, committed)
      return committed
    })
  })
}

/** The state of a monitor after this change, for later changes of the same list. */
function follow(states: Map<number, MonitorStateRow>, change: Change, committed: Committed): void {
  const before = states.get(change.monitor_id)
  if (before === undefined || !committed.ok) return
  const { version, revision } = committed
  if (change.remove === true) states.delete(change.monitor_id)
  else states.set(change.monitor_id, { version, revision })
}

/** Decides whether the change is accepted before its first write. */
function apply(db: Connection, change: Change, monitor: MonitorStateRow | undefined): Committed {
  if (monitor === undefined) return { ok: false, reason: 'gone' }
  if (monitor.revision !== change.revision) return { ok: false, reason: 'outdated' }
  if (isBeyond(db, change)) return { ok: false, reason: 'quota' }

  const opened = openIncident(db, change)
  updateIncident(db, change)
  updateMonitorState(db, change, opened)
  putMonitor(db, change)
  putLocations(db, change)
  const result_ids = putResults(db, change)
  putHistory(db, change)
  if (change.cancel !== undefined) cancel(db, change, change.cancel)
  const notification_ids = notify(db, change, opened)
  if (change.audit !== undefined) {
    const { monitor_id: id, audit } = change
    addAudit(db, audit, { id, account_id: accountOf(db, id) })
  }
  if (change.remove === true) remove(db, change.monitor_id)

  const version = monitor.version + (change.settings === undefined ? 0 : 1)
  const revision = change.revision + 1
  const incident_id = opened ?? change.update_incident?.id ?? null
  return { ok: true, version, revision, incident_id, result_ids, notification_ids }
}

const INSERT_INCIDENT = insertInto('incidents', [
  'account_id',
  'monitor_id',
  'started_at',
  'detected_at',
  'cause_code',
  'cause_text',
  'causes',
  'locations_failed',
  'suppressed_by',
])

function openIncident(db: Connection, change: Change): number | null {
  const incident = change.open_incident
  if (incident === undefined) return null
  return db.insert(INSERT_INCIDENT, [
    accountOf(db, change.monitor_id),
    change.monitor_id,
    incident.started_at,
    incident.detected_at,
    incident.cause_code,
    incident.cause_text,
    JSON.stringify(incident.causes),
    JSON.stringify(incident.locations_failed),
    incident.suppressed_by,
  ])
}

const INCIDENT_CHANGEABLE = [
  'ended_at',
  'closed_reason',
  'causes',
  'locations_failed',
  'suppressed_by',
  'acknowledged_at',
] as const satisfies readonly (keyof IncidentRecord)[]

function updateIncident(db: Connection, { monitor_id, update_incident }: Change): void {
  if (update_incident === undefined) return
  const { id, causes, locations_failed } = update_incident
  const { text, params } = assignments(INCIDENT_CHANGEABLE, {
    ...update_incident,
    causes: causes && JSON.stringify(causes),
    locations_failed: locations_failed && JSON.stringify(locations_failed),
  })
  if (text === '') return
  db.run(`UPDATE incidents SET ${text} WHERE id = ? AND monitor_id = ?`, [
    ...params,
    id,
    monitor_id,
  ])
}

function putMonitor(db: Connection, { monitor_id, settings, token, at }: Change): void {
  if (settings === undefined && token === undefined) return
  const columns = {
    ...(settings === undefined ? {} : settingsColumns(settings, JSON.stringify)),
    ...token,
    updated_at: at,
  }
  const { text, params } = assignments(Object.keys(columns), columns)
  db.run(`UPDATE monitors SET ${text} WHERE id = ?`, [...params, monitor_id])
}

const INSERT_RESULT = insertInto('results', [
  'monitor_id',
  'location_id',
  'round',
  'started_at',
  'lag_ms',
  'duration_ms',
  'verdict',
  'cause_code',
  'cause_text',
  'phase',
  'phases',
  'remote_ip',
  'details',
])

function putResults(db: Connection, { monitor_id, results = [] }: Change): number[] {
  return results.map((result) => {
    const details = JSON.stringify(result.details)
    return db.insert(INSERT_RESULT, [
      monitor_id,
      result.location_id,
      result.round,
      result.started_at,
      result.lag_ms,
      result.duration_ms,
      result.verdict,
      result.cause_code,
      result.cause_text,
      result.phase,
      packPhases(result.phases),
      result.remote_ip,
      details === '{}' ? null : details,
    ])
  })
}

function putHistory(db: Connection, change: Change): void {
  const { monitor_id, availability = [], hourly = [] } = change
  for (const stats of hourly) putHour(db, monitor_id, stats)
  for (const entry of availability) {
    db.run('INSERT INTO availability (monitor_id, at, availability) VALUES (?, ?, ?)', [
      monitor_id,
      entry.at,
      entry.availability,
    ])
  }
}

function cancel(db: Connection, change: Change, wanted: CancelNotifications): void {
  const { scope, incident_id, reason } = wanted
  // The index is named, so that SQLite reads the waiting rows and not the monitor's whole log.
  const sql = `UPDATE notifications INDEXED BY notifications_lane
    SET status = 'cancelled', error = ?, finished_at = ?
    WHERE monitor_id = ? AND status IN ('queued', 'sending') AND status = 'queued'
    AND ${scope === 'later' ? '(repeat > 0 OR (due_at > ? AND claims = 0))' : "event <> 'up'"}
    ${incident_id === undefined ? '' : 'AND incident_id = ?'}`
  db.run(sql, [
    reason,
    change.at,
    change.monitor_id,
    ...(scope === 'later' ? [change.at] : []),
    ...(incident_id === undefined ? [] : [incident_id]),
  ])
}

function notify(db: Connection, change: Change, opened: number | null): number[] {
  const { monitor_id, at: created_at, notify: list = [] } = change
  if (list.length === 0) return []
  const account_id = accountOf(db, monitor_id)
  const ids: number[] = []
  for (const wanted of list) {
    const incident_id = wanted.incident === 'opened' ? opened : wanted.incident
    if (wanted.only_if_notified === true && !wasNotified(db, wanted, incident_id)) continue
    if (wanted.only_if_not_notified === true && wasNotified(db, wanted, incident_id)) continue
    ids.push(insertNotification(db, { ...wanted, account_id, monitor_id, incident_id, created_at }))
  }
  return ids
}

function accountOf(db: Connection, monitor_id: number): number {
  return Number(
    db.get('SELECT account_id FROM monitors WHERE id = ?', [monitor_id])?.['account_id'],
  )
}

function wasNotified(db: Connection, wanted: NewNotification, incident_id: number | null): boolean {
  if (incident_id === null) return false
  const notified = db.get(
    `SELECT 1 AS notified FROM notifications
     WHERE incident_id = ? AND contact_id = ? AND (status <> 'cancelled' OR claims > 0) LIMIT 1`,
    [incident_id, wanted.contact_id],
  )
  return notified !== undefined
}

function remove(db: Connection, monitor_id: number): void {
  db.run('DELETE FROM monitors WHERE id = ?', [monitor_id])
  removeMonitorState(db, monitor_id)
  removeLocations(db, monitor_id)
  db.run('DELETE FROM availability WHERE monitor_id = ?', [monitor_id])
  db.run('DELETE FROM daily WHERE monitor_id = ?', [monitor_id])
  db.run('DELETE FROM hourly WHERE monitor_id = ?', [monitor_id])
  // Results stay, possibly hundreds of thousands: `prune` removes them in steps.
  db.run('INSERT INTO removed_monitors (monitor_id) VALUES (?)', [monitor_id])
}
