import type { Sync } from '../promised.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { toKey } from '../rows.ts'
import { assignments, insertInto } from '../sql.ts'

const KEY_COLUMNS = [
  'account_id',
  'name',
  'prefix',
  'hash',
  'created_at',
  'last_used_at',
  'revoked_at',
] as const

type Accounts = Sync<Store['accounts']>

export function accounts(db: Connection): Accounts {
  const create: Accounts['create'] = ({ name, created_at }) => {
    const sql = insertInto('accounts', ['name', 'created_at'])
    return { name, created_at, id: db.insert(sql, [name, created_at]) }
  }
  const list: Accounts['list'] = () =>
    db.all('SELECT * FROM accounts ORDER BY id').map((row) => ({ ...row }) as never)
  return {
    create,
    list,
    ensureFirst: (account) => db.transaction(() => list()[0] ?? create(account)),
  }
}

export function keys(db: Connection): Sync<Store['keys']> {
  return {
    create(key) {
      const values = KEY_COLUMNS.map((column) => key[column])
      const id = db.insert(insertInto('api_keys', KEY_COLUMNS), values)
      return { ...key, id }
    },
    byHash(hash) {
      const row = db.get('SELECT * FROM api_keys WHERE hash = ?', [hash])
      return row && toKey(row)
    },
    list: (account_id) =>
      db.all('SELECT * FROM api_keys WHERE account_id = ? ORDER BY id', [account_id]).map(toKey),
    update(id, change) {
      const { text, params } = assignments(['last_used_at', 'revoked_at'], change)
      if (text !== '') db.run(`UPDATE api_keys SET ${text} WHERE id = ?`, [...params, id])
    },
  }
}

export function locations(db: Connection): Sync<Store['locations']> {
  return {
    ensure: (name) =>
      db.transaction(() => {
        const known = db.get('SELECT id FROM locations WHERE name = ?', [name])
        // Read first: an insert that meets the name would use up an id.
        const id = known?.['id'] ?? db.insert(insertInto('locations', ['name']), [name])
        return { id: Number(id), name }
      }),
    list: () => db.all('SELECT * FROM locations ORDER BY id').map((row) => ({ ...row }) as never),
  }
}
