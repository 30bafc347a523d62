/**
 * Monitors, contacts, keys and locations; results, incidents and the rest that is listed.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { auditFits, incidentFits, keyTaken, monitorFilter, resultFits } from '../filters.ts'
import { checksOf } from '../memory/accounts.ts'
import { requireWithin } from '../quota.ts'
import { accountAsked, byHour, CONTACT_REMOVED, endOfWait, waitsQuietly } from '../rules.ts'
import type { FullStore, IdempotencyLimit } from '../store.ts'
import { useOf } from './accounts.ts'
import type { Calls, Records, Row } from './records.ts'

export const keys: Calls<FullStore['keys']> = {
  async create(r, key, audit) {
    await r.requireAccount(key)
    if ((await r.first('keys', { hash: key.hash })) !== undefined) throw keyTaken()
    const made = await r.insert('keys', key)
    await r.audit(audit, made)
    return made
  },
  async byHash(r, hash) {
    const key = await r.first('keys', { hash })
    return key !== undefined && (await r.isThere(key.account_id)) ? key : undefined
  },
  async byId(r, id) {
    const key = await r.get('keys', id)
    return key !== undefined && (await r.isThere(key.account_id)) ? key : undefined
  },
  list: (r, account_id) => r.all('keys', { account_id }),
  async update(r, ...[id, change, audit]) {
    const key = await r.get('keys', id)
    if (key === undefined) return
    await r.put('keys', { ...key, ...change })
    await r.audit(audit, key)
  },
}

export const locations: Calls<FullStore['locations']> = {
  ensure: async (r, name) =>
    (await r.first('locations', { name })) ?? r.insert('locations', { name }),
  list: (r) => r.all('locations', {}),
}

export function contacts(now: () => EpochMs): Calls<FullStore['contacts']> {
  return {
    async create(r, ...[contact, within, audit]) {
      await r.requireAccount(contact)
      const { account_id } = contact
      if (within?.contacts !== undefined)
        requireWithin({ contacts: (await r.all('contacts', { account_id })).length + 1 }, within)
      const made = await r.insert('contacts', { ...contact, version: 1 })
      await r.audit(audit, made)
      return made
    },
    get: (r, id) => r.get('contacts', id),
    list: (r, account_id) => r.all('contacts', { account_id }),
    async update(r, ...[id, version, change, audit]) {
      const contact = await r.get('contacts', id)
      if (contact?.version !== version) return undefined
      const changed = { ...contact, ...change, version: version + 1 }
      await r.put('contacts', changed)
      const due_at = endOfWait(change)
      if (due_at !== undefined)
        for (const row of await r.all('notifications', { contact_id: id, status: 'queued' }))
          if (waitsQuietly(row, due_at)) await r.put('notifications', { ...row, due_at })
      await r.audit(audit, changed)
      return changed
    },
    async remove(r, ...[id, version, audit]) {
      const known = await r.get('contacts', id)
      if (version !== undefined && known?.version !== version) return false
      const end = { status: 'cancelled', error: CONTACT_REMOVED, finished_at: now() } as const
      for (const row of await r.all('notifications', { contact_id: id, status: 'queued' }))
        await r.put('notifications', { ...row, ...end })
      await r.remove('contacts', id)
      if (known !== undefined) await r.audit(audit, known)
      return known !== undefined
    },
  }
}

export const monitors: Calls<FullStore['monitors']> = {
  async create(r, ...[monitor, within, audit]) {
    await r.requireAccount(monitor)
    if (within !== undefined) {
      const use = await useOf(r, monitor.account_id)
      const checks_per_min = use.checks_per_min + checksOf(monitor)
      requireWithin({ monitors: use.monitors + 1, checks_per_min }, within)
    }
    const made = await r.insert('monitors', { ...monitor, version: 1, revision: 1 })
    await r.audit(audit, made)
    return made
  },
  async get(r, id) {
    const monitor = await r.get('monitors', id)
    return monitor !== undefined && (await r.isThere(monitor.account_id)) ? monitor : undefined
  },
  async byTokenHash(r, token_hash) {
    for (const monitor of await r.all('monitors', { token_hash }))
      if (await r.isThere(monitor.account_id)) return monitor
    return undefined
  },
  async list(r, query) {
    const { limit, after_id = 0 } = query
    const account_id = accountAsked(query)
    const gone = new Set((await r.all('accounts', { removed: true })).map(({ id }) => id))
    const isAsked = monitorFilter(query)
    const fits = (row: Row<'monitors'>) => !gone.has(row.account_id) && isAsked(row)
    return r.some('monitors', ofAccount(account_id), { limit, after_id, fits })
  },
  async locations(r, ids) {
    const found: Row<'location_states'>[][] = []
    for (const monitor_id of [...new Set(ids)].toSorted((a, b) => a - b)) {
      const states = await r.all('location_states', { monitor_id })
      found.push(states.toSorted((a, b) => a.location_id - b.location_id))
    }
    return found.flat().map(withoutId)
  },
}

/** Nothing where all accounts are asked for. */
export function ofAccount(account_id: number | undefined): { readonly account_id?: number } {
  return account_id === undefined ? {} : { account_id }
}

