/**
 * What engines on one database share: the shards, and one count of requests.
 *
 * @module
 */

import { dealt, LEASE_AHEAD_MS } from '../rules.ts'
import { SHARDS } from '../store.ts'
import type { Shards, Requests } from '../store.ts'
import { numbers } from './bulk.ts'
import type { Database, Session } from './database.ts'

type Beat = Parameters<Shards['hold']>[0]

export function shards(db: Database): Shards {
  return {
    hold: (beat) => db.transaction((session) => hold(session, beat), { repeatable: true }),
    release: (owner) =>
      db.transaction(
        async (session) => {
          await lockShards(session)
          await session.run('DELETE FROM watchpost.engines WHERE owner = ?', [owner])
          await session.run('UPDATE watchpost.shards SET owner = NULL WHERE owner = ?', [owner])
        },
        { repeatable: true },
      ),
  }
}

async function hold(session: Session, { owner, now, until }: Beat): Promise<readonly number[]> {
  await lockShards(session)
  await session.run(
    `INSERT INTO watchpost.engines (owner, until) VALUES ($1, $2)
     ON CONFLICT (owner) DO UPDATE SET until = excluded.until`,
    [owner, until],
  )
  await session.run(
    'DELETE FROM watchpost.engines WHERE (until <= ? OR until > ?) AND owner <> ?',
    [now, until + LEASE_AHEAD_MS, owner],
  )
  await session.run(
    `UPDATE watchpost.shards SET owner = NULL
     WHERE owner NOT IN (SELECT owner FROM watchpost.engines)`,
  )
  const [living] = await session.rows('SELECT count(*) AS count FROM watchpost.engines')
  const fair = Math.ceil(SHARDS / Number(living?.['count'] ?? 1))
  const all = await allShards(session)
  const numbersOf = (whose: string | null) =>
    dealt(all.filter((row) => row['owner'] === whose).map((row) => Number(row['shard'])))
  const held = numbersOf(owner)
  const free = numbersOf(null)
  const given_up = held.slice(fair)
  const taken = free.slice(0, Math.max(0, fair - held.length))
  const assign = 'UPDATE watchpost.shards SET owner = $1 WHERE shard = ANY ($2::bigint[])'
  if (given_up.length > 0) await session.run(assign, [null, numbers(given_up)])
  if (taken.length > 0) await session.run(assign, [owner, numbers(taken)])
  return [...held.slice(0, fair), ...taken].toSorted((a, b) => a - b)
}

/** Rows that somebody removed come back: nobody would watch the monitors of such a shard. */
async function allShards(session: Session): ReturnType<Session['rows']> {
  const read = () =>
    session.rows(
      'SELECT shard, owner FROM watchpost.shards WHERE shard BETWEEN 0 AND $1 ORDER BY shard',
      [SHARDS - 1],
    )
  const found = await read()
  if (found.length === SHARDS) return found
  await session.run(
    'INSERT INTO watchpost.shards (shard) SELECT generate_series(0, $1::integer) ON CONFLICT DO NOTHING',
    [SHARDS - 1],
  )
  return read()
}

/** Serializes the beats of all engines. */
async function lockShards(session: Session): Promise<void> {
  await session.rows("SELECT pg_advisory_xact_lock(hashtextextended('watchpost.shards', 0))")
}

/**
 * The times of the requests admitted within the window; one row per key, and its lock makes the count exact. What lies
 * more than a window ahead is of an engine whose clock was wrong, and would count until then.
 */
const ADMIT = `INSERT INTO watchpost.request_windows AS w (key_id, times, admitted, until)
  VALUES ($1, CASE WHEN $4 > 0 THEN ARRAY[$2::bigint] ELSE '{}' END, $4 > 0, $2 + $3)
  ON CONFLICT (key_id) DO UPDATE SET (times, admitted, until) = (
    SELECT CASE WHEN count(at) < $4 THEN COALESCE(array_agg(at ORDER BY at), '{}') || $2::bigint
                ELSE COALESCE(array_agg(at ORDER BY at), '{}') END,
           count(at) < $4, GREATEST(w.until, $2 + $3)
    FROM unnest(w.times) AS at WHERE at > $2 - $3 AND at <= $2 + $3)
  RETURNING array_to_string(times, ',') AS times, admitted::integer AS admitted`

export function requests(db: Database): Requests {
  return {
    async admit({ key_id, now, window_ms, limit }) {
      const [row] = await db.rows(ADMIT, [key_id, now, window_ms, limit])
      const text = String(row?.['times'] ?? '')
      const times =
        text === ''
          ? []
          : text
              .split(',')
              .map(Number)
              .toSorted((a, b) => a - b)
      const remaining = Math.max(0, limit - times.length)
      // The next request is admitted when enough requests have left the window.
      const first = times[times.length - limit] ?? now
      return {
        admitted: row?.['admitted'] === 1,
        remaining,
        retry_at: remaining > 0 ? null : first + window_ms,
      }
    },
  }
}
