/**
 * What an account has, and its end.
 *
 * @module
 */

import type { AccountUse, MonitorRecord } from '../../model.ts'
import { isChecked, ratedChecks } from '../quota.ts'
import { dropMonitor, dropNotification } from './tables.ts'
import type { Tables } from './tables.ts'

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

/** With one monitor more. */
export function useWith(tables: Tables, monitor: Rated): Partial<AccountUse> {
  const { monitors, checks_per_min } = useOf(tables, monitor.account_id)
  return { monitors: monitors + 1, checks_per_min: checks_per_min + checksOf(monitor) }
}

export function removeAccount(tables: Tables, id: number): boolean {
  if (!tables.accounts.delete(id)) return false
  for (const row of tables.notifications.values())
    if (row.account_id === id) dropNotification(tables, row)
  for (const monitor of tables.monitors.values())
    if (monitor.account_id === id) dropMonitor(tables, monitor.id)
  for (const rows of [tables.keys, tables.contacts, tables.incidents])
    for (const [row_id, { account_id }] of rows) if (account_id === id) rows.delete(row_id)
  for (const place of tables.replies.keys())
    if (place.startsWith(`${id}:`)) tables.replies.delete(place)
  return true
}
