import { systemClock, yielderOf, yieldingQueueOf } from '../../clock.ts'
import type {
  AccountRecord,
  AuditRecord,
  ContactRecord,
  EpochMs,
  IncidentRecord,
  MonitorRecord,
  NewAuditRecord,
  ResultRecord,
} from '../../model.ts'
import type { Sync } from '../promised.ts'
import { requireWithin } from '../quota.ts'
import {
  accountAsked,
  CONTACT_REMOVED,
  endOfWait,
  externalIdTaken,
  waitsQuietly,
} from '../rules.ts'
import type { NewAccount, FullStore } from '../store.ts'
import {
  auditFits,
  incidentFits,
  isSearch,
  keyTaken,
  monitorFilter,
  resultFits,
} from '../filters.ts'
import { removeAccount, requireRoomFor, useOf } from './accounts.ts'
import { copy } from './copy.ts'
import { rowsOfContact } from './lanes.ts'
import {
  addAudit,
  isOf,
  isThere,
  putKey,
  putMonitor,
  putNotification,
  requireAccount,
} from './tables.ts'
import type { Tables } from './tables.ts'

export function accounts(tables: Tables): Sync<FullStore['accounts']> {
  const byExternalId = (external_id: string | null | undefined) =>
    [...tables.accounts.values()].find(
      (account) => account.external_id !== null && account.external_id === external_id,
    )
  function create(account: NewAccount, audit?: NewAuditRecord): AccountRecord {
    const known = byExternalId(account.external_id)
    if (known !== undefined) return copy(known)
    const {
      name,
      external_id = null,
      quotas = {},
      monitor_defaults = {},
      created_at,
    } = copy(account)
    const given = { name, external_id, quotas, monitor_defaults, created_at }
    const made = { id: tables.nextId('account'), ...given }
    tables.accounts.set(made.id, made)
    addAudit(tables, audit, { id: made.id, account_id: made.id })
    return copy(made)
  }
  return {
    create,
    ensureFirst: (account) => copy(tables.accounts.get(1)) ?? create(account),
    get: (id) => copy(tables.accounts.get(id)),
    list: () => copy([...tables.accounts.values()]),
    byExternalId: (external_id) => copy(byExternalId(external_id)),
    update(id, change, audit) {
      const account = tables.accounts.get(id)
      if (account === undefined) return undefined
      if ((byExternalId(change.external_id)?.id ?? id) !== id) throw externalIdTaken()
      const changed = { ...account, ...copy(change) }
      tables.accounts.set(id, changed)
      addAudit(tables, audit, { id, account_id: id })
      return copy(changed)
    },
    use: (id) => useOf(tables, id),
    remove(id, limit, audit) {
      if (tables.accounts.has(id)) addAudit(tables, audit, { id, account_id: 1 })
      return removeAccount(tables, id, limit)
    },
  }
}

export function keys(tables: Tables): Sync<FullStore['keys']> {
  const byHash = (hash: string) => tables.keys.get(tables.keyIds.get(hash) ?? 0)
  return {
    create(key, audit) {
      requireAccount(tables, key)
      if (byHash(key.hash) !== undefined) throw keyTaken()
      const made = { ...copy(key), id: tables.nextId('key') }
      putKey(tables, made)
      addAudit(tables, audit, made)
      return copy(made)
    },
    byHash(hash) {
      const key = byHash(hash)
      return isThere(tables, key) ? copy(key) : undefined
    },
    byId(id) {
      const key = tables.keys.get(id)
      return isThere(tables, key) ? copy(key) : undefined
    },
    list: (account_id) =>
      copy([...tables.keys.values()].filter((key) => key.account_id === account_id)),
    update(id, change, audit) {
      const key = tables.keys.get(id)
      if (key === undefined) return
      tables.keys.set(id, { ...key, ...copy(change) })
      addAudit(tables, audit, key)
    },
  }
}

export function locations(tables: Tables): Sync<FullStore['locations']> {
  return {
    ensure(name) {
      const known = [...tables.locations.values()].find((location) => location.name === name)
      if (known !== undefined) return copy(known)
      const made = { id: tables.nextId('location'), name }
      tables.locations.set(made.id, made)
      return copy(made)
    },
    list: () => copy([...tables.locations.values()]),
  }
}

/** Notifications that the removal of a contact cancels between two looks at the clock. */
const CANCELLED_AT_ONCE = 500

