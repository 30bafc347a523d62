/**
 * Parts of SQL text that SQLite and PostgreSQL share; `?` is a parameter.
 *
 * @module
 */

import type { AuditRecord, MonitorRecord } from '../model.ts'
import { fold } from '../model/fold.ts'
import { ratedChecks } from './quota.ts'
import { accountAsked, metadataEntries, searchText } from './rules.ts'
import type { AuditQuery } from './store.ts'
import type { VersionedQuery } from './versioned.ts'

/** Booleans become 0 and 1 where a database has none, `undefined` becomes NULL. */
export type Param = string | number | null | boolean | undefined

export interface Where {
  /** ` WHERE …`, or empty. */
  readonly text: string
  readonly params: readonly Param[]
}

/** A condition and the values of its placeholders; left out if the value is `undefined`. */
export type Condition = readonly [text: string, value: Param | readonly Param[]]

/** Joins all conditions with AND. */
export function where(conditions: readonly Condition[]): Where {
  const present = conditions.filter(([, value]) => value !== undefined)
  if (present.length === 0) return { text: '', params: [] }
  return {
    text: ` WHERE ${present.map(([text]) => text).join(' AND ')}`,
    params: present.flatMap(([, value]) => value as Param),
  }
}

/** `column IN (?, …)`; an empty list matches nothing, and `undefined` is no condition. */
export function anyOf(column: string, values: readonly Param[] | undefined): Condition {
  if (values === undefined) return [column, undefined]
  return values.length === 0 ? ['1 = 0', []] : [`${column} IN (${marks(values.length)})`, values]
}

/** `?, ?, ?` */
export function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}

/** What is written of a contact, and what a change of it may write. */
export const CONTACT_COLUMNS = [
  'account_id',
  'kind',
  'name',
  'all_monitors',
  'quiet',
  'group_window_sec',
  'events',
  'settings',
  'version',
  'created_at',
  'updated_at',
] as const
export const CHANGEABLE_CONTACT_COLUMNS: readonly string[] = CONTACT_COLUMNS.filter(
  (name) => !['account_id', 'kind', 'created_at'].includes(name),
)

/** What is written of an account, and what a change of it may write. */
export const ACCOUNT_COLUMNS = [
  'name',
  'external_id',
  'quotas',
  'monitor_defaults',
  'created_at',
] as const
export const CHANGEABLE_ACCOUNT_COLUMNS: readonly string[] = ACCOUNT_COLUMNS.filter(
  (name) => name !== 'created_at',
)

export const KEY_COLUMNS = [
  'account_id',
  'name',
  'prefix',
  'hash',
  'scopes',
  'created_at',
  'last_used_at',
  'revoked_at',
] as const

export const AUDIT_COLUMNS = [
  'account_id',
  'at',
  'resource',
  'resource_id',
  'resource_name',
  'action',
  'actor',
  'changes',
] as const satisfies readonly (keyof AuditRecord)[]

export function auditConditions(query: AuditQuery, account_id: number | undefined): Condition[] {
  return [
    ['account_id = ?', account_id],
    ['resource = ?', query.resource],
    ['resource_id = ?', query.resource_id],
    ['action = ?', query.action],
    ['actor = ?', query.actor],
    ['at >= ?', query.from],
    ['at < ?', query.to],
    ['id < ?', query.before_id],
  ]
}

const LARGEST_CHUNK = 512

/**
 * Unique ids in rising order, split into lists for `IN`. Each list is padded to a power of two with its last id, so
 * that few distinct statements are prepared.
 */
export function idChunks(ids: readonly number[]): number[][] {
  const rising = [...new Set(ids)].toSorted((a, b) => a - b)
  const chunks: number[][] = []
  for (let from = 0; from < rising.length; from += LARGEST_CHUNK) {
    const chunk = rising.slice(from, from + LARGEST_CHUNK)
    const size = 2 ** Math.ceil(Math.log2(chunk.length))
    const last = chunk.at(-1) ?? 0
    chunks.push([...chunk, ...Array.from({ length: size - chunk.length }, () => last)])
  }
  return chunks
}

/** `INSERT` of the named columns. */
export function insertInto(table: string, columns: readonly string[]): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks(columns.length)})`
}

export interface Assignments {
  /** `a = ?, b = ?`; empty if nothing changes. */
  readonly text: string
  readonly params: readonly Param[]
}

/** The columns for which the change has a value. Column names come from the code, never from the change. */
export function assignments(columns: readonly string[], change: object): Assignments {
  const values = new Map(Object.entries(change) as [string, Param][])
  const named = columns.filter((column) => values.get(column) !== undefined)
  return {
    text: named.map((column) => `${column} = ?`).join(', '),
    params: named.map((column) => values.get(column)),
  }
}

/** The columns of a monitor's settings, and the text that searches match. `list` writes several texts as one value. */
export function settingsColumns(
  settings: Pick<MonitorRecord, 'common' | 'settings' | 'target'>,
  list: (texts: readonly string[]) => string,
): Record<'common' | 'settings' | 'target' | 'search' | 'tags' | 'metadata', string> & {
  readonly checks_per_min: number
} {
  const { common, target } = settings
  return {
    common: JSON.stringify(common),
    settings: JSON.stringify(settings.settings),
    target,
    search: searchText(common.name, target),
    tags: list(common.tags.map(fold)),
    metadata: list(metadataEntries(common.metadata)),
    checks_per_min: ratedChecks(common),
  }
}

/** The rows of an account beyond `after_id`, in either direction. */
export function followingRows(query: VersionedQuery): Condition[] {
  const { order = 'asc', after_id } = query
  return [
    ['account_id = ?', accountAsked(query)],
    order === 'asc' ? ['id > ?', after_id ?? 0] : ['id < ?', after_id ?? Number.MAX_SAFE_INTEGER],
  ]
}
