/**
 * The round's commit: every change of the list in one transaction.
 *
 * @module
 */

import type { IncidentRecord, MachineState } from '../../model.ts'
import { withIncident } from '../rules.ts'
import type { CancelNotifications, Change, Committed, NewNotification } from '../store.ts'
import type { Connection } from './connection.ts'
import { countDaily, removeDaily } from './daily.ts'
import { settingsColumns } from './monitors.ts'
import { insertNotification } from './notifications.ts'
import { packPhases } from '../phases.ts'
import { assignments, idChunks, insertInto, marks } from '../sql.ts'

export function commit(db: Connection, changes: readonly Change[]): Committed[] {
  if (changes.length === 0) return []
  return db.transaction(() => {
    const standing = standingOf(db, changes)
    return changes.map((change) => {
      const committed = apply(db, change, standing.get(change.monitor_id))
      follow(standing, change, committed)
      return committed
    })
  })
}

/** What a change of a monitor has to fit. */
interface Standing {
  readonly account_id: number
  readonly version: number
  readonly revision: number
}

/** All in one question; as one text each, since a driver takes longer for a column than for a JSON of four. */
function standingOf(db: Connection, changes: readonly Change[]): Map<number, Standing> {
  const standing = new Map<number, Standing>()
  for (const chunk of idChunks(changes.map(({ monitor_id }) => monitor_id))) {
    const row = db.get(
      `SELECT json_group_array(json_array(id, account_id, version, revision)) AS found
       FROM monitors WHERE id IN (${marks(chunk.length)})`,
      chunk,
    )
    const found = JSON.parse(String(row?.['found'])) as [number, number, number, number][]
    for (const [id, account_id, version, revision] of found)
      standing.set(id, { account_id, version, revision })
  }
  return standing
}

/** A later change of the same list meets what this one left. */
function follow(standing: Map<number, Standing>, change: Change, committed: Committed): void {
  const before = standing.get(change.monitor_id)
  if (before === undefined || !committed.ok) return
  const { version, revision } = committed
  if (change.remove === true) standing.delete(change.monitor_id)
  else standing.set(change.monitor_id, { ...before, version, revision })
}

