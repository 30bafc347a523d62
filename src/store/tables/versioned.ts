/** Records of an account that consist of their settings and a version. */

import type { PublicPageRecord, VersionedRecord } from '../../model.ts'
import { requireRoom } from '../quota.ts'
import { accountAsked } from '../rules.ts'
import type { PublicPageRows, VersionedRows, VersionedTable } from '../store.ts'
import { PUBLIC_PAGES, slugTaken, uniqueOf } from '../versioned.ts'
import { ofAccount } from './lists.ts'
import type { Calls, Records } from './records.ts'

/** Without the column of the unique setting. */
function record<S>(row: VersionedRecord<unknown>): VersionedRecord<S> {
  const { id, account_id, version, settings, created_at, updated_at } = row
  return { id, account_id, version, settings: settings as S, created_at, updated_at }
}

export function versioned<S>(kind: VersionedTable): Calls<VersionedRows<S>> {
  const { table, words } = kind
  async function known(r: Records, id: number): Promise<VersionedRecord<S> | undefined> {
    const row = await r.get(table, id)
    return row !== undefined && (await r.isThere(row.account_id)) ? record(row) : undefined
  }
  /** The columns of the unique setting, which no other row has. */
  async function uniqueColumns(r: Records, settings: S, own?: number): Promise<object> {
    const slug = uniqueOf(kind, settings)
    if (slug === undefined) return {}
    const other = await r.first('public_pages', { slug })
    if ((other?.id ?? own) !== own) throw slugTaken()
    return { slug }
  }
  return {
    async create(r, ...[given, most, audit]) {
      await r.requireAccount(given)
      const { account_id } = given
      requireRoom((await r.all(table, { account_id })).length, most, words)
      const columns = await uniqueColumns(r, given.settings)
      const made = await r.insert(table, { ...given, ...columns, version: 1 } as never)
      await r.audit(audit, made)
      return record(made)
    },
    get: known,
    async list(r, query) {
      const { order = 'asc', after_id, limit } = query
      const gone = new Set((await r.all('accounts', { removed: true })).map(({ id }) => id))
      const fits = (row: { readonly account_id: number }) => !gone.has(row.account_id)
      const among = { limit, order, after_id, fits }
      const rows = await r.some(table, ofAccount(accountAsked(query)), among)
      return (rows as readonly VersionedRecord<unknown>[]).map(record<S>)
    },
    async update(r, ...[id, version, { audit, ...change }]) {
      const row = await known(r, id)
      if (row?.version !== version) return undefined
      const next = { ...row, ...change, version: version + 1 }
      const columns = await uniqueColumns(r, change.settings, id)
      await r.put(table, { ...next, ...columns } as never)
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

export const publicPages: Calls<PublicPageRows> = {
  ...versioned(PUBLIC_PAGES),
  async bySlug(r, slug): Promise<PublicPageRecord | undefined> {
    const row = await r.first('public_pages', { slug })
    return row !== undefined && (await r.isThere(row.account_id)) ? record(row) : undefined
  },
}
