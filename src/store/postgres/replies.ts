import type { Store } from '../store.ts'
import type { Database } from './database.ts'

export function replies(db: Database): Store['replies'] {
  return {
    async get(account_id, key, now) {
      const [row] = await db.rows(
        `SELECT request_hash, status, body, expires_at FROM watchpost.replies
         WHERE account_id = ? AND reply_key = ? AND expires_at > ?`,
        [account_id, key, now],
      )
      return row && ({ ...row } as never)
    },
    async put(account_id, key, reply) {
      await db.run(
        `INSERT INTO watchpost.replies (account_id, reply_key, request_hash, status, body, expires_at)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, reply_key) DO UPDATE SET
         request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
         expires_at = excluded.expires_at`,
        [account_id, key, reply.request_hash, reply.status, reply.body, reply.expires_at],
      )
    },
  }
}

export function meta(db: Database): Store['meta'] {
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
