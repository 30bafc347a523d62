import type { FullStore, IdempotencyLocks } from '../store.ts'
import type { Database } from './database.ts'

/** Stores the response, and returns what the account has beside it. */
const PUT = `WITH stored AS (
    INSERT INTO watchpost.idempotency_responses (account_id, idempotency_key, request_hash, status, body, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
    request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
    expires_at = excluded.expires_at)
  SELECT count(*) AS count, coalesce(sum(octet_length(body)), 0) AS bytes FROM watchpost.idempotency_responses
  WHERE account_id = $1 AND idempotency_key <> $2`

/**
 * Removes the oldest responses until there are $3 fewer, and $4 bytes fewer; never the one of $2. Looks at no more than
 * a hundred, which the index finds. Skips rows that a concurrent transaction removes.
 */
const REMOVE_OLDEST = `DELETE FROM watchpost.idempotency_responses AS r USING (
    SELECT account_id, idempotency_key FROM watchpost.idempotency_responses
    WHERE account_id = $1 AND idempotency_key IN (
      SELECT idempotency_key FROM (
        SELECT idempotency_key, count(*) OVER oldest AS count, sum(bytes) OVER oldest - bytes AS bytes_before
        FROM (
          SELECT idempotency_key, expires_at, octet_length(body) AS bytes FROM watchpost.idempotency_responses
          WHERE account_id = $1 AND idempotency_key <> $2 ORDER BY expires_at, idempotency_key DESC LIMIT 100) AS seen
        WINDOW oldest AS (ORDER BY expires_at, idempotency_key DESC ROWS UNBOUNDED PRECEDING)) AS kept
      WHERE count <= $3 OR bytes_before < $4)
    FOR UPDATE SKIP LOCKED) AS old
  WHERE r.account_id = old.account_id AND r.idempotency_key = old.idempotency_key
  RETURNING octet_length(r.body) AS bytes`

export function idempotencyResponses(db: Database): FullStore['idempotencyResponses'] {
  return {
    async get(account_id, key, now) {
      const [row] = await db.rows(
        `SELECT request_hash, status, body, expires_at FROM watchpost.idempotency_responses
         WHERE account_id = ? AND idempotency_key = ? AND expires_at > ?`,
        [account_id, key, now],
      )
      return row && ({ ...row } as never)
    },
    async put(account_id, key, response, most) {
      const { request_hash, status, body, expires_at } = response
      const values = [account_id, key, request_hash, status, body, expires_at]
      const [beside] = await db.rows(PUT, values)
      if (most === undefined) return
      let count = Number(beside?.['count']) + 1 - most.count
      let bytes = Number(beside?.['bytes']) + Buffer.byteLength(body) - most.bytes
      while (count > 0 || bytes > 0) {
        const removed = await db.rows(REMOVE_OLDEST, [account_id, key, count, bytes])
        if (removed.length === 0) return
        count -= removed.length
        for (const row of removed) bytes -= Number(row['bytes'])
      }
    },
  }
}

export function meta(db: Database): FullStore['meta'] {
  return {
    async get(name) {
      const [row] = await db.rows('SELECT value FROM watchpost.meta WHERE name = ?', [name])
      return row && String(row['value'])
    },
    async set(name, value) {
      await db.run(
        `INSERT INTO watchpost.meta (name, value) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [name, value],
      )
    },
  }
}

const ACQUIRE = `INSERT INTO watchpost.idempotency_locks AS t (account_id, idempotency_key, owner, until)
  VALUES ($1, $2, $3, $5)
  ON CONFLICT (account_id, idempotency_key) DO UPDATE SET owner = excluded.owner, until = excluded.until
    WHERE t.until <= $4
  RETURNING 1 AS acquired`

const RELEASE =
  'DELETE FROM watchpost.idempotency_locks WHERE account_id = ? AND idempotency_key = ? AND owner = ?'

export function idempotencyLocks(db: Database): IdempotencyLocks {
  return {
    async acquire({ account_id, key, owner, now, until }) {
      const rows = await db.rows(ACQUIRE, [account_id, key, owner, now, until])
      return rows.length === 1
    },
    async release({ account_id, key, owner }) {
      await db.run(RELEASE, [account_id, key, owner])
    },
  }
}
