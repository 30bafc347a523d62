/**
 * The counts of each day: the one that goes on in `today`, those that are over in `daily`. A day may have a
 * part in both (what came in late, and files that are older than `today`); together they are the day.
 *
 * @module
 */

import type { DailyStats } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { toDaily } from '../rows.ts'
import { addDaily } from '../rules.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'

export function daily(db: Connection): Sync<Store['daily']> {
  return {
    list(monitor_id, from_day, to_day) {
      const within = [monitor_id, from_day, to_day]
      const days = db
        .all(
          'SELECT * FROM daily WHERE monitor_id = ? AND day >= ? AND day <= ? ORDER BY day',
          within,
        )
        .map(toDaily)
      const row = db.get(
        'SELECT * FROM today WHERE monitor_id = ? AND day >= ? AND day <= ?',
        within,
      )
      if (row === undefined) return days
      const going = toDaily(row)
      const begun = days.find(({ day }) => day === going.day)
      if (begun === undefined) return [...days, going]
      return days.map((stats) =>
        stats === begun ? { ...addDaily(begun, going), monitor_id } : stats,
      )
    },
  }
}

type Counts = Omit<DailyStats, 'monitor_id'>

const added = (table: string): string => `ok = ${table}.ok + excluded.ok,
  fail = ${table}.fail + excluded.fail, unknown = ${table}.unknown + excluded.unknown,
  ok_ms = ${table}.ok_ms + excluded.ok_ms`

/** The path of the bucket, twice, and its count. */
const bucketAdded = (table: string): string =>
  `latency = json_set(${table}.latency, ?, COALESCE(json_extract(${table}.latency, ?), 0) + ?)`

const INTO_TODAY = `INSERT INTO today (monitor_id, day, ok, fail, unknown, ok_ms, latency)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (monitor_id) DO UPDATE SET`
const SAME_DAY = 'WHERE today.day = excluded.day'
const COUNT = `${INTO_TODAY} ${added('today')} ${SAME_DAY}`
const COUNT_WITH_BUCKET = `${INTO_TODAY} ${added('today')}, ${bucketAdded('today')} ${SAME_DAY}`

/**
 * Added up by the database, without reading the row: one statement for each bucket of latency, of which a
 * round at one location has one.
 */
export function countDaily(db: Connection, monitor_id: number, stats: Counts): void {
  const buckets = Object.entries(stats.latency)
  const parts = buckets.length === 0 ? [undefined] : buckets
  parts.forEach((bucket, index) => {
    const counts = index === 0 ? stats : { ...NOTHING, day: stats.day }
    const latency = bucket === undefined ? {} : { [bucket[0]]: bucket[1] }
    const part = { ...counts, latency }
    if (count(db, monitor_id, part) === 0) turnDay(db, monitor_id, part)
  })
}

const NOTHING = { ok: 0, fail: 0, unknown: 0, ok_ms: 0 }

/** Of a day with one bucket at most; 0 where another day goes on. */
function count(db: Connection, monitor_id: number, stats: Counts): number {
  const values = valuesOf(monitor_id, stats)
  const [bucket] = Object.entries(stats.latency)
  if (bucket === undefined) return db.run(COUNT, values)
  const path = `$."${bucket[0]}"`
  return db.run(COUNT_WITH_BUCKET, [...values, path, path, bucket[1]])
}

/** A later day begins, and the one so far joins those that are over; or the count came in late. */
function turnDay(db: Connection, monitor_id: number, stats: Counts): void {
  const row = db.get('SELECT * FROM today WHERE monitor_id = ?', [monitor_id])
  const going = row && toDaily(row)
  if (going !== undefined && stats.day < going.day) {
    addToPast(db, monitor_id, stats)
    return
  }
  if (going !== undefined) addToPast(db, monitor_id, going)
  db.run('DELETE FROM today WHERE monitor_id = ?', [monitor_id])
  count(db, monitor_id, stats)
}

function addToPast(db: Connection, monitor_id: number, stats: Counts): void {
  const row = db.get('SELECT * FROM daily WHERE monitor_id = ? AND day = ?', [
    monitor_id,
    stats.day,
  ])
  const sum = row === undefined ? stats : addDaily(toDaily(row), stats)
  db.run(
    `INSERT OR REPLACE INTO daily (monitor_id, day, ok, fail, unknown, ok_ms, latency)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    valuesOf(monitor_id, sum),
  )
}

function valuesOf(monitor_id: number, { day, ok, fail, unknown, ok_ms, latency }: Counts) {
  return [monitor_id, day, ok, fail, unknown, ok_ms, JSON.stringify(latency)]
}

/** Days before `first_kept`, at most `limit`; returns how many went. */
export function pruneDaily(db: Connection, first_kept: string, limit: number): number {
  const past = db.run(
    `DELETE FROM daily WHERE (monitor_id, day) IN (
       SELECT monitor_id, day FROM daily WHERE day < ? ORDER BY day LIMIT ?)`,
    [first_kept, limit],
  )
  // Of monitors that have been paused for all of that time.
  return (
    past +
    db.run(
      `DELETE FROM today WHERE monitor_id IN (
         SELECT monitor_id FROM today WHERE day < ? ORDER BY day LIMIT ?)`,
      [first_kept, limit - past],
    )
  )
}

export function removeDaily(db: Connection, monitor_id: number): void {
  db.run('DELETE FROM daily WHERE monitor_id = ?', [monitor_id])
  db.run('DELETE FROM today WHERE monitor_id = ?', [monitor_id])
}
