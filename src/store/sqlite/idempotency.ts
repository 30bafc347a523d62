import type { Sync } from '../promised.ts'
import type { IdempotencyLimit, FullStore } from '../store.ts'
import type { Connection } from './connection.ts'

export function idempotencyResponses(db: Connection): Sync<FullStore['idempotencyResponses']> {
  return {
    get(account_id, key, now) {
      const row = db.get(
        `SELECT request_hash, status, body, expires_at FROM idempotency_responses
         WHERE account_id = ? AND idempotency_key = ? AND expires_at > ?`,
        [account_id, key, now],
      )
      return row && ({ ...row } as never)
    },
    put(account_id, key, response, most) {
      const { request_hash, status, body, expires_at } = response
      const bytes = Buffer.byteLength(body)
      db.transaction(() => {
        db.run(PUT, [account_id, key, request_hash, status, body, bytes, expires_at])
        if (most !== undefined) keepWithin(db, { account_id, key }, most)
      })
    },
  }
}

const PUT = `
  INSERT INTO idempotency_responses (account_id, idempotency_key, request_hash, status, body, bytes, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, idempotency_key) DO UPDATE SET
  request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
  bytes = excluded.bytes, expires_at = excluded.expires_at`

const REMOVE_OLDEST = `
  DELETE FROM idempotency_responses WHERE account_id = ? AND idempotency_key = (
    SELECT idempotency_key FROM idempotency_responses WHERE account_id = ? AND idempotency_key <> ?
    ORDER BY expires_at, idempotency_key DESC LIMIT 1)
  RETURNING bytes`

/** Removes the oldest responses beyond the limits, but never the newest. One is found by the index, however many there are. */
function keepWithin(
  db: Connection,
  { account_id, key }: { readonly account_id: number; readonly key: string },
  most: IdempotencyLimit,
): void {
  const kept = db.get(
    'SELECT COUNT(*) AS count, SUM(bytes) AS bytes FROM idempotency_responses WHERE account_id = ?',
    [account_id],
  )
  let [count, bytes] = [Number(kept?.['count']), Number(kept?.['bytes'])]
  while (count > most.count || bytes > most.bytes) {
    const removed = db.get(REMOVE_OLDEST, [account_id, account_id, key])
    if (removed === undefined) return
    count -= 1
    bytes -= Number(removed['bytes'])
  }
}
