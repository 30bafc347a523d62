/**
 * The totals of each day: the current day is stored beside the monitor's machine (`monitor-state.ts`), past days in
 * `daily`. A day may have a part in both (late results); their sum is the day.
 *
 * @module
 */

import type { DailyStats } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { readable } from '../readable.ts'
import { toDaily } from '../rows.ts'
import { addDaily } from '../rules.ts'
import type { FullStore } from '../store.ts'
import type { Connection } from './connection.ts'

const COLUMNS = 'monitor_id, day, ok, fail, unknown, ok_ms, latency'

export function daily(db: Connection): Sync<FullStore['daily']> {
  return {
    list(monitor_id, from_day, to_day, onUnreadable) {
      const within = [monitor_id, from_day, to_day]
      const condition = 'WHERE monitor_id = ? AND day >= ? AND day <= ?'
      const past = db.all(`SELECT ${COLUMNS} FROM daily ${condition} ORDER BY day`, within)
      const days = readable(past, toDaily, onUnreadable)
      const row = db.get(`SELECT ${COLUMNS} FROM monitor_states ${condition}`, within)
      const [going] = row === undefined ? [] : readable([row], toDaily, onUnreadable)
      if (going === undefined) return days
      const begun = days.find(({ day }) => day === going.day)
      if (begun === undefined) return [...days, going]
      return days.map((stats) =>
        stats === begun ? { ...addDaily(begun, going), monitor_id } : stats,
      )
    },
  }
}

type Counts = Omit<DailyStats, 'monitor_id'>

/** What one statement adds to a day: at most one latency bucket, as a round at one location has one. */
export interface Part extends Omit<Counts, 'latency'> {
  readonly bucket?: readonly [name: string, count: number]
}

const NOTHING = { ok: 0, fail: 0, unknown: 0, ok_ms: 0 }

export function partsOf({ day, ok, fail, unknown, ok_ms, latency }: Counts): Part[] {
  const counts = { day, ok, fail, unknown, ok_ms }
  const buckets = Object.entries(latency)
  if (buckets.length === 0) return [counts]
  return buckets.map((bucket, index) => ({
    bucket,
    ...(index === 0 ? counts : { day, ...NOTHING }),
  }))
}

const COUNTED = 'ok = ok + ?, fail = fail + ?, unknown = unknown + ?, ok_ms = ok_ms + ?'
/** The path of the bucket, twice, and its count. Buckets that are damaged are lost; later ones are not. */
const BUCKET =
  "latency = iif(json_valid(latency), json_set(latency, ?, COALESCE(latency ->> ?, 0) + ?), '{}')"
const OF_DAY = 'WHERE monitor_id = ? AND day = ?'

/** Added by the database, without reading the row. Takes the values that `valuesOf` returns for a part with a bucket. */
export const COUNTED_WITH_BUCKET: string = `${COUNTED}, ${BUCKET} ${OF_DAY}`

const COUNT = `UPDATE monitor_states SET ${COUNTED} ${OF_DAY}`
const COUNT_WITH_BUCKET = `UPDATE monitor_states SET ${COUNTED_WITH_BUCKET}`

export function valuesOf(
  monitor_id: number,
  { day, ok, fail, unknown, ok_ms, bucket }: Part,
): (string | number)[] {
  const counts = [ok, fail, unknown, ok_ms]
  if (bucket === undefined) return [...counts, monitor_id, day]
  const path = `$."${bucket[0]}"`
  return [...counts, path, path, bucket[1], monitor_id, day]
}

/** Adds to the current day, or to the past day it belongs to. */
export function count(db: Connection, monitor_id: number, part: Part): void {
  const sql = part.bucket === undefined ? COUNT : COUNT_WITH_BUCKET
  const values = valuesOf(monitor_id, part)
  if (db.run(sql, values) > 0) return
  if (turnDay(db, monitor_id, part.day)) db.run(sql, values)
  else addToPast(db, monitor_id, countsOf(part))
}

function countsOf({ bucket, ...counts }: Part): Counts {
  return { ...counts, latency: bucket === undefined ? {} : { [bucket[0]]: bucket[1] } }
}

const EMPTY_DAY = "ok = 0, fail = 0, unknown = 0, ok_ms = 0, latency = '{}'"

/** Moves the current day to the past days when a later one begins. Returns `false` if `day` is past: a late result. */
function turnDay(db: Connection, monitor_id: number, day: string): boolean {
  const row = db.get(
    `SELECT ${COLUMNS} FROM monitor_states WHERE monitor_id = ? AND day NOT NULL`,
    [monitor_id],
  )
  // Counts that are damaged are lost; those of the new day are not.
  const [going] = row === undefined ? [] : readable([row], toDaily)
  if (going !== undefined && day < going.day) return false
  if (going !== undefined) addToPast(db, monitor_id, going)
  db.run(`UPDATE monitor_states SET day = ?, ${EMPTY_DAY} WHERE monitor_id = ?`, [day, monitor_id])
  return true
}

function addToPast(db: Connection, monitor_id: number, stats: Counts): void {
  const row = db.get('SELECT * FROM daily WHERE monitor_id = ? AND day = ?', [
    monitor_id,
    stats.day,
  ])
  const [known] = row === undefined ? [] : readable([row], toDaily)
  const { day, ok, fail, unknown, ok_ms, latency } =
    known === undefined ? stats : addDaily(known, stats)
  db.run(`INSERT OR REPLACE INTO daily (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`, [
    monitor_id,
    day,
    ok,
    fail,
    unknown,
    ok_ms,
    JSON.stringify(latency),
  ])
}

/** Removes days before `first_kept`, at most `limit`; returns how many. */
export function pruneDaily(db: Connection, first_kept: string, limit: number): number {
  const past = db.run(
    `DELETE FROM daily WHERE (monitor_id, day) IN (
       SELECT monitor_id, day FROM daily WHERE day < ? ORDER BY day LIMIT ?)`,
    [first_kept, limit],
  )
  // The current day of monitors that have been paused since.
  return (
    past +
    db.run(
      `UPDATE monitor_states SET day = NULL, ${EMPTY_DAY} WHERE monitor_id IN (
         SELECT monitor_id FROM monitor_states WHERE day < ? ORDER BY day LIMIT ?)`,
      [first_kept, limit - past],
    )
  )
}
