/**
 * The state of a monitor per location. If the last outcome equals that of the newest result, it is not stored again
 * and `last` is NULL. When pruning removes that result, the outcome is written here.
 *
 * @module
 */

import type { LocationState, Outcome, ResultRecord } from '../../model.ts'
import { readable } from '../readable.ts'
import { toLocationState, toResult } from '../rows.ts'
import type { Row } from '../rows.ts'
import { idChunks, marks } from '../sql.ts'
import type { Change, OnUnreadable } from '../store.ts'
import type { Connection } from './connection.ts'
import { RESULT_COLUMNS } from './history.ts'

type NewResult = NonNullable<Change['results']>[number]

/** Writes only if something has changed, which is rare. */
const PUT = `INSERT INTO location_states
  (monitor_id, location_id, consecutive_fails, last, memo) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (monitor_id, location_id) DO UPDATE SET
    consecutive_fails = excluded.consecutive_fails, last = excluded.last, memo = excluded.memo
  WHERE consecutive_fails <> excluded.consecutive_fails
    OR last IS NOT excluded.last OR memo IS NOT excluded.memo`

/** Must run before the results of the change are written. */
export function putLocations(db: Connection, change: Change): void {
  const { monitor_id, locations = [], results = [] } = change
  if (change.forget_locations === true)
    db.run('DELETE FROM location_states WHERE monitor_id = ?', [monitor_id])
  for (const state of locations) {
    const { location_id, consecutive_fails, last, memo } = state
    const newest = results.findLast((result) => result.location_id === location_id)
    const known = last !== null && newest !== undefined && saysTheSame(last, newest)
    db.run(PUT, [
      monitor_id,
      location_id,
      consecutive_fails,
      known ? null : JSON.stringify(last),
      memo === null ? null : JSON.stringify(memo),
    ])
  }
  for (const { location_id } of results) {
    if (!locations.some((state) => state.location_id === location_id))
      keepLast(db, monitor_id, location_id)
  }
}

/** Compares by identity: the engine spreads the outcome into the result, so that both contain the same objects. */
function saysTheSame(last: Outcome, result: NewResult): boolean {
  return (
    last.details === result.details &&
    last.phases === result.phases &&
    last.verdict === result.verdict &&
    last.duration_ms === result.duration_ms &&
    last.cause_code === result.cause_code &&
    last.cause_text === result.cause_text &&
    last.phase === result.phase &&
    last.remote_ip === result.remote_ip &&
    Date.parse(last.started_at) === result.started_at
  )
}

export function locationStates(
  db: Connection,
  monitor_ids: readonly number[],
  onUnreadable?: OnUnreadable,
): LocationState[] {
  return idChunks(monitor_ids).flatMap((chunk) => {
    const of = `WHERE l.monitor_id IN (${marks(chunk.length)})`
    const newest = newestResults(db, of, chunk)
    const rows = db.all(
      `SELECT l.* FROM location_states AS l ${of} ORDER BY l.monitor_id, l.location_id`,
      chunk,
    )
    const read = (row: Row): LocationState => {
      const state = toLocationState(row)
      if (row['last'] !== null) return state
      const result = newest.get(`${state.monitor_id} ${state.location_id}`)
      return result === undefined ? state : { ...state, last: outcomeOf(toResult(result)) }
    }
    return readable(rows, read, onUnreadable)
  })
}

/** The newest results by monitor and location, for rows whose `last` is NULL. */
function newestResults(db: Connection, of: string, params: readonly number[]): Map<string, Row> {
  const rows = db.all(
    `SELECT ${RESULT_COLUMNS} FROM results WHERE id IN (
       SELECT (SELECT max(r.id) FROM results AS r
               WHERE r.monitor_id = l.monitor_id AND r.location_id = l.location_id)
       FROM location_states AS l ${of} AND l.last IS NULL)`,
    params,
  )
  return new Map(rows.map((row) => [`${row['monitor_id']} ${row['location_id']}`, row]))
}

function outcomeOf(result: ResultRecord): Outcome {
  const { verdict, cause_code, cause_text, phase, duration_ms, phases, remote_ip, details } = result
  const started_at = new Date(result.started_at).toISOString()
  return {
    verdict,
    cause_code,
    cause_text,
    phase,
    started_at,
    duration_ms,
    phases,
    remote_ip,
    details,
  }
}

/** Stores the last outcome itself: its result is about to be removed, or a newer one differs. */
export function keepLast(db: Connection, monitor_id: number, location_id: number): void {
  const of = 'WHERE l.monitor_id = ? AND l.location_id = ?'
  const [row] = newestResults(db, of, [monitor_id, location_id]).values()
  if (row === undefined) return
  // A damaged result has no outcome. Lists report it; its removal and the rows of others do not wait for it.
  const [last] = readable([row], (newest) => outcomeOf(toResult(newest)))
  if (last === undefined) return
  db.run('UPDATE location_states SET last = ? WHERE monitor_id = ? AND location_id = ?', [
    JSON.stringify(last),
    monitor_id,
    location_id,
  ])
}

export function removeLocations(db: Connection, monitor_id: number): void {
  db.run('DELETE FROM location_states WHERE monitor_id = ?', [monitor_id])
}