export function withoutId<T extends { readonly id: number }>({ id: _, ...row }: T): Omit<T, 'id'> {
  return row
}

export const results: Calls<FullStore['results']> = {
  list(r, query) {
    const { monitor_id, limit, order = 'desc', after_id } = query
    const fits = (row: Row<'results'>) => resultFits(row, query)
    return r.some('results', { monitor_id }, { limit, order, after_id, fits })
  },
}

export const incidents: Calls<FullStore['incidents']> = {
  get: (r, id) => r.get('incidents', id),
  async list(r, query) {
    const where = ofAccount(accountAsked(query))
    const fits = (row: Row<'incidents'>) => incidentFits(row, query)
    const { limit, before_id: after_id } = query
    return r.some('incidents', where, { limit, order: 'desc', after_id, fits })
  },
}

export const auditLog: Calls<FullStore['auditLog']> = {
  async list(r, query) {
    const { resource_id, before_id: after_id, limit } = query
    const where = {
      ...ofAccount(accountAsked(query)),
      ...(resource_id === undefined ? {} : { resource_id }),
    }
    const fits = (row: Row<'audit_log'>) => auditFits(row, query)
    return r.some('audit_log', where, { limit, order: 'desc', after_id, fits })
  },
}

export const availability: Calls<FullStore['availability']> = {
  async list(r, ...[monitor_id, from, to, limit]) {
    const entries = (await r.all('availability', { monitor_id })).map(withoutId)
    const before = entries.filter(({ at }) => at < from).slice(-1)
    const within = entries.filter(({ at }) => at >= from && at < to)
    return [...before, ...within.slice(0, limit)]
  },
}

export const daily: Calls<FullStore['daily']> = {
  async list(r, monitor_id, from_day, to_day) {
    const days = (await r.all('daily', { monitor_id })).map(withoutId)
    return days
      .filter(({ day }) => day >= from_day && day <= to_day)
      .toSorted((a, b) => (a.day < b.day ? -1 : 1))
  },
}

export const hourly: Calls<FullStore['hourly']> = {
  async list(r, monitor_id, from, to) {
    const hours = (await r.all('hourly', { monitor_id })).map(withoutId)
    return hours.filter(({ hour }) => hour >= from && hour < to).toSorted(byHour)
  },
}

export const meta: Calls<FullStore['meta']> = {
  get: async (r, name) => (await r.first('meta', { name }))?.value,
  async set(r, name, value) {
    const known = await r.first('meta', { name })
    if (known === undefined) await r.insert('meta', { name, value })
    else await r.put('meta', { ...known, value })
  },
}

export const idempotencyResponses: Calls<FullStore['idempotencyResponses']> = {
  async get(r, account_id, key, now) {
    const kept = await r.first('idempotency_responses', { account_id, key })
    if (kept === undefined || kept.expires_at <= now) return undefined
    const { request_hash, status, body, expires_at } = kept
    return { request_hash, status, body, expires_at }
  },
  async put(r, ...[account_id, key, response, most]) {
    const known = await r.first('idempotency_responses', { account_id, key })
    if (known !== undefined) await r.remove('idempotency_responses', known.id)
    const { id } = await r.insert('idempotency_responses', { ...response, account_id, key })
    if (most !== undefined) await keepWithin(r, account_id, { newest: id, most })
  },
}

async function keepWithin(
  r: Records,
  account_id: number,
  { newest, most }: { readonly newest: number; readonly most: IdempotencyLimit },
): Promise<void> {
  const kept = await r.all('idempotency_responses', { account_id })
  let count = kept.length
  let bytes = kept.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0)
  for (const { id, body } of kept.toSorted((a, b) => a.expires_at - b.expires_at)) {
    if (count <= most.count && bytes <= most.bytes) return
    if (id === newest) continue
    await r.remove('idempotency_responses', id)
    count--
    bytes -= Buffer.byteLength(body)
  }
}
