/**
 * The usage of an account and its quotas.
 *
 * @module
 */

import type { AccountUse, MonitorRecord } from '../../model.ts'
import { exceeds, isChecked, ratedChecks, requireWithin } from '../quota.ts'
import type { Allowance, Change } from '../store.ts'
import type { Connection } from './connection.ts'

const CHECKS = `SELECT COALESCE(SUM(checks_per_min), 0) AS checks
  FROM monitors JOIN monitor_states ON monitor_id = id
  WHERE account_id = ? AND token_hash IS NULL AND state <> 'paused'`

function countOf(db: Connection, table: 'monitors' | 'contacts', account_id: number): number {
  const row = db.get(`SELECT COUNT(*) AS found FROM ${table} WHERE account_id = ?`, [account_id])
  return Number(row?.['found'])
}

const checksOf = (db: Connection, account_id: number): number =>
  Number(db.get(CHECKS, [account_id])?.['checks'])

export function useOf(db: Connection, account_id: number): AccountUse {
  return {
    monitors: countOf(db, 'monitors', account_id),
    contacts: countOf(db, 'contacts', account_id),
    checks_per_min: checksOf(db, account_id),
  }
}

/** Counts only what is limited: thousands are created one after the other. @throws ConflictError `quota` */
export function requireRoomForMonitor(
  db: Connection,
  monitor: Pick<MonitorRecord, 'account_id' | 'common' | 'token_hash' | 'machine'>,
  within: Allowance | undefined,
): void {
  const { account_id, token_hash, machine, common } = monitor
  if (within?.monitors !== undefined)
    requireWithin({ monitors: countOf(db, 'monitors', account_id) + 1 }, within)
  if (within?.checks_per_min === undefined) return
  const more = isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
  requireWithin({ checks_per_min: checksOf(db, account_id) + more }, within)
}

/** The same for a contact. @throws ConflictError `quota` */
export function requireRoomForContact(
  db: Connection,
  account_id: number,
  within: Allowance | undefined,
): void {
  if (within?.contacts !== undefined)
    requireWithin({ contacts: countOf(db, 'contacts', account_id) + 1 }, within)
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
  return exceeds(checksOf(db, Number(row['account_id'])) + more, within.checks_per_min)
}
