/**
 * Records of an account that consist of their settings and a version. Their changes are broadcast.
 *
 * @module
 */

import type { VersionedRecord } from '../../model.ts'
import { requireRoom } from '../quota.ts'
import { readable, toVersioned } from '../rows.ts'
import { accountAsked } from '../rules.ts'
import { insertInto, where } from '../sql.ts'
import type { VersionedRows, VersionedTable } from '../store.ts'
import { ofNoneRemoved } from './account-removal.ts'
import { inTurn } from './account-use.ts'
import { insertedId } from './accounts.ts'
import { addAudit } from './audit.ts'
import { announceTable } from './changes.ts'
import type { Database, Session } from './database.ts'

const COLUMNS = ['account_id', 'version', 'settings', 'created_at', 'updated_at'] as const

export function versioned<S extends object>(
  db: Database,
  { table, words }: VersionedTable,
): VersionedRows<S> {
  const rows = `watchpost.${table}`
  const here = ` AND ${ofNoneRemoved()}`

  async function get(session: Session, id: number): Promise<VersionedRecord<S> | undefined> {
    const [row] = await session.rows(`SELECT * FROM ${rows} WHERE id = ?${here}`, [id])
    return row && toVersioned(row)
  }

  return {
    create(record, most, audit) {
      const columns = { ...record, version: 1, settings: JSON.stringify(record.settings) }
      const values = COLUMNS.map((column) => columns[column])
      return db.transaction(async (session) => {
        const { account_id } = record
        await inTurn(session, account_id)
        const sql = `SELECT count(*) AS count FROM ${rows} WHERE account_id = ?`
        const [counted] = await session.rows(sql, [account_id])
        requireRoom(Number(counted?.['count']), most, words)
        const id = await insertedId(session, insertInto(rows, COLUMNS), values)
        await addAudit(session, audit, { id, account_id })
        await announceTable(session, db.schema, table)
        return (await get(session, id)) as VersionedRecord<S>
      })
    },
    get: (id) => get(db, id),
    async list(query, onUnreadable) {
      const { after_id = 0, limit } = query
      const { text, params } = where([
        ['account_id = ?', accountAsked(query)],
        ['id > ?', after_id],
      ])
      const sql = `SELECT * FROM ${rows}${text}${here} ORDER BY id LIMIT ?`
      return readable(await db.rows(sql, [...params, limit]), toVersioned<S>, onUnreadable)
    },
    update: (id, version, { settings, updated_at, audit }) =>
      db.transaction(async (session) => {
        const sql = `UPDATE ${rows} SET settings = ?, updated_at = ?, version = version + 1
          WHERE id = ? AND version = ?${here} RETURNING *`
        const params = [JSON.stringify(settings), updated_at, id, version]
        const [row] = await session.rows(sql, params)
        if (row === undefined) return undefined
        const changed = toVersioned<S>(row)
        await addAudit(session, audit, changed)
        await announceTable(session, db.schema, table)
        return changed
      }),
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
        await announceTable(session, db.schema, table)
        return true
      }),
  }
}
