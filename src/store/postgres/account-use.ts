/**
 * The usage of an account and its quotas.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type { AccountUse, MonitorRecord } from '../../model.ts'
import { isChecked, ratedChecks, requireWithin } from '../quota.ts'
import type { Allowance, Change } from '../store.ts'
import { requireAccount } from './account-removal.ts'
import { numbers } from './bulk.ts'
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

/** Serializes transactions that add to the account's usage. Foreign keys to the account do not wait for this lock. */
export async function inTurn(session: Session, account_id: number): Promise<void> {
  const sql = 'SELECT id FROM watchpost.accounts WHERE id = ? AND removing = 0 FOR NO KEY UPDATE'
  if ((await session.rows(sql, [account_id])).length === 0) throw new NotFoundError('account')
}

type Rated = Pick<MonitorRecord, 'account_id' | 'common' | 'token_hash' | 'machine'>

/** @throws NotFoundError, ConflictError `quota` */
export async function requireRoomForMonitor(
  session: Session,
  monitor: Rated,
  within: Allowance | undefined,
): Promise<void> {
  if (within === undefined) return requireAccount(session, monitor)
  await inTurn(session, monitor.account_id)
  const { monitors, checks_per_min } = await useOf(session, monitor.account_id)
  const { token_hash, machine, common } = monitor
  const more = isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
  requireWithin({ monitors: monitors + 1, checks_per_min: checks_per_min + more }, within)
}

/** @throws NotFoundError, ConflictError `quota` */
export async function requireRoomForContact(
  session: Session,
  account_id: number,
  within: Allowance | undefined,
): Promise<void> {
  if (within === undefined) return requireAccount(session, { account_id })
  await inTurn(session, account_id)
  requireWithin({ contacts: (await useOf(session, account_id)).contacts + 1 }, within)
}

/** The check rate of the accounts whose monitors may be checked more often; locked until the end of the transaction. */
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
