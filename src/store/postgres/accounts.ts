import { StorageError } from '../../errors.ts'
import type { AccountRecord } from '../../model.ts'
import { readable } from '../readable.ts'
import { accountObjects, toAccount, toKey } from '../rows.ts'
import { keyTaken } from '../filters.ts'
import { externalIdTaken } from '../rules.ts'
import {
  ACCOUNT_COLUMNS,
  CHANGEABLE_ACCOUNT_COLUMNS,
  KEY_COLUMNS,
  assignments,
  insertInto,
} from '../sql.ts'
import type { Param } from '../sql.ts'
import type { NewAccount, FullStore } from '../store.ts'
import { ofNoneRemoved, removeAccount, requireAccount } from './account-removal.ts'
import { useOf } from './account-use.ts'
import { addAudit } from './audit.ts'
import { codeOf, UNIQUE_VIOLATION } from './explain.ts'
import type { Database, Session } from './database.ts'

export function accounts(db: Database): FullStore['accounts'] {
  return {
    create: (account, audit) =>
      db.transaction(async (session) => {
        const { text, values } = inserted(account)
        for (let tries = 0; tries < TRIES; tries++) {
          // Of two processes that create the same account, the second waits for the first and finds its row.
          const sql = `${text} ON CONFLICT (external_id) WHERE external_id IS NOT NULL DO NOTHING RETURNING *`
          const [made] = await session.rows(sql, values)
          if (made !== undefined) {
            const { id } = toAccount(made)
            await addAudit(session, audit, { id, account_id: id })
            return toAccount(made)
          }
          const known = await first(session, 'external_id = ?', account.external_id ?? '')
          if (known !== undefined) return known
        }
        throw new StorageError('An account of this external_id comes and goes')
      }),
    ensureFirst: (account) =>
      db.transaction(
        async (session) => {
          // Engines that start together on an empty database create one account.
          await session.rows("SELECT pg_advisory_xact_lock(hashtextextended('watchpost.first', 0))")
          // It cannot be removed: another value is damage, and would have all its rows removed.
          await session.run(
            'UPDATE watchpost.accounts SET removing = 0 WHERE id = 1 AND removing <> 0',
          )
          const known = await first(session, 'id = ?', 1)
          if (known !== undefined) return known
          // A failed attempt consumes an id of the sequence; the first account has id 1 all the same.
          await session.rows("SELECT nextval(pg_get_serial_sequence('watchpost.accounts', 'id'))")
          const { values } = inserted(account)
          await session.run(
            `INSERT INTO watchpost.accounts (id, ${ACCOUNT_COLUMNS.join(', ')}) OVERRIDING SYSTEM VALUE
             VALUES (1, ?, ?, ?, ?, ?)`,
            values,
          )
          return (await first(session, 'id = ?', 1)) as AccountRecord
        },
        { repeatable: true },
      ),
    get: (id) => first(db, 'id = ?', id),
    byExternalId: (external_id) => first(db, 'external_id = ?', external_id),
    async list(onUnreadable) {
      const rows = await db.rows('SELECT * FROM watchpost.accounts WHERE removing = 0 ORDER BY id')
      return readable(rows, toAccount, onUnreadable)
    },
    async update(id, change, audit) {
      const { text, params } = assignments(CHANGEABLE_ACCOUNT_COLUMNS, {
        ...change,
        ...accountObjects(change),
      })
      if (text === '') return first(db, 'id = ?', id)
      const sql = `UPDATE watchpost.accounts SET ${text} WHERE id = ? AND removing = 0 RETURNING *`
      try {
        return await db.transaction(async (session) => {
          const [row] = await session.rows(sql, [...params, id])
          if (row === undefined) return undefined
          await addAudit(session, audit, { id, account_id: id })
          return toAccount(row)
        })
      } catch (error) {
        throw codeOf(error) === UNIQUE_VIOLATION ? externalIdTaken() : error
      }
    },
    use: (id) => useOf(db, id),
    remove: (id, limit, audit) => removeAccount(db, { id, audit }, limit),
  }
}

/** An account that was found may be removed before it is read. */
const TRIES = 3

function inserted(account: NewAccount) {
  const { name, external_id = null, quotas = {}, monitor_defaults = {}, created_at } = account
  const objects = accountObjects({ quotas, monitor_defaults })
  const values = [name, external_id, objects.quotas, objects.monitor_defaults, created_at]
  return { text: insertInto('watchpost.accounts', ACCOUNT_COLUMNS), values }
}

async function first(
  session: Session,
  condition: string,
  value: number | string,
): Promise<AccountRecord | undefined> {
  const sql = `SELECT * FROM watchpost.accounts WHERE ${condition} AND removing = 0`
  const [row] = await session.rows(sql, [value])
  return row && toAccount(row)
}

export function keys(db: Database): FullStore['keys'] {
  return {
    async create(key, audit) {
      const columns = { ...key, scopes: JSON.stringify(key.scopes) }
      const values = KEY_COLUMNS.map((column) => columns[column])
      const sql = insertInto('watchpost.api_keys', KEY_COLUMNS)
      try {
        return await db.transaction(async (session) => {
          await requireAccount(session, key)
          const made = { ...key, id: await insertedId(session, sql, values) }
          await addAudit(session, audit, made)
          return made
        })
      } catch (error) {
        throw codeOf(error) === UNIQUE_VIOLATION ? keyTaken() : error
      }
    },
    async byHash(hash) {
      const [row] = await db.rows(
        `SELECT * FROM watchpost.api_keys WHERE hash = ? AND ${ofNoneRemoved()}`,
        [hash],
      )
      return row && toKey(row)
    },
    async byId(id) {
      const [row] = await db.rows(
        `SELECT * FROM watchpost.api_keys WHERE id = ? AND ${ofNoneRemoved()}`,
        [id],
      )
      return row && toKey(row)
    },
    async list(account_id, onUnreadable) {
      const sql = 'SELECT * FROM watchpost.api_keys WHERE account_id = ? ORDER BY id'
      return readable(await db.rows(sql, [account_id]), toKey, onUnreadable)
    },
    async update(id, change, audit) {
      const { text, params } = assignments(['last_used_at', 'revoked_at'], change)
      if (text === '') return
      const sql = `UPDATE watchpost.api_keys SET ${text} WHERE id = ?`
      if (audit === undefined) {
        await db.run(sql, [...params, id])
        return
      }
      await db.transaction(async (session) => {
        const [row] = await session.rows(`${sql} RETURNING account_id`, [...params, id])
        if (row !== undefined)
          await addAudit(session, audit, { id, account_id: Number(row['account_id']) })
      })
    },
  }
}

export function locations(db: Database): FullStore['locations'] {
  const find = async (name: string) => {
    const [row] = await db.rows('SELECT id FROM watchpost.locations WHERE name = ?', [name])
    return row && { id: Number(row['id']), name }
  }
  return {
    async ensure(name) {
      // Reads first: an insert that conflicts with the name consumes an id.
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
