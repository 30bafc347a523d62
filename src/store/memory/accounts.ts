/**
 * Accounts, and their removal in steps of bounded size. From the first step on an account is not found by any query.
 *
 * @module
 */

import type { AccountUse, MonitorRecord } from '../../model.ts'
import { isChecked, ratedChecks, requireWithin } from '../quota.ts'
import type { Tables } from './tables.ts'
import type { Allowance, Removal } from '../store.ts'
import { dropKey, dropMonitor, dropNotification } from './tables.ts'

type Rated = Pick<MonitorRecord, 'account_id' | 'common' | 'token_hash' | 'machine'>

export function checksOf({ common, token_hash, machine }: Rated): number {
  return isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
}

export function useOf(tables: Tables, account_id: number): AccountUse {
  let contacts = 0
  for (const contact of tables.contacts.values()) if (contact.account_id === account_id) contacts++
  return { ...checkedUseOf(tables, account_id), contacts }
}

function checkedUseOf(tables: Tables, account_id: number): Omit<AccountUse, 'contacts'> {
  let monitors = 0
  let checks_per_min = 0
  for (const monitor of tables.monitors.values()) {
    if (monitor.account_id !== account_id) continue
    monitors++
    checks_per_min += checksOf(monitor)
  }
  return { monitors, checks_per_min }
}

/** Counts only what is limited: thousands of monitors are created one after the other. @throws ConflictError `quota` */
export function requireRoomFor(
  tables: Tables,
  monitor: Rated,
  within: Allowance | undefined,
): void {
  if (within?.monitors === undefined && within?.checks_per_min === undefined) return
  const { monitors, checks_per_min } = checkedUseOf(tables, monitor.account_id)
  const use = { monitors: monitors + 1, checks_per_min: checks_per_min + checksOf(monitor) }
  requireWithin(use, within)
}

/** Executes one step. */
export function removeAccount(tables: Tables, id: number, limit: number): Removal | undefined {
  if (tables.accounts.delete(id)) tables.removing.add(id)
  else if (!tables.removing.has(id)) return undefined
  return removeSome(tables, id, limit) < limit ? 'done' : 'more'
}

/** Continues removals that did not finish; returns the number of removed rows. */
export function goOnRemoving(tables: Tables, limit: number): number {
  const [id] = tables.removing
  return id === undefined ? 0 : removeSome(tables, id, limit)
}

/** Removes up to `limit` rows; returns fewer only if none is left. */
function removeSome(tables: Tables, id: number, limit: number): number {
  const rows = ownRows(tables, id)
  let gone = 0
  for (; gone < limit; gone++) {
    const row = rows.next()
    if (row.done === true) break
    row.value()
  }
  if (gone < limit) tables.removing.delete(id)
  return gone
}

/** Yields, for each row of the account, a function that deletes it; the map entry read last may be deleted meanwhile. */
function* ownRows(tables: Tables, id: number): Generator<() => void, void> {
  for (const monitor of tables.monitors.values())
    if (monitor.account_id === id) yield () => dropMonitor(tables, monitor.id)
  for (const row of tables.notifications.values())
    if (row.account_id === id) yield () => dropNotification(tables, row)
  for (const key of tables.keys.values())
    if (key.account_id === id) yield () => dropKey(tables, key)
  const { incidents, contacts, maintenance, publicPages, statusReports, auditLog } = tables
  const owned = [incidents, contacts, maintenance, publicPages, statusReports, auditLog]
  for (const rows of owned)
    for (const [row_id, { account_id }] of rows)
      if (account_id === id) yield () => void rows.delete(row_id)
  const idempotencyResponses = tables.idempotencyResponses.get(id) ?? new Map<string, unknown>()
  for (const key of idempotencyResponses.keys()) yield () => void idempotencyResponses.delete(key)
  tables.idempotencyResponses.delete(id)
}
