/**
 * Accounts, their usage, and their removal in steps.
 *
 * @module
 */

import type { AccountRecord, AccountUse, NewAuditRecord } from '../../model.ts'
import { checksOf } from '../memory/accounts.ts'
import { externalIdTaken } from '../rules.ts'
import type { FullStore, NewAccount, Removal } from '../store.ts'
import type { Calls, Records, Row, TableName } from './records.ts'

export const accounts: Calls<FullStore['accounts']> = {
  ensureFirst: async (r, account) => shown(await r.get('accounts', 1)) ?? create(r, account),
  create,
  get: async (r, id) => shown(await r.get('accounts', id)),
  byExternalId: (r, external_id) => byExternalId(r, external_id),
  list: async (r) => (await r.all('accounts', { removed: false })).map(record),
  async update(r, id, change, audit) {
    const account = await r.get('accounts', id)
    if (account?.removed !== false) return undefined
    const other = await byExternalId(r, change.external_id)
    if ((other?.id ?? id) !== id) throw externalIdTaken()
    const changed = { ...account, ...change }
    await r.put('accounts', changed)
    await r.audit(audit, { id, account_id: id })
    return record(changed)
  },
  use: useOf,
  async remove(r, ...[id, limit, audit]) {
    const account = await r.get('accounts', id)
    if (account === undefined) return undefined
    if (!account.removed) await r.audit(audit, { id, account_id: 1 })
    await r.put('accounts', { ...account, removed: true })
    return removeSome(r, id, limit)
  },
}

function record({ removed: _, ...account }: Row<'accounts'>): AccountRecord {
  return account
}

function shown(account: Row<'accounts'> | undefined): AccountRecord | undefined {
  return account?.removed === false ? record(account) : undefined
}

async function byExternalId(r: Records, external_id: string | null | undefined) {
  if (external_id === undefined || external_id === null) return undefined
  return shown(await r.first('accounts', { external_id, removed: false }))
}

async function create(
  r: Records,
  account: NewAccount,
  audit?: NewAuditRecord,
): Promise<AccountRecord> {
  const { name, external_id = null, quotas = {}, monitor_defaults = {}, created_at } = account
  const known = await byExternalId(r, external_id)
  if (known !== undefined) return known
  const row = { name, external_id, quotas, monitor_defaults, created_at, removed: false }
  const made = record(await r.insert('accounts', row))
  await r.audit(audit, { id: made.id, account_id: made.id })
  return made
}

export async function useOf(r: Records, account_id: number): Promise<AccountUse> {
  const monitors = await r.all('monitors', { account_id })
  return {
    monitors: monitors.length,
    contacts: (await r.all('contacts', { account_id })).length,
    checks_per_min: monitors.reduce((sum, monitor) => sum + checksOf(monitor), 0),
  }
}

/** The tables removed with a monitor; incidents and notifications stay. */
export const HISTORY = ['location_states', 'results', 'availability', 'daily', 'hourly'] as const

/** Executes one step for an account that is being removed. */
async function removeSome(r: Records, account_id: number, limit: number): Promise<Removal> {
  let left = limit
  const take = async (name: TableName, where: object): Promise<void> => {
    for (const { id } of await r.some(name, where, { limit: left })) {
      if (name === 'notifications') await removeAttempts(r, id)
      await r.remove(name, id)
      left--
    }
  }
  for (const { id: monitor_id } of await r.some('monitors', { account_id }, { limit: left })) {
    for (const name of HISTORY) await take(name, { monitor_id })
    if (left === 0) break
    await r.remove('monitors', monitor_id)
    left--
  }
  for (const name of [
    'notifications',
    'incidents',
    'contacts',
    'maintenance',
    'public_pages',
    'status_reports',
    'keys',
    'audit_log',
    'idempotency_responses',
  ] as const)
    await take(name, { account_id })
  if (left === 0) return 'more'
  await r.remove('accounts', account_id)
  return 'done'
}

/** Continues removals that did not finish; returns the number of removed rows. */
export async function goOnRemoving(r: Records, limit: number): Promise<number> {
  const account = await r.first('accounts', { removed: true })
  if (account === undefined) return 0
  return (await removeSome(r, account.id, limit)) === 'more' ? limit : 1
}

export async function removeAttempts(r: Records, notification_id: number): Promise<void> {
  for (const { id } of await r.all('attempts', { notification_id })) await r.remove('attempts', id)
}