export function contacts(
  tables: Tables,
  now: () => EpochMs,
): Sync<FullStore['contacts'], 'remove'> {
  return {
    create(contact, within, audit) {
      requireAccount(tables, contact)
      if (within?.contacts !== undefined)
        requireWithin({ contacts: useOf(tables, contact.account_id).contacts + 1 }, within)
      const made = { ...copy(contact), id: tables.nextId('contact'), version: 1 }
      tables.contacts.set(made.id, made)
      addAudit(tables, audit, made)
      return copy(made)
    },
    get: (id) => copy(tables.contacts.get(id)),
    list(account_id) {
      const isOwn = (contact: ContactRecord) => contact.account_id === account_id
      return copy(first(tables.contacts.values(), Infinity, isOwn))
    },
    update(id, version, change, audit) {
      const contact = tables.contacts.get(id)
      if (contact?.version !== version) return undefined
      const changed = { ...contact, ...copy(change), version: version + 1 }
      tables.contacts.set(id, changed)
      const due_at = endOfWait(change)
      if (due_at !== undefined)
        for (const row of rowsOfContact(tables.waiting, id))
          if (waitsQuietly(row, due_at)) putNotification(tables, { ...row, due_at })
      addAudit(tables, audit, changed)
      return copy(changed)
    },
    async remove(id, version, audit) {
      const contact = tables.contacts.get(id)
      if (version !== undefined && contact?.version !== version) return false
      if (contact !== undefined) addAudit(tables, audit, contact)
      const removed = tables.contacts.delete(id)
      const yieldIfLong = yielderOf(systemClock)
      const end = { status: 'cancelled', error: CONTACT_REMOVED, finished_at: now() } as const
      let cancelled = 0
      for (const row of rowsOfContact(tables.waiting, id)) {
        if (row.status !== 'queued') continue
        putNotification(tables, { ...row, ...end })
        if (++cancelled % CANCELLED_AT_ONCE === 0) await yieldIfLong()
      }
      return removed
    },
  }
}

/** Monitors that are searched between two looks at the clock. */
const SEARCHED_AT_ONCE = 32

export function monitors(tables: Tables): Sync<FullStore['monitors'], 'list'> {
  const step = yieldingQueueOf(systemClock)
  return {
    create(monitor, within, audit) {
      requireAccount(tables, monitor)
      requireRoomFor(tables, monitor, within)
      const made = { ...copy(monitor), id: tables.nextId('monitor'), version: 1, revision: 1 }
      putMonitor(tables, made)
      addAudit(tables, audit, made)
      return copy(made)
    },
    get(id) {
      const monitor = tables.monitors.get(id)
      return isThere(tables, monitor) ? copy(monitor) : undefined
    },
    byTokenHash(hash) {
      const monitor = tables.monitors.get(tables.tokenIds.get(hash) ?? 0)
      return isThere(tables, monitor) ? copy(monitor) : undefined
    },
    async list(query) {
      const account_id = accountAsked(query)
      const isAsked = monitorFilter(query)
      const isOwn = (monitor: MonitorRecord) =>
        isOf(account_id, monitor) && isThere(tables, monitor)
      const { monitors } = tables
      if (!isSearch(query))
        return copy(first(monitors.values(), query.limit, (row) => isOwn(row) && isAsked(row)))
      const found: MonitorRecord[] = []
      let searched = 0
      for (const monitor of monitors.values()) {
        if (!isOwn(monitor)) continue
        // The steps of many searches at once would all run in one turn.
        if (searched++ % SEARCHED_AT_ONCE === 0) await step()
        if (isAsked(monitor)) found.push(monitor)
        if (found.length >= query.limit) break
      }
      return copy(found)
    },
    locations: (ids) =>
      copy(
        [...new Set(ids)]
          .toSorted((a, b) => a - b)
          .flatMap((id) =>
            [...(tables.locationStates.get(id)?.values() ?? [])].toSorted(byLocation),
          ),
      ),
  }
}

function byLocation(a: { readonly location_id: number }, b: { readonly location_id: number }) {
  return a.location_id - b.location_id
}

/** The first `limit` rows that fit; stops reading there. */
function first<T>(rows: Iterable<T>, limit: number, fits: (row: T) => boolean): T[] {
  const found: T[] = []
  if (limit <= 0) return found
  for (const row of rows) {
    if (!fits(row)) continue
    found.push(row)
    if (found.length >= limit) break
  }
  return found
}

/** Each has up to 64 KiB of details; of many small lists, they take two milliseconds. */
const COPIED_AT_ONCE = 4

export function results(tables: Tables): Sync<FullStore['results'], 'list'> {
  const step = yieldingQueueOf(systemClock)
  return {
    async list(query) {
      const rows = tables.results.get(query.monitor_id)?.rows ?? []
      const inOrder = query.order === 'asc' ? rows : backwards(rows)
      // A row is never changed, and found before others are added or removed.
      const found = first(inOrder, query.limit, (row) => resultFits(row, query))
      const copies: ResultRecord[] = []
      for (const row of found) {
        if (copies.length % COPIED_AT_ONCE === COPIED_AT_ONCE - 1) await step()
        copies.push(copy(row))
      }
      return copies
    },
  }
}

function* backwards<T>(rows: readonly T[]): Generator<T> {
  for (const index of rows.keys()) yield rows[rows.length - 1 - index] as T
}

export function auditLog(tables: Tables): Sync<FullStore['auditLog']> {
  return {
    list(query) {
      const account_id = accountAsked(query)
      const fits = (entry: AuditRecord) => isOf(account_id, entry) && auditFits(entry, query)
      return copy(first([...tables.auditLog.values()].reverse(), query.limit, fits))
    },
  }
}

export function incidents(tables: Tables): Sync<FullStore['incidents']> {
  return {
    get: (id) => copy(tables.incidents.get(id)),
    list(query) {
      const account_id = accountAsked(query)
      const fits = (incident: IncidentRecord) =>
        isOf(account_id, incident) && incidentFits(incident, query)
      return copy(first([...tables.incidents.values()].reverse(), query.limit, fits))
    },
  }
}
