/**
 * Versioned rows of an account: reads them for an export; for an import, matches them with the rows of the export, one
 * for one, and stores the others.
 *
 * @module
 */

import type { AuditedResource, VersionedRecord } from '../../model.ts'
import type { VersionedRows } from '../../store/store.ts'
import { announceAudit } from '../announce/audit.ts'
import { auditRecord } from '../services/audit.ts'
import type { ServiceContext } from '../services/service-context.ts'

export interface FreeRows<T> {
  /** Whether the account has such a row; it is then matched with no other one. */
  take(row: T): boolean
  /** Rows of the account. */
  readonly size: number
}

/** `isFree`: whether a row may be matched with one of the export. */
export async function freeRows<T>(
  rows: AsyncIterable<T>,
  keyOf: (row: T) => string,
  isFree: (row: T) => boolean = () => true,
): Promise<FreeRows<T>> {
  const free = new Map<string, number>()
  let size = 0
  for await (const row of rows) {
    size++
    if (isFree(row)) free.set(keyOf(row), (free.get(keyOf(row)) ?? 0) + 1)
  }
  return {
    size,
    take(row) {
      const left = free.get(keyOf(row)) ?? 0
      if (left > 0) free.set(keyOf(row), left - 1)
      return left > 0
    },
  }
}

export interface RowCount<T> {
  /** Whether an import stores it. */
  add(row: T): Promise<boolean>
  /** Rows that an import adds. */
  readonly added: number
  /** How many the account then has; 0 if none is added. */
  readonly use: number
}

export function countNew<T>(read: () => Promise<FreeRows<T>>): RowCount<T> {
  let here: FreeRows<T> | undefined
  let added = 0
  return {
    async add(row) {
      here ??= await read()
      const isNew = !here.take(row)
      if (isNew) added++
      return isNew
    },
    get added() {
      return added
    },
    get use() {
      return added === 0 ? 0 : added + (here?.size ?? 0)
    },
  }
}

const ROWS_PER_QUERY = 50

interface OfAccount {
  readonly account_id: number
  readonly after_id: number
  readonly limit: number
}

/** All rows of an account, lowest id first, some at a time. */
export async function* rowsOf<R extends { readonly id: number }>(
  table: { list(query: OfAccount): Promise<readonly R[]> },
  account_id: number,
): AsyncGenerator<R> {
  for (let after_id = 0; ;) {
    const page = await table.list({ account_id, after_id, limit: ROWS_PER_QUERY })
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < ROWS_PER_QUERY) return
    after_id = last.id
  }
}

interface NewRow<S> {
  readonly resource: AuditedResource
  /** As the audit log names it. */
  readonly name: string
  readonly settings: S
  readonly created_at: number
  /** How many rows the account may have, this one included. */
  readonly max: number
}

/** @throws ConflictError `quota` beyond `max` */
export async function storeRow<S>(
  { context, account_id }: { readonly context: ServiceContext; readonly account_id: number },
  rows: VersionedRows<S>,
  { resource, name, settings, created_at, max }: NewRow<S>,
): Promise<VersionedRecord<S>> {
  const { core } = context
  const now = core.clock.now()
  const made = { account_id, settings, created_at: Math.min(created_at, now), updated_at: now }
  const audit = auditRecord(context, { resource, action: 'created', name })
  const created = await rows.create(made, max, audit)
  announceAudit(core, audit, created)
  return created
}
