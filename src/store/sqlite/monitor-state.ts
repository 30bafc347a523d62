/**
 * What every change of a monitor updates, one narrow row each: its machine, its revision and its current day
 * (`daily.ts`). A successful round updates all of it in one statement.
 *
 * @module
 */

import type { MachineState } from '../../model.ts'
import { withIncident } from '../change.ts'
import { idChunks, marks } from '../sql.ts'
import type { Change } from '../store.ts'
import { ofNoneRemoved } from './account-removal.ts'
import type { Connection } from './connection.ts'
import { count, COUNTED_WITH_BUCKET, partsOf, valuesOf } from './daily.ts'

/** What the revision and quota of a change are compared with. */
export interface MonitorStateRow {
  readonly version: number
  readonly revision: number
}

/** Read in one query, as one text each: a driver takes longer for a column than for a JSON array of three. */
export function monitorStatesOf(
  db: Connection,
  monitor_ids: readonly number[],
): Map<number, MonitorStateRow> {
  const states = new Map<number, MonitorStateRow>()
  const left = ofNoneRemoved(db)
  const known = left === '' ? '' : ` AND monitor_id IN (SELECT id FROM monitors WHERE 1 = 1${left})`
  for (const chunk of idChunks(monitor_ids)) {
    const row = db.get(
      `SELECT json_group_array(json_array(monitor_id, version, revision)) AS found
       FROM monitor_states WHERE monitor_id IN (${marks(chunk.length)})${known}`,
      chunk,
    )
    const found = JSON.parse(String(row?.['found'])) as [number, number, number][]
    for (const [id, version, revision] of found) states.set(id, { version, revision })
  }
  return states
}

export function insertMonitorState(
  db: Connection,
  monitor_id: number,
  machine: MachineState,
): void {
  db.run(
    'INSERT INTO monitor_states (monitor_id, version, revision, state, machine) VALUES (?, 1, 1, ?, ?)',
    [monitor_id, machine.state, JSON.stringify(machine)],
  )
}

/** A fixed set of texts, so that each is prepared once. */
const GROW = 'UPDATE monitor_states SET revision = revision + 1 WHERE monitor_id = ?'
const GROW_VERSION = 'UPDATE monitor_states SET version = version + 1 WHERE monitor_id = ?'
const MOVED = 'UPDATE monitor_states SET revision = revision + 1, state = ?, machine = ?'
const MOVE = `${MOVED} WHERE monitor_id = ?`
const MOVE_AND_COUNT = `${MOVED}, ${COUNTED_WITH_BUCKET}`

/** `opened`: the id of the incident that the change opened. */
export function updateMonitorState(db: Connection, change: Change, opened: number | null): void {
  const { monitor_id, machine, settings, daily = [] } = change
  const parts = daily.flatMap(partsOf)
  if (settings !== undefined) db.run(GROW_VERSION, [monitor_id])
  if (machine === undefined) db.run(GROW, [monitor_id])
  else {
    const moved = [machine.state, JSON.stringify(withIncident(machine, opened))]
    const [part] = parts
    const together =
      part?.bucket !== undefined &&
      db.run(MOVE_AND_COUNT, [...moved, ...valuesOf(monitor_id, part)]) > 0
    if (together) parts.shift()
    else db.run(MOVE, [...moved, monitor_id])
  }
  for (const part of parts) count(db, monitor_id, part)
}

export function removeMonitorState(db: Connection, monitor_id: number): void {
  db.run('DELETE FROM monitor_states WHERE monitor_id = ?', [monitor_id])
}
