/**
 * The audit log of one account, and the records that changes carry into it.
 *
 * @module
 */

import type { FieldInfo, FieldTable } from '../../fields/field.ts'
import type {
  AuditAction,
  AuditedResource,
  FieldChange,
  Json,
  JsonObject,
  NewAuditRecord,
} from '../../model.ts'
import { isJsonObject, sameJson } from '../../model/json.ts'
import type { ActorOptions, AccountScope } from '../api/engine.ts'
import { auditView } from '../views/views.ts'
import { auditFilter } from './filters.ts'
import { pageOf, pageQuery } from './paging.ts'
import type { ServiceContext } from './service-context.ts'
import { read, readFilter } from './read-filter.ts'
import { setAside } from '../core/damaged-rows.ts'

const MAX_ACTOR = 200
/** Maximum number of fields in one record; the others are left out. */
const MAX_FIELDS = 100
/** Characters of JSON of one value, and of all values of a record: longer ones are left out. */
const MAX_VALUE = 500
const MAX_VALUES = 4000

export function auditLogOf(
  { core, ready }: ServiceContext,
  account_id: number,
): AccountScope['auditLog'] {
  return {
    async list(given) {
      const { query, limit } = pageQuery(account_id, readFilter(auditFilter, given))
      await ready()
      const records = await core.store.auditLog.list(query, setAside(core, 'audit'))
      return pageOf(records.map(auditView), limit)
    },
  }
}

/** @throws ValidationError for a text that is empty, too long or has control characters */
export function actorOf(options: ActorOptions | undefined): string | null {
  const text = read.text(MAX_ACTOR)
  const { actor = null } = readFilter(
    {
      actor: (value: unknown) =>
        value === '' ? { problem: `out_of_range: 1..${MAX_ACTOR} characters` } : text(value),
    },
    options,
  )
  return actor
}

interface Audited {
  readonly resource: AuditedResource
  readonly action: AuditAction
  readonly name: string | null
  readonly changes?: readonly FieldChange[]
}

export function auditRecord(
  { core, actor }: Pick<ServiceContext, 'core' | 'actor'>,
  { resource, action, name, changes = [] }: Audited,
): NewAuditRecord {
  return { at: core.clock.now(), resource, resource_name: name, action, actor, changes }
}

interface Compared {
  readonly before: JsonObject
  readonly after: JsonObject
  /** Texts are harmless: names and tags, not addresses, headers and bodies. */
  readonly texts?: boolean
}

/** The fields of the table that differ, with their values as far as those cannot be secrets. */
export function fieldChanges(
  fields: FieldTable,
  { before, after, texts = false }: Compared,
  prefix = '',
): FieldChange[] {
  return Object.entries(fields).flatMap(([name, { info }]): FieldChange[] => {
    const [from = null, to = null] = [before[name], after[name]] as (Json | undefined)[]
    if (sameJson(from, to)) return []
    const field = prefix + name
    if (info.fields !== undefined) {
      const group = { before: objectOf(from), after: objectOf(to), texts }
      return fieldChanges(info.fields, group, `${field}.`)
    }
    return [isHarmless(info, texts) ? { field, from, to } : { field }]
  })
}

/** The changes that fit in a record: as many fields, and as much of their values. */
export function boundedChanges(changes: readonly FieldChange[]): FieldChange[] {
  let room = MAX_VALUES
  return changes.slice(0, MAX_FIELDS).map(({ field, ...values }) => {
    const length = JSON.stringify(values).length
    const named = { field: field.slice(0, MAX_VALUE) }
    if (length > MAX_VALUE || length > room) return named
    room -= length
    return { ...named, ...values }
  })
}

const HARMLESS: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'enum'])

function isHarmless({ kind, format, secret, item }: FieldInfo, texts: boolean): boolean {
  if (secret !== undefined) return false
  if (kind === 'array') return item !== undefined && isHarmless(item.info, texts)
  if (format === 'maintenance_window') return true
  return HARMLESS.has(kind) || (texts && kind === 'string')
}

function objectOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : {}
}
