import { StorageError } from '../../errors.ts'
import { toKey } from '../rows.ts'
import { assignments, insertInto } from '../sql.ts'
import type { Param } from '../sql.ts'
import type { Store } from '../store.ts'
import type { Database, Session } from './database.ts'

const KEY_COLUMNS = [
  'account_id',
  'name',
  'prefix',
  'hash',
  'created_at',
  'last_used_at',
  'revoked_at',
] as const

export function accounts(db: Database): Store['accounts'] {
  return {
    async create(account) {
      const values = [account.name, account.created_at]
      const id = await db.transaction((session) =>
        insertedId(session, insertInto('watchpost.accounts', ['name', 'created_at']), values),
      )
      return { name: account.name, created_at: account.created_at, id }
    },
    ensureFirst: ({ name, created_at }) =>
      db.transaction(
        async (session) => {
          // Engines that start together on an empty database make one account.
          await session.rows("SELECT pg_advisory_xact_lock(hashtextextended('watchpost.first', 0))")
          const sql = 'SELECT * FROM watchpost.accounts ORDER BY id LIMIT 1'
          const [known] = await session.rows(sql)
          if (known !== undefined) return { ...known } as never
          const insert = insertInto('watchpost.accounts', ['name', 'created_at'])
          return { name, created_at, id: await insertedId(session, insert, [name, created_at]) }
        },
        { repeatable: true },
      ),
    list: async () =>
      (await db.rows('SELECT * FROM watchpost.accounts ORDER BY id')).map(
        (row) => ({ ...row }) as never,
      ),
  }
}

export function keys(db: Database): Store['keys'] {
  return {
    async create(key) {
      const values = KEY_COLUMNS.map((column) => key[column])
      const sql = insertInto('watchpost.api_keys', KEY_COLUMNS)
      const id = await db.transaction((session) => insertedId(session, sql, values))
      return { ...key, id }
    },
    async byHash(hash) {
      const [row] = await db.rows('SELECT * FROM watchpost.api_keys WHERE hash = ?', [hash])
      return row && toKey(row)
    },
    list: async (account_id) =>
      (
        await db.rows('SELECT * FROM watchpost.api_keys WHERE account_id = ? ORDER BY id', [
          account_id,
        ])
      ).map(toKey),
    async update(id, change) {
      const { text, params } = assignments(['last_used_at', 'revoked_at'], change)
      if (text === '') return
      await db.run(`UPDATE watchpost.api_keys SET ${text} WHERE id = ?`, [...params, id])
    },
  }
}

export function locations(db: Database): Store['locations'] {
  const find = async (name: string) => {
    const [row] = await db.rows('SELECT id FROM watchpost.locations WHERE name = ?', [name])
    return row && { id: Number(row['id']), name }
  }
  return {
    async ensure(name) {
      // Read first: an insert that meets the name would use up an id.
      const known = await find(name)
      if (known !== undefined) return known
      const sql = 'INSERT INTO watchpost.locations (name) VALUES (?) ON CONFLICT DO NOTHING'
      await db.run(sql, [name])
      const made = await find(name)
      if (made === undefined) throw new StorageError(`The location "${name}" could not be made`)
      return made
    },
    list: async () =>
      (await db.rows('SELECT * FROM watchpost.locations ORDER BY id')).map(
        (row) => ({ ...row }) as never,
      ),
  }
}

/** Runs an `INSERT` of one row; resolves to its id. */
export async function insertedId(
  session: Session,
  sql: string,
  values: readonly Param[],
): Promise<number> {
  const id = (await session.rows(`${sql} RETURNING id`, values))[0]?.['id']
  if (typeof id !== 'number') throw new StorageError('The database gave no id for a new row')
  return id
}
