/**
 * Removes old rows in steps of bounded size.
 *
 * @module
 */

import type { PruneOptions } from '../store.ts'
import { goOnRemoving } from './account-removal.ts'
import type { Connection } from './connection.ts'
import { pruneDaily } from './daily.ts'
import { pruneHourly } from './hourly.ts'
import { keepLast } from './location-states.ts'
import { dayOf } from '../../model/time.ts'

export function prune(db: Connection, options: PruneOptions): number {
  return db.transaction(() => {
    const orphans = pruneOrphans(db, options.limit)
    return (
      goOnRemoving(db, options.limit) +
      orphans +
      pruneResults(db, { ...options, limit: options.limit - orphans }) +
      pruneNotifications(db, options) +
      pruneHistory(db, options) +
      pruneHourly(db, options.hours_before, options.limit) +
      db.run('DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? LIMIT ?)', [
        options.audit_before,
        options.limit,
      ]) +
      pruneKeys(db, options) +
      db.run(
        `DELETE FROM idempotency_responses WHERE (account_id, idempotency_key) IN (
           SELECT account_id, idempotency_key FROM idempotency_responses WHERE expires_at < ? LIMIT ?)`,
        [options.idempotency_before, options.limit],
      )
    )
  })
}

/** Removes results of removed monitors, one monitor at a time. */
function pruneOrphans(db: Connection, limit: number): number {
  const monitor = db.get('SELECT monitor_id FROM removed_monitors ORDER BY monitor_id LIMIT 1')
  if (monitor === undefined) return 0
  const { monitor_id } = monitor
  const gone = db.run(
    `DELETE FROM results WHERE id IN (
       SELECT id FROM results WHERE monitor_id = ? ORDER BY id LIMIT ?)`,
    [monitor_id, limit],
  )
  if (gone < limit) db.run('DELETE FROM removed_monitors WHERE monitor_id = ?', [monitor_id])
  return gone
}

/** How many results a step reads beyond those requested. Ids rise with time except for late results. */
const MARGIN = 1000

/** There is no index on the time: the oldest results are those with the lowest ids, except late ones. */
const OLDEST = `SELECT id FROM (SELECT id, started_at FROM results ORDER BY id LIMIT ?) AS oldest
  WHERE started_at < ? ORDER BY id LIMIT ?`

/** Of these, the results that are the newest of their location. */
const NEWEST_OF_OLDEST = `SELECT r.monitor_id, r.location_id FROM (
    SELECT monitor_id, location_id, max(id) AS id FROM results WHERE id IN (${OLDEST})
    GROUP BY monitor_id, location_id) AS r
  WHERE NOT EXISTS (SELECT 1 FROM results AS later WHERE later.monitor_id = r.monitor_id
    AND later.location_id = r.location_id AND later.id > r.id)`

function pruneResults(db: Connection, { results_before, limit }: PruneOptions): number {
  const params = [limit + MARGIN, results_before, limit]
  for (const { monitor_id, location_id } of db.all(NEWEST_OF_OLDEST, params))
    keepLast(db, Number(monitor_id), Number(location_id))
  return db.run(`DELETE FROM results WHERE id IN (${OLDEST})`, params)
}

function pruneNotifications(db: Connection, { notifications_before, limit }: PruneOptions): number {
  const oldest = `SELECT n.id FROM notifications AS n
    WHERE n.finished_at IS NOT NULL AND n.finished_at < ? AND NOT EXISTS (
      SELECT 1 FROM incidents AS i WHERE i.id = n.incident_id AND i.ended_at IS NULL)
    AND NOT EXISTS (
      SELECT 1 FROM notifications AS w WHERE w.incident_id = n.incident_id AND w.finished_at IS NULL)
    ORDER BY n.finished_at, n.id LIMIT ?`
  const params = [notifications_before, limit]
  db.run(`DELETE FROM attempts WHERE notification_id IN (${oldest})`, params)
  return db.run(`DELETE FROM notifications WHERE id IN (${oldest})`, params)
}

function pruneKeys(db: Connection, { revoked_before, limit }: PruneOptions): number {
  const old = `SELECT k.id FROM api_keys AS k WHERE k.revoked_at < ? AND EXISTS (
      SELECT 1 FROM api_keys AS later WHERE later.account_id = k.account_id AND later.id > k.id)
    ORDER BY k.id LIMIT ?`
  const params = [revoked_before, limit]
  db.run(
    `INSERT OR REPLACE INTO meta (name, value)
     SELECT 'revoked_key:' || hash, revoked_at FROM api_keys WHERE id IN (${old})`,
    params,
  )
  return db.run(`DELETE FROM api_keys WHERE id IN (${old})`, params)
}

/** Keeps the last availability change before the border: it is the state at the border. */
function pruneHistory(db: Connection, { history_before, limit }: PruneOptions): number {
  const days = pruneDaily(db, dayOf(history_before), limit)
  const changes = db.run(
    `DELETE FROM availability WHERE id IN (
       SELECT a.id FROM availability AS a WHERE a.at < ? AND EXISTS (
         SELECT 1 FROM availability AS b
         WHERE b.monitor_id = a.monitor_id AND b.at < ?
           AND (b.at > a.at OR (b.at = a.at AND b.id > a.id)))
       LIMIT ?)`,
    [history_before, history_before, limit],
  )
  return days + changes
}
