/**
 * Removes an account in steps of bounded size. From the first step on the account is not found by any query.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type { NewAuditRecord } from '../../model.ts'
import type { Removal } from '../store.ts'
import { numbers } from './bulk.ts'
import { addAudit } from './audit.ts'
import { announce, announceTable } from './changes.ts'
import type { Database, Session } from './database.ts'

/** A condition that excludes rows of accounts that are being removed. Evaluated once per statement, on a tiny index. */
export function ofNoneRemoved(column = 'account_id'): string {
  return `${column} <> ALL (ARRAY(SELECT a.id FROM watchpost.accounts AS a WHERE a.removing = 1))`
}

/** Locks the account against removal until the end of the transaction. @throws NotFoundError */
export async function requireAccount(
  session: Session,
  { account_id }: { readonly account_id: number },
): Promise<void> {
  const sql = 'SELECT id FROM watchpost.accounts WHERE id = ? AND removing = 0 FOR KEY SHARE'
  if ((await session.rows(sql, [account_id])).length === 0) throw new NotFoundError('account')
}

interface Removing {
  readonly id: number
  /** Stored by the first step, in the log of the first account. */
  readonly audit: NewAuditRecord | undefined
}

export async function removeAccount(
  db: Database,
  account: Removing,
  limit: number,
): Promise<Removal | undefined> {
  const found = await db.transaction((session) => begin(session, db.schema, account), REPEATABLE)
  if (!found) return undefined
  return (await removeSome(db, account.id, limit)) < limit ? 'done' : 'more'
}

/** Continues removals whose process ended meanwhile; returns the number of removed rows. */
export async function goOnRemoving(db: Database, limit: number): Promise<number> {
  const [account] = await db.rows('SELECT id FROM watchpost.accounts WHERE removing = 1 LIMIT 1')
  return account === undefined ? 0 : removeSome(db, Number(account['id']), limit)
}

const REPEATABLE = { repeatable: true }

/** Waits for transactions that create rows for the account; those that begin later fail, since it is being removed. */
async function begin(session: Session, schema: string, { id, audit }: Removing): Promise<boolean> {
  const sql = 'SELECT removing FROM watchpost.accounts WHERE id = ? FOR UPDATE'
  const [account] = await session.rows(sql, [id])
  if (account === undefined) return false
  if (account['removing'] === 1) return true
  // A later account may use the same `external_id`.
  await session.run('UPDATE watchpost.accounts SET removing = 1, external_id = NULL WHERE id = ?', [
    id,
  ])
  await addAudit(session, audit, { id, account_id: 1 })
  const own = await session.rows('SELECT id FROM watchpost.monitors WHERE account_id = ?', [id])
  await announce(
    session,
    schema,
    own.map((row) => Number(row['id'])),
  )
  await announceTable(session, schema, 'maintenance')
  return true
}

/** Removes up to `limit` rows; returns fewer only if none is left. */
function removeSome(db: Database, id: number, limit: number): Promise<number> {
  return db.transaction(async (session) => {
    // One step at a time: rows that a concurrent step has locked must not be taken for removed.
    const own = 'SELECT id FROM watchpost.accounts WHERE id = ? AND removing = 1 FOR UPDATE'
    if ((await session.rows(own, [id])).length === 0) return 0
    let gone = 0
    for (const remove of [removeMonitors, removeNotifications, ...OWNED.map(removeRows)])
      if (gone < limit) gone += await remove(session, id, limit - gone)
    if (gone < limit) await session.run('DELETE FROM watchpost.accounts WHERE id = ?', [id])
    return gone
  }, REPEATABLE)
}

/** Maximum number of monitors per step: each has further rows. */
const MONITORS = 20

/** Locks the monitors in the order of their ids, as commits do, and removes them after all their rows. */
async function removeMonitors(session: Session, id: number, limit: number): Promise<number> {
  const rows = await session.rows(
    'SELECT id FROM watchpost.monitors WHERE account_id = ? ORDER BY id LIMIT ? FOR UPDATE',
    [id, Math.min(limit, MONITORS)],
  )
  if (rows.length === 0) return 0
  const monitors = numbers(rows.map((row) => Number(row['id'])))
  let gone = 0
  for (const sql of HISTORY)
    if (gone < limit) gone += await session.run(sql, [monitors, limit - gone])
  if (gone >= limit) return gone
  for (const sql of REMOVE) await session.run(sql, [monitors])
  return rows.length === MONITORS ? limit : gone + rows.length
}

const HISTORY = ['availability', 'daily', 'hourly'].map(
  (table) => `DELETE FROM watchpost.${table} WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM watchpost.${table} WHERE monitor_id = ANY ($1::bigint[]) LIMIT $2))`,
)

const REMOVE = [
  'INSERT INTO watchpost.removed_monitors SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING',
  'DELETE FROM watchpost.location_states WHERE monitor_id = ANY ($1::bigint[])',
  'DELETE FROM watchpost.monitors WHERE id = ANY ($1::bigint[])',
]

/** Locked in the order of ids, as in every statement that waits for row locks, so that there is no deadlock. */
const NOTIFICATIONS = `WITH old AS (
    SELECT id FROM watchpost.notifications WHERE account_id = $1 ORDER BY id LIMIT $2 FOR UPDATE),
  attempts AS (
    DELETE FROM watchpost.attempts AS a USING old WHERE a.notification_id = old.id),
  gone AS (
    DELETE FROM watchpost.notifications AS n USING old WHERE n.id = old.id RETURNING n.id)
  SELECT count(*) AS gone FROM gone`

async function removeNotifications(session: Session, id: number, limit: number): Promise<number> {
  const [row] = await session.rows(NOTIFICATIONS, [id, limit])
  return Number(row?.['gone'])
}

const OWNED = [
  'incidents',
  'contacts',
  'maintenance',
  'public_pages',
  'status_reports',
  'api_keys',
  'audit_log',
  'idempotency_responses',
  'idempotency_locks',
]

function removeRows(table: string) {
  const sql = `DELETE FROM watchpost.${table} WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM watchpost.${table} WHERE account_id = $1 LIMIT $2))`
  return (session: Session, id: number, limit: number): Promise<number> =>
    session.run(sql, [id, limit])
}
