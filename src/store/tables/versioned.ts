/** Records of an account that consist of their settings and a version. */

import type { VersionedRecord } from '../../model.ts'
import { requireRoom } from '../quota.ts'
import { accountAsked } from '../rules.ts'
import type { VersionedRows, VersionedTable } from '../store.ts'
import { ofAccount } from './lists.ts'
import type { Calls, Records } from './records.ts'

export function versioned<S>({ table, words }: VersionedTable): Calls<VersionedRows<S>> {
  async function known(r: Records, id: number): Promise<VersionedRecord<S> | undefined> {
    const row = await r.get(table, id)
    return row !== undefined && (await r.isThere(row.account_id))
      ? (row as VersionedRecord<unknown> as VersionedRecord<S>)
      : undefined
  }
  return {
    async create(r, ...[record, most, audit]) {
      await r.requireAccount(record)
      const { account_id } = record
      requireRoom((await r.all(table, { account_id })).length, most, words)
      const made = await r.insert(table, { ...record, version: 1 } as never)
      await r.audit(audit, made)
      return made as VersionedRecord<unknown> as VersionedRecord<S>
    },
    get: known,
    async list(r, query) {
      const { after_id = 0, limit } = query
      const gone = new Set((await r.all('accounts', { removed: true })).map(({ id }) => id))
      const fits = (row: { readonly account_id: number }) => !gone.has(row.account_id)
      const rows = await r.some(table, ofAccount(accountAsked(query)), { limit, after_id, fits })
      return rows as readonly VersionedRecord<unknown>[] as readonly VersionedRecord<S>[]
    },
    async update(r, ...[id, version, { audit, ...change }]) {
      const row = await known(r, id)
      if (row?.version !== version) return undefined
      const next = { ...row, ...change, version: version + 1 }
      await r.put(table, next as never)
      await r.audit(audit, next)
      return next
    },
    async remove(r, ...[id, version, audit]) {
      const row = await known(r, id)
      if (row === undefined || (version !== undefined && row.version !== version)) return false
      await r.remove(table, id)
      await r.audit(audit, row)
      return true
    },
  }
}
