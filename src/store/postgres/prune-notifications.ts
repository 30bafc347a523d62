/**
 * Removes old notifications. Those of an incident that is open, or of which some still wait, stay, however many they
 * are: a statement reads a bounded number of rows, and the next call begins where one ended that removed as many as
 * it may.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import type { PruneOptions } from '../store.ts'
import type { Database } from './database.ts'

/** Rows that one statement reads. */
const ROWS = 1000

type Row = Readonly<Record<string, unknown>>

interface LastRead {
  readonly finished_at: EpochMs
  readonly id: number
}

const FIRST: LastRead = { finished_at: -1, id: 0 }

/** Removes up to `limit` rows; resolves with their number. */
export function createPruneNotifications(db: Database): (options: PruneOptions) => Promise<number> {
  let place = FIRST
  return async ({ notifications_before: before, limit }) => {
    let gone = 0
    for (let left = limit; left > 0;) {
      const params = [before, left, place.finished_at, place.id]
      const [row] = await db.transaction((session) => session.rows(STEP, params), {
        repeatable: true,
      })
      const chosen = numberOf(row, 'chosen')
      gone += numberOf(row, 'gone')
      const next = nextPlace(row, chosen === left)
      place = next ?? FIRST
      if (next === undefined) break
      left -= chosen
    }
    return gone
  }
}

/** Where the next statement begins; `undefined` after the last one. */
function nextPlace(row: Row | undefined, full: boolean): LastRead | undefined {
  if (!full && numberOf(row, 'read') < ROWS) return undefined
  const last = full ? 'chosen' : 'read'
  return { finished_at: numberOf(row, `${last}_at`), id: numberOf(row, `${last}_id`) }
}

function numberOf(row: Row | undefined, column: string): number {
  return Number(row?.[column] ?? 0)
}

/**
 * Whether an incident is over is asked once for each of those read, and by an index: a join of all old notifications
 * with each other would cost the square of their number.
 */
const STEP = `WITH read AS MATERIALIZED (
    SELECT id, finished_at, incident_id FROM watchpost.notifications
    WHERE finished_at IS NOT NULL AND finished_at < $1 AND (finished_at, id) > ($3::bigint, $4::bigint)
    ORDER BY finished_at, id LIMIT ${ROWS}),
  kept AS MATERIALIZED (
    SELECT own.incident_id FROM (SELECT DISTINCT incident_id FROM read) AS own
    WHERE (SELECT i.ended_at IS NULL FROM watchpost.incidents AS i WHERE i.id = own.incident_id)
      OR (SELECT true FROM watchpost.notifications AS w
        WHERE w.incident_id = own.incident_id AND w.status IN ('queued', 'sending') LIMIT 1)),
  chosen AS MATERIALIZED (
    SELECT id, finished_at FROM read
    WHERE incident_id IS NULL OR incident_id NOT IN (SELECT incident_id FROM kept)
    ORDER BY finished_at, id LIMIT $2),
  old AS MATERIALIZED (
    SELECT id FROM watchpost.notifications WHERE id = ANY (ARRAY (SELECT id FROM chosen))
    FOR UPDATE SKIP LOCKED),
  attempts AS (
    DELETE FROM watchpost.attempts AS a USING old WHERE a.notification_id = old.id),
  gone AS (
    DELETE FROM watchpost.notifications AS n USING old WHERE n.id = old.id RETURNING n.id)
  SELECT (SELECT count(*) FROM gone) AS gone, (SELECT count(*) FROM read) AS read,
    (SELECT count(*) FROM chosen) AS chosen, last_read.finished_at AS read_at, last_read.id AS read_id,
    last_chosen.finished_at AS chosen_at, last_chosen.id AS chosen_id
  FROM (SELECT 1) AS one
    LEFT JOIN LATERAL (
      SELECT id, finished_at FROM read ORDER BY finished_at DESC, id DESC LIMIT 1) AS last_read ON true
    LEFT JOIN LATERAL (
      SELECT id, finished_at FROM chosen ORDER BY finished_at DESC, id DESC LIMIT 1) AS last_chosen ON true`
