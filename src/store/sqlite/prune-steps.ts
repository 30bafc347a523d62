/**
 * Removes old rows of tables in which some have to stay, however many those are: it reads them in steps, between which
 * other work may run. The next call begins where one ended that removed as many as it may.
 *
 * @module
 */

import { systemClock, yielderOf } from '../../clock.ts'
import type { EpochMs } from '../../model.ts'
import { marks } from '../sql.ts'
import type { PruneOptions } from '../store.ts'
import type { Connection, Row } from './connection.ts'

/** Notifications that are read in one step. One takes about two microseconds. */
const ROWS = 1000
/** Monitors whose availability is read in one step. One takes about three microseconds. */
const MONITORS = 500

/** Removes up to `limit` rows; fewer only if there are no more. Resolves with their number. */
export type PruneSteps = (options: PruneOptions) => Promise<number>

interface Step<Place> {
  readonly gone: number
  /** Where the next step begins; `undefined` after the last one. */
  readonly next: Place | undefined
}

function inSteps<Place>(
  db: Connection,
  first: Place,
  step: (from: Place, options: PruneOptions) => Step<Place>,
): PruneSteps {
  let place = first
  return async (options) => {
    const yieldIfLong = yielderOf(systemClock)
    let gone = 0
    while (gone < options.limit) {
      await yieldIfLong()
      const limit = options.limit - gone
      const done = db.transaction(() => step(place, { ...options, limit }))
      gone += done.gone
      place = done.next ?? first
      if (done.next === undefined) break
    }
    return gone
  }
}

interface LastRead {
  readonly finished_at: EpochMs
  readonly id: number
}

/** Of an incident that is open, or of which some still wait, all notifications stay. */
export function createPruneNotifications(db: Connection): PruneSteps {
  return inSteps<LastRead>(
    db,
    { finished_at: -1, id: 0 },
    (from, { notifications_before: before, limit }) => {
      const rows = oldNotifications(db, from, before)
      const old = rows.filter((row) => row['kept'] === 0).slice(0, limit)
      removeNotifications(db, old.map(idOf))
      const last = old.length === limit ? old.at(-1) : rows.at(-1)
      if (last === undefined || (last === rows.at(-1) && rows.length < ROWS))
        return { gone: old.length, next: undefined }
      return {
        gone: old.length,
        next: { finished_at: Number(last['finished_at']), id: idOf(last) },
      }
    },
  )
}

const IS_KEPT = `(EXISTS (
    SELECT 1 FROM incidents AS i WHERE i.id = n.incident_id AND i.ended_at IS NULL)
  OR EXISTS (
    SELECT 1 FROM notifications AS w INDEXED BY notifications_lane
    WHERE w.monitor_id = n.monitor_id AND w.incident_id = n.incident_id
      AND w.status IN ('queued', 'sending'))) AS kept`

const OLD = `SELECT id, finished_at, ${IS_KEPT} FROM notifications AS n WHERE finished_at`

/** In two queries: an index finds the rows behind an id only among those that finished at the same time. */
function oldNotifications(db: Connection, from: LastRead, before: EpochMs): readonly Row[] {
  const { finished_at, id } = from
  const same =
    finished_at < before
      ? db.all(`${OLD} = ? AND id > ? ORDER BY id LIMIT ?`, [finished_at, id, ROWS])
      : []
  if (same.length === ROWS) return same
  const later = `${OLD} > ? AND finished_at < ? ORDER BY finished_at, id LIMIT ?`
  return [...same, ...db.all(later, [finished_at, before, ROWS - same.length])]
}

function removeNotifications(db: Connection, ids: readonly number[]): void {
  if (ids.length === 0) return
  const some = marks(ids.length)
  db.run(`DELETE FROM attempts WHERE notification_id IN (${some})`, ids)
  db.run(`DELETE FROM notifications WHERE id IN (${some})`, ids)
}

function idOf(row: Row): number {
  return Number(row['id'])
}

/** Skips from one monitor to the next, and tells which have a second change before the border. */
const CHANGED = `
  WITH RECURSIVE changed (monitor_id) AS (
    SELECT MIN(monitor_id) FROM availability WHERE monitor_id >= ?
    UNION ALL
    SELECT (SELECT MIN(monitor_id) FROM availability WHERE monitor_id > changed.monitor_id)
    FROM changed WHERE monitor_id IS NOT NULL LIMIT ?)
  SELECT monitor_id, (
    SELECT at FROM availability WHERE monitor_id = changed.monitor_id
    ORDER BY at, id LIMIT 1 OFFSET 1) < ? AS old
  FROM changed WHERE monitor_id IS NOT NULL`

const REMOVE_CHANGES = `DELETE FROM availability WHERE id IN (
  SELECT id FROM availability WHERE monitor_id = ? AND at < ? AND id <> (
    SELECT id FROM availability WHERE monitor_id = ? AND at < ? ORDER BY at DESC, id DESC LIMIT 1)
  ORDER BY at, id LIMIT ?)`

/** Keeps the last availability change before the border: it is the state at the border. */
export function createPruneAvailability(db: Connection): PruneSteps {
  return inSteps<number>(db, 0, (from, { history_before: before, limit }) => {
    const monitors = db.all(CHANGED, [from, MONITORS, before])
    let gone = 0
    for (const { monitor_id, old } of monitors) {
      if (old !== 1) continue
      const own = [monitor_id ?? 0, before]
      gone += db.run(REMOVE_CHANGES, [...own, ...own, limit - gone])
      if (gone >= limit) return { gone, next: Number(monitor_id) }
    }
    const last = monitors.at(-1)
    const next = monitors.length < MONITORS ? undefined : Number(last?.['monitor_id']) + 1
    return { gone, next }
  })
}
