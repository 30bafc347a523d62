/**
 * Accounts, and their removal in steps of bounded size. From the first step on an account is not found by any query.
 *
 * @module
 */

import type { AccountUse, MonitorRecord } from '../../model.ts'
import { isChecked, ratedChecks } from '../quota.ts'
import type { Tables } from './tables.ts'
import type { Removal } from '../store.ts'
import { dropMonitor, dropNotification } from './tables.ts'

type Rated = Pick<MonitorRecord, 'account_id' | 'common' | 'token_hash' | 'machine'>

export function checksOf({ common, token_hash, machine }: Rated): number {
  return isChecked({ token_hash, state: machine.state }) ? ratedChecks(common) : 0
}

export function useOf(tables: Tables, account_id: number): AccountUse {
  const isOwn = (row: { readonly account_id: number }): boolean => row.account_id === account_id
  const monitors = [...tables.monitors.values()].filter(isOwn)
  return {
    monitors: monitors.length,
    contacts: [...tables.contacts.values()].filter(isOwn).length,
    checks_per_min: monitors.reduce((sum, monitor) => sum + checksOf(monitor), 0),
  }
}

/** The usage after the monitor is added. */
export function useWith(tables: Tables, monitor: Rated): Partial<AccountUse> {
  const { monitors, checks_per_min } = useOf(tables, monitor.account_id)
  return { monitors: monitors + 1, checks_per_min: checks_per_min + checksOf(monitor) }
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
  const { incidents, contacts, maintenance, publicPages, statusReports, keys, auditLog } = tables
  const owned = [incidents, contacts, maintenance, publicPages, statusReports, keys, auditLog]
  for (const rows of owned)
    for (const [row_id, { account_id }] of rows)
      if (account_id === id) yield () => void rows.delete(row_id)
  const idempotencyResponses = tables.idempotencyResponses.get(id) ?? new Map<string, unknown>()
  for (const key of idempotencyResponses.keys()) yield () => void idempotencyResponses.delete(key)
  tables.idempotencyResponses.delete(id)
}