/** Whether the change can be made is settled before its first write. */
function apply(db: Connection, change: Change, monitor: Standing | undefined): Committed {
  if (monitor === undefined) return { ok: false, reason: 'gone' }
  if (monitor.revision !== change.revision) return { ok: false, reason: 'outdated' }

  const { account_id } = monitor
  const opened = openIncident(db, change, account_id)
  updateIncident(db, change)
  putMonitor(db, change, opened)
  putLocations(db, change)
  const result_ids = putResults(db, change)
  putHistory(db, change)
  if (change.cancel !== undefined) cancel(db, change, change.cancel)
  const notification_ids = notify(db, change, { account_id, opened })
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

function openIncident(db: Connection, change: Change, account_id: number): number | null {
  const incident = change.open_incident
  if (incident === undefined) return null
  return db.insert(INSERT_INCIDENT, [
    account_id,
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

/** Of nearly every change, a round; always the same text, so that it is prepared once and found at once. */
const MOVE_MONITOR =
  'UPDATE monitors SET revision = revision + 1, state = ?, machine = ? WHERE id = ?'

function putMonitor(db: Connection, change: Change, opened: number | null): void {
  const { monitor_id, machine, settings, token, at } = change
  if (machine !== undefined && settings === undefined && token === undefined) {
    const { state, machine: text } = machineColumns(machine, opened)
    db.run(MOVE_MONITOR, [state, text, monitor_id])
    return
  }
  const columns = {
    ...(machine === undefined ? {} : machineColumns(machine, opened)),
    ...(settings === undefined ? {} : settingsColumns(settings)),
    ...token,
    ...(settings === undefined && token === undefined ? {} : { updated_at: at }),
  }
  const { text, params } = assignments(Object.keys(columns), columns)
  const grown = `revision = revision + 1${settings === undefined ? '' : ', version = version + 1'}`
  db.run(`UPDATE monitors SET ${[grown, text].filter(Boolean).join(', ')} WHERE id = ?`, [
    ...params,
    monitor_id,
  ])
}

function machineColumns(machine: MachineState, opened: number | null) {
  return { state: machine.state, machine: JSON.stringify(withIncident(machine, opened)) }
}

const PUT_LOCATION = `INSERT INTO location_states
  (monitor_id, location_id, consecutive_fails, last, memo) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (monitor_id, location_id) DO UPDATE SET
  consecutive_fails = excluded.consecutive_fails, last = excluded.last, memo = excluded.memo`

function putLocations(db: Connection, change: Change): void {
  if (change.forget_locations === true) {
    db.run('DELETE FROM location_states WHERE monitor_id = ?', [change.monitor_id])
  }
  for (const state of change.locations ?? []) {
    db.run(PUT_LOCATION, [
      change.monitor_id,
      state.location_id,
      state.consecutive_fails,
      state.last === null ? null : JSON.stringify(state.last),
      state.memo === null ? null : JSON.stringify(state.memo),
    ])
  }
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

function putHistory(db: Connection, { monitor_id, availability = [], daily = [] }: Change): void {
  for (const entry of availability) {
    db.run('INSERT INTO availability (monitor_id, at, availability) VALUES (?, ?, ?)', [
      monitor_id,
      entry.at,
      entry.availability,
    ])
  }
  for (const stats of daily) countDaily(db, monitor_id, stats)
}

function cancel(db: Connection, change: Change, wanted: CancelNotifications): void {
  const { scope, incident_id, reason } = wanted
  const sql = `UPDATE notifications SET status = 'cancelled', error = ?, finished_at = ?
    WHERE monitor_id = ? AND status = 'queued'
    ${scope === 'later' ? 'AND (repeat > 0 OR (due_at > ? AND claims = 0))' : ''}
    ${incident_id === undefined ? '' : 'AND incident_id = ?'}`
  db.run(sql, [
    reason,
    change.at,
    change.monitor_id,
    ...(scope === 'later' ? [change.at] : []),
    ...(incident_id === undefined ? [] : [incident_id]),
  ])
}

interface Owner {
  readonly account_id: number
  readonly opened: number | null
}

function notify(db: Connection, change: Change, { account_id, opened }: Owner): number[] {
  const ids: number[] = []
  for (const wanted of change.notify ?? []) {
    const incident_id = wanted.incident === 'opened' ? opened : wanted.incident
    if (wanted.only_if_told === true && !wasTold(db, wanted, incident_id)) continue
    if (wanted.only_if_untold === true && wasTold(db, wanted, incident_id)) continue
    const { monitor_id, at: created_at } = change
    ids.push(insertNotification(db, { ...wanted, account_id, monitor_id, incident_id, created_at }))
  }
  return ids
}

function wasTold(db: Connection, wanted: NewNotification, incident_id: number | null): boolean {
  if (incident_id === null) return false
  const told = db.get(
    `SELECT 1 AS told FROM notifications
     WHERE incident_id = ? AND contact_id = ? AND status <> 'cancelled' LIMIT 1`,
    [incident_id, wanted.contact_id],
  )
  return told !== undefined
}

function remove(db: Connection, monitor_id: number): void {
  db.run('DELETE FROM monitors WHERE id = ?', [monitor_id])
  db.run('DELETE FROM location_states WHERE monitor_id = ?', [monitor_id])
  db.run('DELETE FROM availability WHERE monitor_id = ?', [monitor_id])
  removeDaily(db, monitor_id)
  // There may be hundreds of thousands of results: they are left to `prune`, which works in steps.
  db.run('INSERT INTO removed_monitors (monitor_id) VALUES (?)', [monitor_id])
}
