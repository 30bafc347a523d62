/**
 * Records of an account that consist of their settings and a version.
 *
 * @module
 */

import type { PublicPageSettings, VersionedRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { requireRoom } from '../quota.ts'
import { readablePage } from '../readable.ts'
import { toVersioned } from '../rows.ts'
import { followingRows, insertInto, where } from '../sql.ts'
import type { PublicPageRows, VersionedRows, VersionedTable } from '../store.ts'
import { PUBLIC_PAGES, slugTaken, uniqueOf } from '../versioned.ts'
import { ofNoneRemoved, requireAccount } from './account-removal.ts'
import { addAudit } from './audit.ts'
import type { Connection } from './connection.ts'

const COLUMNS = ['account_id', 'version', 'settings', 'created_at', 'updated_at'] as const

export function versioned<S extends object>(
  db: Connection,
  kind: VersionedTable,
): Sync<VersionedRows<S>, 'list'> {
  const { table, words, unique } = kind
  const own = unique === undefined ? [] : [unique]
  const get = (id: number): VersionedRecord<S> | undefined => {
    const row = db.get(`SELECT * FROM ${table} WHERE id = ?${ofNoneRemoved(db)}`, [id])
    return row && toVersioned(row)
  }
  const count = (account_id: number): number => {
    const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE account_id = ?`
    return Number(db.get(sql, [account_id])?.['count'])
  }
  /** The value of the unique column, which no other row has; none without such a column. */
  const uniqueValues = (settings: S, id?: number): readonly string[] => {
    const value = uniqueOf(kind, settings)
    if (value === undefined) return []
    const other = db.get(`SELECT id FROM ${table} WHERE ${unique} = ?`, [value])?.['id']
    if (other !== undefined && other !== id) throw slugTaken()
    return [value]
  }
  return {
    create: (record, most, audit) =>
      db.transaction(() => {
        requireAccount(db, record)
        requireRoom(count(record.account_id), most, words)
        const columns = { ...record, version: 1, settings: JSON.stringify(record.settings) }
        const values = [
          ...COLUMNS.map((column) => columns[column]),
          ...uniqueValues(record.settings),
        ]
        const sql = insertInto(table, [...COLUMNS, ...own])
        const made = get(db.insert(sql, values)) as VersionedRecord<S>
        addAudit(db, audit, made)
        return made
      }),
    get,
    list(query, onUnreadable) {
      const { order = 'asc', limit, after_id: after } = query
      const page = (after_id: number | undefined, limit: number) => {
        const asked = after_id === undefined ? query : { ...query, after_id }
        const { text, params } = where(followingRows(asked))
        const sql = `SELECT * FROM ${table}${text}${ofNoneRemoved(db)} ORDER BY id ${order} LIMIT ?`
        return db.all(sql, [...params, limit])
      }
      return readablePage({ order, limit, after, rows: page, read: toVersioned<S>, onUnreadable })
    },
    update: (id, version, { settings, updated_at, audit }) =>
      db.transaction(() => {
        const set = own.map((column) => `, ${column} = ?`).join('')
        const sql = `UPDATE ${table} SET settings = ?, updated_at = ?, version = version + 1${set}
          WHERE id = ? AND version = ?${ofNoneRemoved(db)}`
        const values = [JSON.stringify(settings), updated_at, ...uniqueValues(settings, id)]
        if (db.run(sql, [...values, id, version]) === 0) return undefined
        const changed = get(id)
        if (changed !== undefined) addAudit(db, audit, changed)
        return changed
      }),
    remove: (id, version, audit) =>
      db.transaction(() => {
        const { text, params } = where([
          ['id = ?', id],
          ['version = ?', version],
        ])
        const rows = `FROM ${table}${text}${ofNoneRemoved(db)}`
        const owner = db.get(`SELECT account_id ${rows}`, params)
        if (owner === undefined) return false
        db.run(`DELETE ${rows}`, params)
        addAudit(db, audit, { id, account_id: Number(owner['account_id']) })
        return true
      }),
  }
}

export function publicPages(db: Connection): Sync<PublicPageRows, 'list'> {
  return {
    ...versioned(db, PUBLIC_PAGES),
    bySlug(slug) {
      const sql = `SELECT * FROM public_pages WHERE slug = ?${ofNoneRemoved(db)}`
      const row = db.get(sql, [slug])
      return row && toVersioned<PublicPageSettings>(row)
    },
  }
}
