/**
 * The usage of an account and its quotas.
 *
 * @module
 */

import type { AccountUse, MonitorRecord } from '../../model.ts'
import { exceeds, isChecked, ratedChecks } from '../quota.ts'
import type { Change } from '../store.ts'
import type { Connection } from './connection.ts'

const CHECKS = `SELECT COALESCE(SUM(checks_per_min), 0) AS checks
  FROM monitors JOIN monitor_states ON monitor_id = id
  WHERE account_id = ? AND token_hash IS NULL AND state <> 'paused'`

export function useOf(db: Connection, account_id: number): AccountUse {
  const count = (table: string): number =>
    Number(
      db.get(`SELECT COUNT(*) AS rows FROM ${table} WHERE account_id = ?`, [account_id])?.['rows'],
    )
  return {
    monitors: count('monitors'),
    contacts: count('contacts'),
    checks_per_min: Number(db.get(CHECKS, [account_id])?.['checks']),
  }
}

/** The usage after the monitor is added. */
export function useWith(
  db: Connection,
  monitor: Pick<MonitorRecord, 'account_id' | 'common' | 'token_hash' | 'machine'>,
): Partial<AccountUse> {
  const { monitors, checks_per_min } = useOf(db, monitor.account_id)
  const { token_hash, machine, common } = monitor
  const more = isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
  return { monitors: monitors + 1, checks_per_min: checks_per_min + more }
}

/** Whether the change raises the monitor's check rate and the account then exceeds its allowance. */
export function isBeyond(db: Connection, { monitor_id, within, ...change }: Change): boolean {
  if (within?.checks_per_min === undefined) return false
  const row = db.get(
    `SELECT account_id, token_hash, state, checks_per_min FROM monitors
     JOIN monitor_states ON monitor_id = id WHERE id = ?`,
    [monitor_id],
  )
  if (row === undefined) return false
  const known = { token_hash: row['token_hash'] as string | null, state: String(row['state']) }
  const rate = Number(row['checks_per_min'])
  const before = isChecked(known) ? rate : 0
  const state = change.machine?.state ?? known.state
  const next = change.settings === undefined ? rate : ratedChecks(change.settings.common)
  const more = (isChecked({ ...known, state }) ? next : 0) - before
  if (more <= 0) return false
  const all = Number(db.get(CHECKS, [row['account_id']])?.['checks'])
  return exceeds(all + more, within.checks_per_min)
}
