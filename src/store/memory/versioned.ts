/** Records of an account that consist of their settings and a version. */

import type { VersionedRecord } from '../../model.ts'
import type { Sync } from '../promised.ts'
import { requireRoom } from '../quota.ts'
import { accountAsked } from '../rules.ts'
import type { VersionedRows, VersionedTable } from '../store.ts'
import { addAudit, copy, isOf, isThere, requireAccount } from './tables.ts'
import type { Tables } from './tables.ts'

/** `changed` is called after each change. */
export function versioned<S>(
  tables: Tables,
  { table, words }: VersionedTable,
  changed: () => void,
): Sync<VersionedRows<S>> {
  const rows = tables[table] as Map<number, VersionedRecord<unknown>> as Map<
    number,
    VersionedRecord<S>
  >
  const known = (id: number): VersionedRecord<S> | undefined => {
    const row = rows.get(id)
    return isThere(tables, row) ? row : undefined
  }
  return {
    create(record, most, audit) {
      requireAccount(tables, record)
      const count = [...rows.values()].filter(({ account_id }) => account_id === record.account_id)
      requireRoom(count.length, most, words)
      const made = { ...copy(record), id: tables.nextId(table), version: 1 }
      rows.set(made.id, made)
      addAudit(tables, audit, made)
      changed()
      return copy(made)
    },
    get: (id) => copy(known(id)),
    list(query) {
      const account_id = accountAsked(query)
      const { after_id = 0, limit } = query
      return copy(
        [...rows.values()]
          .filter((row) => row.id > after_id && isOf(account_id, row) && isThere(tables, row))
          .slice(0, limit),
      )
    },
    update(id, version, { audit, ...change }) {
      const row = known(id)
      if (row?.version !== version) return undefined
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
