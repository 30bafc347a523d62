import type { Turns } from '../store.ts'
import type { Database } from './database.ts'

const TAKE = `INSERT INTO watchpost.turns AS t (account_id, reply_key, owner, until)
  VALUES ($1, $2, $3, $5)
  ON CONFLICT (account_id, reply_key) DO UPDATE SET owner = excluded.owner, until = excluded.until
    WHERE t.until <= $4
  RETURNING 1 AS taken`

const END = 'DELETE FROM watchpost.turns WHERE account_id = ? AND reply_key = ? AND owner = ?'

export function turns(db: Database): Turns {
  return {
    async take({ account_id, key, owner, now, until }) {
      const rows = await db.rows(TAKE, [account_id, key, owner, now, until])
      return rows.length === 1
    },
    async end({ account_id, key, owner }) {
      await db.run(END, [account_id, key, owner])
    },
  }
}
