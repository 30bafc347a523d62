/**
 * Accounts, keys and locations, and the engine's own values.
 *
 * @module
 */

import type { AccountRecord, KeyRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { keyTaken } from '../filters.ts'
import { externalIdTaken } from '../rules.ts'
import type { NewAccount, FullStore } from '../store.ts'
import { ofNoneRemoved, removeAccount, requireAccount } from './account-removal.ts'
import { useOf } from './account-use.ts'
import { addAudit } from './audit.ts'
import type { Connection } from './connection.ts'
import { readable } from '../readable.ts'
import { accountObjects, toAccount, toKey } from '../rows.ts'
import {
  ACCOUNT_COLUMNS,
  CHANGEABLE_ACCOUNT_COLUMNS,
  KEY_COLUMNS,
  assignments,
  insertInto,
} from '../sql.ts'

type Accounts = Sync<FullStore['accounts']>

export function accounts(db: Connection): Accounts {
  const first = (condition: string, value: number | string): AccountRecord | undefined => {
    const row = db.get(`SELECT * FROM accounts WHERE ${condition} AND removing = 0`, [value])
    return row && toAccount(row)
  }
  const add = (account: NewAccount, id?: number): AccountRecord => {
    const { name, external_id = null, quotas = {}, monitor_defaults = {}, created_at } = account
    const columns = id === undefined ? ACCOUNT_COLUMNS : (['id', ...ACCOUNT_COLUMNS] as const)
    const objects = accountObjects({ quotas, monitor_defaults })
    const values = { id, name, external_id, ...objects, created_at }
    const row_id = db.insert(
      insertInto('accounts', columns),
      columns.map((column) => values[column]),
    )
    return first('id = ?', row_id) as AccountRecord
  }
  const byExternalId = (id: string | null | undefined): AccountRecord | undefined =>
    typeof id === 'string' ? first('external_id = ?', id) : undefined
  return {
    create: (account, audit) =>
      db.transaction(() => {
        const known = byExternalId(account.external_id)
        if (known !== undefined) return known
        const made = add(account)
        addAudit(db, audit, { id: made.id, account_id: made.id })
        return made
      }),
    get: (id) => first('id = ?', id),
    byExternalId,
    list(onUnreadable) {
      const rows = db.all('SELECT * FROM accounts WHERE removing = 0 ORDER BY id')
      return readable(rows, toAccount, onUnreadable)
    },
    ensureFirst: (account) =>
      db.transaction(() => {
        // It cannot be removed: another value is damage, and would have all its rows removed.
        db.run('UPDATE accounts SET removing = 0 WHERE id = 1 AND removing <> 0')
        return first('id = ?', 1) ?? add(account, 1)
      }),
    update: (id, change, audit) =>
      db.transaction(() => {
        if ((byExternalId(change.external_id)?.id ?? id) !== id) throw externalIdTaken()
        const { text, params } = assignments(CHANGEABLE_ACCOUNT_COLUMNS, {
          ...change,
          ...accountObjects(change),
        })
        const sql = `UPDATE accounts SET ${text} WHERE id = ? AND removing = 0`
        if (text !== '' && db.run(sql, [...params, id]) > 0)
          addAudit(db, audit, { id, account_id: id })
        return first('id = ?', id)
      }),
    use: (id) => useOf(db, id),
    remove: (id, limit, audit) =>
      db.transaction(() => {
        const sql = 'SELECT id FROM accounts WHERE id = ? AND removing = 0'
        if (db.get(sql, [id]) !== undefined) addAudit(db, audit, { id, account_id: 1 })
        return removeAccount(db, id, limit)
      }),
  }
}

export function keys(db: Connection): Sync<FullStore['keys']> {
  return {
    create: (key, audit) =>
      db.transaction(() => {
        requireAccount(db, key)
        if (db.get('SELECT id FROM api_keys WHERE hash = ?', [key.hash]) !== undefined)
          throw keyTaken()
        const columns = { ...key, scopes: JSON.stringify(key.scopes) }
        const values = KEY_COLUMNS.map((column) => columns[column])
        const made = { ...key, id: db.insert(insertInto('api_keys', KEY_COLUMNS), values) }
        addAudit(db, audit, made)
        return made
      }),
    byHash(hash) {
      const row = db.get(`SELECT * FROM api_keys WHERE hash = ?${ofNoneRemoved(db)}`, [hash])
      return row && toKey(row)
    },
    byId(id) {
      const row = db.get(`SELECT * FROM api_keys WHERE id = ?${ofNoneRemoved(db)}`, [id])
      return row && toKey(row)
    },
    list(account_id, onUnreadable) {
      const rows = db.all('SELECT * FROM api_keys WHERE account_id = ? ORDER BY id', [account_id])
      return readable(rows, toKey, onUnreadable)
    },
    update: (id, change, audit) =>
      db.transaction(() => {
        const { text, params } = assignments(['last_used_at', 'revoked_at'], change)
        if (text !== '') db.run(`UPDATE api_keys SET ${text} WHERE id = ?`, [...params, id])
        const key = audit && db.get('SELECT id, account_id FROM api_keys WHERE id = ?', [id])
        if (key !== undefined) addAudit(db, audit, key as Pick<KeyRecord, 'id' | 'account_id'>)
      }),
  }
}

export function locations(db: Connection): Sync<FullStore['locations']> {
  return {
    ensure: (name) =>
      db.transaction(() => {
        const known = db.get('SELECT id FROM locations WHERE name = ?', [name])
        // Reads first: an insert that conflicts with the name consumes an id.
        const id = known?.['id'] ?? db.insert(insertInto('locations', ['name']), [name])
        return { id: Number(id), name }
      }),
    list: () => db.all('SELECT * FROM locations ORDER BY id').map((row) => ({ ...row }) as never),
  }
}

export function meta(db: Connection): Sync<FullStore['meta']> {
  return {
    get(name) {
      const value = db.get('SELECT value FROM meta WHERE name = ?', [name])?.['value']
      return value === undefined ? undefined : String(value)
    },
    set(name, value) {
      db.run(
        `INSERT INTO meta (name, value) VALUES (?, ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [name, value],
      )
    },
  }
}
