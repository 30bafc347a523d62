/**
 * Removes an account in steps of bounded size. From the first step on the account is not found by any query;
 * statements contain the condition for it only while such an account exists, so that it costs nothing otherwise.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type { Removal } from '../store.ts'
import type { Connection } from './connection.ts'

const BEING_REMOVED = 'SELECT id FROM accounts WHERE removing = 1'

/** A condition that excludes rows of accounts that are being removed. */
export function ofNoneRemoved(db: Connection, column = 'account_id'): string {
  const any = db.get(`${BEING_REMOVED} LIMIT 1`) !== undefined
  return any ? ` AND ${column} NOT IN (${BEING_REMOVED})` : ''
}

/** @throws NotFoundError if the account is being removed; that it exists is checked by the foreign keys */
export function requireAccount(
  db: Connection,
  { account_id }: { readonly account_id: number },
): void {
  const sql = 'SELECT 1 AS gone FROM accounts WHERE id = ? AND removing = 1'
  if (db.get(sql, [account_id]) !== undefined) throw new NotFoundError('account')
}

/** Executes one step. Results are left to `prune`, as for any removed monitor. */
export function removeAccount(db: Connection, id: number, limit: number): Removal | undefined {
  if (db.get('SELECT 1 AS found FROM accounts WHERE id = ?', [id]) === undefined) return undefined
  // A later account may use the same `external_id`.
  db.run('UPDATE accounts SET removing = 1, external_id = NULL WHERE id = ? AND removing = 0', [id])
  return removeSome(db, id, limit) < limit ? 'done' : 'more'
}

/** Continues removals whose process ended meanwhile; returns the number of removed rows. */
export function goOnRemoving(db: Connection, limit: number): number {
  const account = db.get(`${BEING_REMOVED} LIMIT 1`)
  return account === undefined ? 0 : removeSome(db, Number(account['id']), limit)
}

/** Removes up to `limit` rows; returns fewer only if none is left. */
function removeSome(db: Connection, id: number, limit: number): number {
  let gone = 0
  while (gone < limit) {
    const monitor = db.get('SELECT id FROM monitors WHERE account_id = ? LIMIT 1', [id])
    if (monitor === undefined) break
    gone += removeMonitor(db, Number(monitor['id']), limit - gone)
  }
  for (const table of OWNED) if (gone < limit) gone += removeRows(db, table, [id, limit - gone])
  if (gone < limit) db.run('DELETE FROM accounts WHERE id = ?', [id])
  return gone
}

/** The monitor is removed after its rows, so that no row is left without one. */
function removeMonitor(db: Connection, id: number, limit: number): number {
  let gone = 0
  for (const sql of HISTORY) if (gone < limit) gone += db.run(sql, [id, id, limit - gone])
  if (gone >= limit) return gone
  db.run('INSERT OR IGNORE INTO removed_monitors (monitor_id) VALUES (?)', [id])
  gone += db.run('DELETE FROM location_states WHERE monitor_id = ?', [id])
  gone += db.run('DELETE FROM monitor_states WHERE monitor_id = ?', [id])
  return gone + db.run('DELETE FROM monitors WHERE id = ?', [id])
}

const HISTORY = [
  `DELETE FROM availability WHERE monitor_id = ? AND id IN (
     SELECT id FROM availability WHERE monitor_id = ? LIMIT ?)`,
  `DELETE FROM daily WHERE monitor_id = ? AND day IN (
     SELECT day FROM daily WHERE monitor_id = ? LIMIT ?)`,
  `DELETE FROM hourly WHERE monitor_id = ? AND (hour, location_id) IN (
     SELECT hour, location_id FROM hourly WHERE monitor_id = ? LIMIT ?)`,
]

const OWNED = [
  'notifications',
  'incidents',
  'contacts',
  'maintenance',
  'public_pages',
  'status_reports',
  'api_keys',
  'audit_log',
  'idempotency_responses',
] as const

function removeRows(db: Connection, table: (typeof OWNED)[number], params: [number, number]) {
  const id = table === 'idempotency_responses' ? 'idempotency_key' : 'id'
  const some = `SELECT ${id} FROM ${table} WHERE account_id = ? ORDER BY ${id} LIMIT ?`
  if (table === 'notifications')
    db.run(`DELETE FROM attempts WHERE notification_id IN (${some})`, params)
  const own = table === 'idempotency_responses' ? `account_id = ${params[0]} AND ` : ''
  return db.run(`DELETE FROM ${table} WHERE ${own}${id} IN (${some})`, params)
}
