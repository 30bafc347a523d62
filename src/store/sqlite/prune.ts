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
import { createPruneAvailability, createPruneNotifications } from './prune-steps.ts'
import type { PruneSteps } from './prune-steps.ts'
import { dayOf } from '../../model/time.ts'

export function createPrune(db: Connection): PruneSteps {
  const pruneNotifications = createPruneNotifications(db)
  const pruneAvailability = createPruneAvailability(db)
  return async (options) => {
    const gone = db.transaction(() => pruneInOne(db, options))
    return gone + (await pruneNotifications(options)) + (await pruneAvailability(options))
  }
}

/** Of tables in which what is old is found by an index. */
function pruneInOne(db: Connection, options: PruneOptions): number {
  const orphans = pruneOrphans(db, options.limit)
  return (
    goOnRemoving(db, options.limit) +
    orphans +
    pruneResults(db, { ...options, limit: options.limit - orphans }) +
    pruneDaily(db, dayOf(options.history_before), options.limit) +
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
