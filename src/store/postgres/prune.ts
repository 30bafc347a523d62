/**
 * Removes old rows in steps of bounded size, each a separate statement. Rows that are locked are left to the next
 * run, so that pruning neither waits nor blocks.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import type { PruneOptions } from '../store.ts'
import { goOnRemoving } from './account-removal.ts'
import type { Database } from './database.ts'
import { dropOld } from './partitions.ts'
import { createPruneNotifications } from './prune-notifications.ts'
import { dayOf } from '../../model/time.ts'

/** How long commit tokens are kept; they are read within seconds. */
const NOTE_MS = 3_600_000

/** Removes up to `limit` rows of each kind; resolves with how many. */
export type Prune = (options: PruneOptions, now: EpochMs) => Promise<number>

export function createPrune(db: Database): Prune {
  const pruneNotifications = createPruneNotifications(db)
  return (options, now) => pruneAll(db, { options, now, pruneNotifications })
}

interface Pruning {
  readonly options: PruneOptions
  readonly now: EpochMs
  readonly pruneNotifications: (options: PruneOptions) => Promise<number>
}

async function pruneAll(
  db: Database,
  { options, now, pruneNotifications }: Pruning,
): Promise<number> {
  const { limit } = options
  const removed = await goOnRemoving(db, limit)
  const orphans = await pruneOrphans(db, limit)
  const results = await dropOld(db, { before: options.results_before, limit: limit - orphans })
  const others = [
    await pruneNotifications(options),
    await db.run(DAYS, [dayOf(options.history_before), limit]),
    await db.run(HOURS, [options.hours_before, limit]),
    await db.run(AVAILABILITY, [options.history_before, limit]),
    await db.run(AUDIT_LOG, [options.audit_before, limit]),
    await db.run(REVOKED_KEYS, [options.revoked_before, limit]),
    await db.run(IDEMPOTENCY_RESPONSES, [options.idempotency_before, limit]),
  ]
  await db.run('DELETE FROM watchpost.commits WHERE at < ?', [now - NOTE_MS])
  await db.run('DELETE FROM watchpost.request_windows WHERE until < ?', [now])
  await db.run('DELETE FROM watchpost.idempotency_locks WHERE until < ?', [now])
  return others.reduce((sum, gone) => sum + gone, removed + orphans + results)
}

// The rows are chosen in a WITH of their own: a nested loop would choose again for each row, beyond the limit.

const ORPHANS = `WITH old AS MATERIALIZED (
    SELECT id, started_at FROM watchpost.results WHERE monitor_id = $1 ORDER BY id LIMIT $2)
  DELETE FROM watchpost.results AS r USING old
  WHERE r.monitor_id = $1 AND r.id = old.id AND r.started_at = old.started_at`

/** Removes results of removed monitors, one monitor at a time. */
async function pruneOrphans(db: Database, limit: number): Promise<number> {
  const [monitor] = await db.rows(
    'SELECT monitor_id FROM watchpost.removed_monitors ORDER BY monitor_id LIMIT 1',
  )
  if (monitor === undefined) return 0
  const id = Number(monitor['monitor_id'])
  const gone = await db.run(ORPHANS, [id, limit])
  if (gone < limit) {
    await db.run('DELETE FROM watchpost.removed_monitors WHERE monitor_id = ?', [id])
  }
  return gone
}

const DAYS = `WITH old AS MATERIALIZED (
    SELECT monitor_id, day FROM watchpost.daily WHERE day < $1 ORDER BY day LIMIT $2
    FOR UPDATE SKIP LOCKED)
  DELETE FROM watchpost.daily AS d USING old
  WHERE d.monitor_id = old.monitor_id AND d.day = old.day`

const HOURS = `WITH old AS MATERIALIZED (
    SELECT monitor_id, hour, location_id FROM watchpost.hourly WHERE hour < $1 ORDER BY hour LIMIT $2
    FOR UPDATE SKIP LOCKED)
  DELETE FROM watchpost.hourly AS h USING old
  WHERE h.monitor_id = old.monitor_id AND h.hour = old.hour AND h.location_id = old.location_id`

/** Keeps the last change before the border: it is the state at the border. */
const AVAILABILITY = `WITH old AS MATERIALIZED (
    SELECT o.id FROM watchpost.availability AS o WHERE o.at < $1 AND EXISTS (
      SELECT 1 FROM watchpost.availability AS b
      WHERE b.monitor_id = o.monitor_id AND b.at < $1 AND (b.at, b.id) > (o.at, o.id))
    ORDER BY o.at LIMIT $2 FOR UPDATE OF o SKIP LOCKED)
  DELETE FROM watchpost.availability AS a USING old WHERE a.id = old.id`

const AUDIT_LOG = `WITH old AS MATERIALIZED (
    SELECT id FROM watchpost.audit_log WHERE at < $1 ORDER BY at LIMIT $2
    FOR UPDATE SKIP LOCKED)
  DELETE FROM watchpost.audit_log AS a USING old WHERE a.id = old.id`

const REVOKED_KEYS = `WITH old AS (
    SELECT o.id FROM watchpost.api_keys AS o WHERE o.revoked_at < $1 AND EXISTS (
      SELECT 1 FROM watchpost.api_keys AS later
      WHERE later.account_id = o.account_id AND later.id > o.id)
    ORDER BY o.id LIMIT $2 FOR UPDATE OF o SKIP LOCKED),
  gone AS (
    DELETE FROM watchpost.api_keys AS k USING old WHERE k.id = old.id
    RETURNING k.hash, k.revoked_at)
  INSERT INTO watchpost.meta (name, value) SELECT 'revoked_key:' || hash, revoked_at FROM gone
  ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`

const IDEMPOTENCY_RESPONSES = `WITH old AS MATERIALIZED (
    SELECT account_id, idempotency_key FROM watchpost.idempotency_responses WHERE expires_at < $1 LIMIT $2
    FOR UPDATE SKIP LOCKED)
  DELETE FROM watchpost.idempotency_responses AS r USING old
  WHERE r.account_id = old.account_id AND r.idempotency_key = old.idempotency_key`
