import type { FullStore, IdempotencyLocks } from '../store.ts'
import type { Database } from './database.ts'

/** Never removes the newest. Skips rows that a concurrent transaction removes. */
const BEYOND = `DELETE FROM watchpost.idempotency_responses AS r USING (
    SELECT account_id, idempotency_key FROM watchpost.idempotency_responses
    WHERE account_id = $1 AND idempotency_key IN (
      SELECT idempotency_key FROM (
        SELECT idempotency_key, count(*) OVER newest AS count, sum(octet_length(body)) OVER newest AS bytes
        FROM watchpost.idempotency_responses WHERE account_id = $1
        WINDOW newest AS (ORDER BY idempotency_key = $2 DESC, expires_at DESC, idempotency_key
          ROWS UNBOUNDED PRECEDING)) AS kept
      WHERE idempotency_key <> $2 AND (count > $3 OR bytes > $4))
    FOR UPDATE SKIP LOCKED) AS old
  WHERE r.account_id = old.account_id AND r.idempotency_key = old.idempotency_key`

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
      await db.run(
        `INSERT INTO watchpost.idempotency_responses (account_id, idempotency_key, request_hash, status, body, expires_at)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
         request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
         expires_at = excluded.expires_at`,
        [
          account_id,
          key,
          response.request_hash,
          response.status,
          response.body,
          response.expires_at,
        ],
      )
      if (most !== undefined) await db.run(BEYOND, [account_id, key, most.count, most.bytes])
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
