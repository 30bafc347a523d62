/**
 * Records of an account that consist of their settings and a version.
 *
 * @module
 */

import type { VersionedRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { requireRoom } from '../quota.ts'
import { readable, toVersioned } from '../rows.ts'
import { accountAsked } from '../rules.ts'
import { insertInto, where } from '../sql.ts'
import type { VersionedRows, VersionedTable } from '../store.ts'
import { ofNoneRemoved, requireAccount } from './account-removal.ts'
import { addAudit } from './audit.ts'
import type { Connection } from './connection.ts'

const COLUMNS = ['account_id', 'version', 'settings', 'created_at', 'updated_at'] as const

export function versioned<S extends object>(
  db: Connection,
  { table, words }: VersionedTable,
): Sync<VersionedRows<S>> {
  const get = (id: number): VersionedRecord<S> | undefined => {
    const row = db.get(`SELECT * FROM ${table} WHERE id = ?${ofNoneRemoved(db)}`, [id])
    return row && toVersioned(row)
  }
  const count = (account_id: number): number => {
    const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE account_id = ?`
    return Number(db.get(sql, [account_id])?.['count'])
  }
  return {
    create: (record, most, audit) =>
      db.transaction(() => {
        requireAccount(db, record)
        requireRoom(count(record.account_id), most, words)
        const columns = { ...record, version: 1, settings: JSON.stringify(record.settings) }
        const values = COLUMNS.map((column) => columns[column])
        const made = get(db.insert(insertInto(table, COLUMNS), values)) as VersionedRecord<S>
        addAudit(db, audit, made)
        return made
      }),
    get,
    list(query, onUnreadable) {
      const { after_id = 0, limit } = query
      const { text, params } = where([
        ['account_id = ?', accountAsked(query)],
        ['id > ?', after_id],
      ])
      const sql = `SELECT * FROM ${table}${text}${ofNoneRemoved(db)} ORDER BY id LIMIT ?`
      return readable(db.all(sql, [...params, limit]), toVersioned<S>, onUnreadable)
    },
    update: (id, version, { settings, updated_at, audit }) =>
      db.transaction(() => {
        const sql = `UPDATE ${table} SET settings = ?, updated_at = ?, version = version + 1
          WHERE id = ? AND version = ?${ofNoneRemoved(db)}`
        if (db.run(sql, [JSON.stringify(settings), updated_at, id, version]) === 0) return undefined
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
