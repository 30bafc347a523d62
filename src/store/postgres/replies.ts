import type { FullStore } from '../store.ts'
import type { Database } from './database.ts'

/** Never removes the newest. Skips rows that a concurrent transaction removes. */
const BEYOND = `DELETE FROM watchpost.replies AS r USING (
    SELECT account_id, reply_key FROM watchpost.replies
    WHERE account_id = $1 AND reply_key IN (
      SELECT reply_key FROM (
        SELECT reply_key, count(*) OVER newest AS count, sum(octet_length(body)) OVER newest AS bytes
        FROM watchpost.replies WHERE account_id = $1
        WINDOW newest AS (ORDER BY reply_key = $2 DESC, expires_at DESC, reply_key
          ROWS UNBOUNDED PRECEDING)) AS kept
      WHERE reply_key <> $2 AND (count > $3 OR bytes > $4))
    FOR UPDATE SKIP LOCKED) AS old
  WHERE r.account_id = old.account_id AND r.reply_key = old.reply_key`

export function replies(db: Database): FullStore['replies'] {
  return {
    async get(account_id, key, now) {
      const [row] = await db.rows(
        `SELECT request_hash, status, body, expires_at FROM watchpost.replies
         WHERE account_id = ? AND reply_key = ? AND expires_at > ?`,
        [account_id, key, now],
      )
      return row && ({ ...row } as never)
    },
    async put(account_id, key, reply, most) {
      await db.run(
        `INSERT INTO watchpost.replies (account_id, reply_key, request_hash, status, body, expires_at)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, reply_key) DO UPDATE SET
         request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
         expires_at = excluded.expires_at`,
        [account_id, key, reply.request_hash, reply.status, reply.body, reply.expires_at],
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
