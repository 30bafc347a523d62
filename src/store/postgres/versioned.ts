/**
 * Records of an account that consist of their settings and a version. Changes of some are broadcast.
 *
 * @module
 */

import type { PublicPageSettings, VersionedRecord } from '../../model.ts'
import { requireRoom } from '../quota.ts'
import { readablePage } from '../readable.ts'
import { toVersioned } from '../rows.ts'
import { followingRows, insertInto, where } from '../sql.ts'
import type { PublicPageRows, VersionedRows, VersionedTable } from '../store.ts'
import { PUBLIC_PAGES, slugTaken, uniqueOf } from '../versioned.ts'
import { ofNoneRemoved } from './account-removal.ts'
import { inTurn } from './account-use.ts'
import { insertedId } from './accounts.ts'
import { addAudit } from './audit.ts'
import { announceTable } from './changes.ts'
import type { Database, Session } from './database.ts'
import { codeOf, UNIQUE_VIOLATION } from './explain.ts'

const COLUMNS = ['account_id', 'version', 'settings', 'created_at', 'updated_at'] as const

export function versioned<S extends object>(db: Database, kind: VersionedTable): VersionedRows<S> {
  const { table, words, unique, broadcast } = kind
  const own = unique === undefined ? [] : [unique]
  const rows = `watchpost.${table}`
  const here = ` AND ${ofNoneRemoved()}`

  async function get(session: Session, id: number): Promise<VersionedRecord<S> | undefined> {
    const [row] = await session.rows(`SELECT * FROM ${rows} WHERE id = ?${here}`, [id])
    return row && toVersioned(row)
  }

  async function announced(session: Session): Promise<void> {
    if (broadcast !== undefined) await announceTable(session, db.schema, broadcast)
  }

  /** The only unique columns besides the ids, which the database gives, are those of `own`. */
  const refusing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw codeOf(error) === UNIQUE_VIOLATION ? slugTaken() : error
    }
  }

  /** The value of the unique column; none without such a column. */
  const uniqueValues = (settings: S): readonly string[] => {
    const value = uniqueOf(kind, settings)
    return value === undefined ? [] : [value]
  }

  return {
    create(record, most, audit) {
      const columns = { ...record, version: 1, settings: JSON.stringify(record.settings) }
      const values = [...COLUMNS.map((column) => columns[column]), ...uniqueValues(record.settings)]
      const creating = db.transaction(async (session) => {
        const { account_id } = record
        await inTurn(session, account_id)
        const sql = `SELECT count(*) AS count FROM ${rows} WHERE account_id = ?`
        const [counted] = await session.rows(sql, [account_id])
        requireRoom(Number(counted?.['count']), most, words)
        const id = await insertedId(session, insertInto(rows, [...COLUMNS, ...own]), values)
        await addAudit(session, audit, { id, account_id })
        await announced(session)
        return (await get(session, id)) as VersionedRecord<S>
      })
      return refusing(creating)
    },
    get: (id) => get(db, id),
    list(query, onUnreadable) {
      const { order = 'asc', limit, after_id: after } = query
      const page = (after_id: number | undefined, limit: number) => {
        const asked = after_id === undefined ? query : { ...query, after_id }
        const { text, params } = where(followingRows(asked))
        const sql = `SELECT * FROM ${rows}${text}${here} ORDER BY id ${order} LIMIT ?`
        return db.rows(sql, [...params, limit])
      }
      return readablePage({ order, limit, after, rows: page, read: toVersioned<S>, onUnreadable })
    },
    update(id, version, { settings, updated_at, audit }) {
      const set = own.map((column) => `, ${column} = ?`).join('')
      const updating = db.transaction(async (session) => {
        const sql = `UPDATE ${rows} SET settings = ?, updated_at = ?, version = version + 1${set}
          WHERE id = ? AND version = ?${here} RETURNING *`
        const values = [JSON.stringify(settings), updated_at, ...uniqueValues(settings)]
        const params = [...values, id, version]
        const [row] = await session.rows(sql, params)
        if (row === undefined) return undefined
        const changed = toVersioned<S>(row)
        await addAudit(session, audit, changed)
        await announced(session)
        return changed
      })
      return refusing(updating)
    },
    remove: (id, version, audit) =>
      db.transaction(async (session) => {
        const { text, params } = where([
          ['id = ?', id],
          ['version = ?', version],
        ])
        const sql = `DELETE FROM ${rows}${text}${here} RETURNING account_id`
        const [gone] = await session.rows(sql, params)
        if (gone === undefined) return false
        await addAudit(session, audit, { id, account_id: Number(gone['account_id']) })
        await announced(session)
        return true
      }),
  }
}

export function publicPages(db: Database): PublicPageRows {
  return {
    ...versioned(db, PUBLIC_PAGES),
    async bySlug(slug) {
      const sql = `SELECT * FROM watchpost.public_pages WHERE slug = ? AND ${ofNoneRemoved()}`
      const [row] = await db.rows(sql, [slug])
      return row && toVersioned<PublicPageSettings>(row)
    },
  }
}
