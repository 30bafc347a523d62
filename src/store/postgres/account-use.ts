/**
 * What an account has, what it may have, and its end.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type { AccountUse, MonitorRecord } from '../../model.ts'
import { isChecked, ratedChecks, requireWithin } from '../quota.ts'
import type { Allowance, Change } from '../store.ts'
import { numbers } from './bulk.ts'
import { announce } from './changes.ts'
import type { Session } from './database.ts'

const USE = `SELECT
  (SELECT count(*) FROM watchpost.monitors WHERE account_id = $1) AS monitors,
  (SELECT count(*) FROM watchpost.contacts WHERE account_id = $1) AS contacts,
  (SELECT COALESCE(sum(checks_per_min), 0) FROM watchpost.monitors
   WHERE account_id = $1 AND token_hash IS NULL AND state <> 'paused') AS checks_per_min`

export async function useOf(session: Session, account_id: number): Promise<AccountUse> {
  const [row] = await session.rows(USE, [account_id])
  return {
    monitors: Number(row?.['monitors']),
    contacts: Number(row?.['contacts']),
    checks_per_min: Number(row?.['checks_per_min']),
  }
}

/**
 * Whoever makes more of an account's things does so one after the other. References to the account do not wait
 * for it.
 */
async function inTurn(session: Session, account_id: number): Promise<void> {
  const sql = 'SELECT id FROM watchpost.accounts WHERE id = ? FOR NO KEY UPDATE'
  if ((await session.rows(sql, [account_id])).length === 0) throw new NotFoundError('account')
}

type Rated = Pick<MonitorRecord, 'account_id' | 'common' | 'token_hash' | 'machine'>

/** @throws ConflictError `quota` */
export async function requireRoomForMonitor(
  session: Session,
  monitor: Rated,
  within: Allowance | undefined,
): Promise<void> {
  if (within === undefined) return
  await inTurn(session, monitor.account_id)
  const { monitors, checks_per_min } = await useOf(session, monitor.account_id)
  const { token_hash, machine, common } = monitor
  const more = isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
  requireWithin({ monitors: monitors + 1, checks_per_min: checks_per_min + more }, within)
}

/** @throws ConflictError `quota` */
export async function requireRoomForContact(
  session: Session,
  account_id: number,
  within: Allowance | undefined,
): Promise<void> {
  if (within === undefined) return
  await inTurn(session, account_id)
  requireWithin({ contacts: (await useOf(session, account_id)).contacts + 1 }, within)
}

/** Checks a minute of the accounts whose monitors may come to be checked more often; locked until the end. */
export async function lockedChecks(
  session: Session,
  changes: readonly Change[],
): Promise<Map<number, number>> {
  const limited = changes.filter(({ within }) => within?.checks_per_min !== undefined)
  if (limited.length === 0) return new Map()
  const rows = await session.rows(LOCK_ACCOUNTS, [
    numbers(limited.map(({ monitor_id }) => monitor_id)),
  ])
  const checks = new Map<number, number>()
  for (const { id } of rows)
    checks.set(Number(id), (await useOf(session, Number(id))).checks_per_min)
  return checks
}

const LOCK_ACCOUNTS = `SELECT id FROM watchpost.accounts WHERE id IN (
    SELECT account_id FROM watchpost.monitors WHERE id = ANY ($1::bigint[]))
  ORDER BY id FOR NO KEY UPDATE`

const REMOVE = [
  'INSERT INTO watchpost.removed_monitors SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING',
  'DELETE FROM watchpost.monitors WHERE id = ANY ($1::bigint[])',
  'DELETE FROM watchpost.location_states WHERE monitor_id = ANY ($1::bigint[])',
  'DELETE FROM watchpost.availability WHERE monitor_id = ANY ($1::bigint[])',
  'DELETE FROM watchpost.daily WHERE monitor_id = ANY ($1::bigint[])',
]
const OWNED = ['notifications', 'incidents', 'contacts', 'api_keys', 'replies', 'turns']

/** Results are left to `prune`, as those of any removed monitor. */
export async function removeAccount(
  session: Session,
  schema: string,
  id: number,
): Promise<boolean> {
  // Whoever refers to it is done before, or finds it gone.
  const sql = 'SELECT id FROM watchpost.accounts WHERE id = ? FOR UPDATE'
  if ((await session.rows(sql, [id])).length === 0) return false
  const own = await session.rows(
    'SELECT id FROM watchpost.monitors WHERE account_id = ? ORDER BY id FOR UPDATE',
    [id],
  )
  const monitors = own.map((row) => Number(row['id']))
  for (const each of REMOVE) await session.run(each, [numbers(monitors)])
  await session.run(
    `DELETE FROM watchpost.attempts WHERE notification_id IN (
       SELECT n.id FROM watchpost.notifications AS n WHERE n.account_id = ?)`,
    [id],
  )
  for (const table of OWNED)
    await session.run(`DELETE FROM watchpost.${table} WHERE account_id = ?`, [id])
  await session.run('DELETE FROM watchpost.accounts WHERE id = ?', [id])
  await announce(session, schema, monitors)
  return true
}
