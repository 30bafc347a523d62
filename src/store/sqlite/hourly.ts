/**
 * The totals of hours that are over: written once an hour for each monitor and location, so that a round costs no
 * statement more.
 *
 * @module
 */

import { addHours } from '../../model/totals.ts'
import type { HourlyStats } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { readable } from '../readable.ts'
import { hourTotals, toHourly } from '../rows.ts'
import type { FullStore } from '../store.ts'
import type { Connection } from './connection.ts'

export function hourly(db: Connection): Sync<FullStore['hourly']> {
  return {
    list: (monitor_id, from, to, onUnreadable) =>
      readable(
        db.all(
          `SELECT * FROM hourly WHERE monitor_id = ? AND hour >= ? AND hour < ?
           ORDER BY hour, location_id`,
          [monitor_id, from, to],
        ),
        toHourly,
        onUnreadable,
      ),
  }
}

export function putHour(
  db: Connection,
  monitor_id: number,
  stats: Omit<HourlyStats, 'monitor_id'>,
): void {
  const { hour, location_id } = stats
  const key = [monitor_id, hour, location_id]
  const row = db.get(
    'SELECT * FROM hourly WHERE monitor_id = ? AND hour = ? AND location_id = ?',
    key,
  )
  // Totals that are damaged are lost; the new ones are not.
  const [known] = row === undefined ? [] : readable([row], toHourly)
  const sum = known === undefined ? stats : { ...stats, ...addHours(known, stats) }
  db.run(
    'INSERT OR REPLACE INTO hourly (monitor_id, hour, location_id, totals) VALUES (?, ?, ?, ?)',
    [...key, hourTotals(sum)],
  )
}

/** Removes hours that began before `first_kept`, at most `limit` rows; returns how many. */
export function pruneHourly(db: Connection, first_kept: number, limit: number): number {
  return db.run(
    `DELETE FROM hourly WHERE (monitor_id, hour, location_id) IN (
       SELECT monitor_id, hour, location_id FROM hourly WHERE hour < ? ORDER BY hour LIMIT ?)`,
    [first_kept, limit],
  )
}
