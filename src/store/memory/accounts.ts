/**
 * What an account uses of its quotas.
 *
 * @module
 */

import type { AccountUse, MonitorRecord } from '../../model.ts'
import { isChecked, ratedChecks } from '../quota.ts'
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

/** The usage after the monitor is added. */
export function useWith(tables: Tables, monitor: Rated): Partial<AccountUse> {
  const { monitors, checks_per_min } = useOf(tables, monitor.account_id)
  return { monitors: monitors + 1, checks_per_min: checks_per_min + checksOf(monitor) }
}
