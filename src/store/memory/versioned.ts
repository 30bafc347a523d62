/** Records of an account that consist of their settings and a version. */

import type { PublicPageRecord, VersionedRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { requireRoom } from '../quota.ts'
import { accountAsked } from '../rules.ts'
import type { PublicPageRows, VersionedRows, VersionedTable } from '../store.ts'
import { PUBLIC_PAGES, slugTaken, uniqueOf } from '../versioned.ts'
import { copy } from './copy.ts'
import { addAudit, isOf, isThere, requireAccount } from './tables.ts'
import type { Tables } from './tables.ts'

const MEMBERS = {
  maintenance: 'maintenance',
  public_pages: 'publicPages',
  status_reports: 'statusReports',
} as const satisfies Readonly<Record<VersionedTable['table'], keyof Tables>>

/** `changed` is called after each change. */
export function versioned<S>(
  tables: Tables,
  kind: VersionedTable,
  changed: () => void = () => undefined,
): Sync<VersionedRows<S>> {
  const { table, words } = kind
  const member = MEMBERS[table]
  const rows = tables[member] as Map<number, VersionedRecord<unknown>> as Map<
    number,
    VersionedRecord<S>
  >
  const known = (id: number): VersionedRecord<S> | undefined => {
    const row = rows.get(id)
    return isThere(tables, row) ? row : undefined
  }
  const requireFree = (settings: S, own?: number): void => {
    const value = uniqueOf(kind, settings)
    if (value === undefined) return
    for (const row of rows.values())
      if (row.id !== own && uniqueOf(kind, row.settings) === value) throw slugTaken()
  }
  return {
    create(record, most, audit) {
      requireAccount(tables, record)
      const count = [...rows.values()].filter(({ account_id }) => account_id === record.account_id)
      requireRoom(count.length, most, words)
      requireFree(record.settings)
      const made = { ...copy(record), id: tables.nextId(member), version: 1 }
      rows.set(made.id, made)
      addAudit(tables, audit, made)
      changed()
      return copy(made)
    },
    get: (id) => copy(known(id)),
    list(query) {
      const account_id = accountAsked(query)
      const { order = 'asc', after_id, limit } = query
      const isBehind = (id: number): boolean =>
        after_id === undefined || (order === 'asc' ? id > after_id : id < after_id)
      const found = [...rows.values()].filter(
        (row) => isBehind(row.id) && isOf(account_id, row) && isThere(tables, row),
      )
      return copy((order === 'asc' ? found : found.toReversed()).slice(0, limit))
    },
    update(id, version, { audit, ...change }) {
      const row = known(id)
      if (row?.version !== version) return undefined
      requireFree(change.settings, id)
      const next = { ...row, ...copy(change), version: version + 1 }
      rows.set(id, next)
      addAudit(tables, audit, next)
      changed()
      return copy(next)
    },
    remove(id, version, audit) {
      const row = known(id)
      if (row === undefined || (version !== undefined && row.version !== version)) return false
      rows.delete(id)
      addAudit(tables, audit, row)
      changed()
      return true
    },
  }
}

export function publicPages(tables: Tables): Sync<PublicPageRows> {
  return {
    ...versioned(tables, PUBLIC_PAGES),
    bySlug(slug) {
      for (const row of tables.publicPages.values())
        if (row.settings.slug === slug) return isThere(tables, row) ? copy(row) : undefined
      return undefined as PublicPageRecord | undefined
    },
  }
}
