import type { Sync } from '../promised.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'

export function replies(db: Connection): Sync<Store['replies']> {
  return {
    get(account_id, key, now) {
      const row = db.get(
        `SELECT request_hash, status, body, expires_at FROM replies
         WHERE account_id = ? AND reply_key = ? AND expires_at > ?`,
        [account_id, key, now],
      )
      return row && ({ ...row } as never)
    },
    put(account_id, key, reply) {
      db.run(
        `INSERT INTO replies (account_id, reply_key, request_hash, status, body, expires_at)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, reply_key) DO UPDATE SET
         request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
         expires_at = excluded.expires_at`,
        [account_id, key, reply.request_hash, reply.status, reply.body, reply.expires_at],
      )
    },
  }
}
