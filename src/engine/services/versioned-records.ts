/**
 * Records of an account that are stored with a version: found for their account only, changed in the version that was
 * read, each change with its entry in the audit log.
 *
 * @module
 */

import { ConflictError, NotFoundError, ValidationError } from '../../errors.ts'
import { withoutAbsent } from '../../fields/merge.ts'
import type { FieldTable } from '../../fields/field.ts'
import { isJsonObject } from '../../model/json.ts'
import type {
  AuditAction,
  AuditedResource,
  JsonObject,
  NewAuditRecord,
  VersionedRecord,
} from '../../model.ts'
import type { VersionedRows } from '../../store/store.ts'
import { announceAudit } from '../announce/audit.ts'
import type { VersionOptions } from '../api/filters.ts'
import { auditRecord, boundedChanges, fieldChanges } from './audit.ts'
import { versionOptions } from './filters.ts'
import type { ServiceContext } from './service-context.ts'
import { readFilter } from './read-filter.ts'

/** How often an update is tried while others change the version. */
export const TRIES = 10

interface Kind<S> {
  readonly rows: VersionedRows<S>
  readonly resource: AuditedResource
  /** In messages: `The page has version 3`. */
  readonly noun: string
  /** As the audit log compares them. */
  readonly fields: FieldTable
  nameOf(settings: S): string
  /** The settings by the names of `fields`. */
  comparable(settings: S): JsonObject
}

export interface VersionedRecords<S> {
  /** @throws NotFoundError for one of another account */
  own(id: number): Promise<VersionedRecord<S>>
  /** @throws ConflictError `quota` beyond `max` of the account */
  create(settings: S, max: number): Promise<VersionedRecord<S>>
  /** `next` is asked again if another request has changed it meanwhile. @throws ConflictError `version_mismatch` */
  update(
    id: number,
    options: VersionOptions | undefined,
    next: (record: VersionedRecord<S>) => Promise<S>,
  ): Promise<VersionedRecord<S>>
  remove(id: number, options: VersionOptions | undefined): Promise<VersionedRecord<S>>
}

export function versionedRecords<S>(
  context: ServiceContext,
  account_id: number,
  kind: Kind<S>,
): VersionedRecords<S> {
  const { core, ready } = context
  const { rows, resource, noun } = kind

  async function own(id: number): Promise<VersionedRecord<S>> {
    await ready()
    const record = await rows.get(id)
    if (record?.account_id !== account_id) throw new NotFoundError(noun)
    return record
  }

  function entry(action: AuditAction, settings: S): NewAuditRecord {
    return auditRecord(context, { resource, action, name: kind.nameOf(settings) })
  }

  /** What differs; none if nothing does. */
  function changed(before: S, after: S): NewAuditRecord | undefined {
    const compared = {
      before: kind.comparable(before),
      after: kind.comparable(after),
      texts: true,
    }
    const changes = boundedChanges(fieldChanges(kind.fields, compared))
    return changes.length === 0 ? undefined : { ...entry('updated', after), changes }
  }

  return {
    own,
    async create(settings, max) {
      const now = core.clock.now()
      const audit = entry('created', settings)
      const made = { account_id, settings, created_at: now, updated_at: now }
      const created = await rows.create(made, max, audit)
      announceAudit(core, audit, created)
      return created
    },
    async update(id, options, next) {
      const { version } = readFilter(versionOptions, options)
      for (let tries = 1; tries <= TRIES; tries++) {
        const record = await own(id)
        requireVersion(noun, record, version)
        const settings = await next(record)
        const audit = changed(record.settings, settings)
        const change = { settings, updated_at: core.clock.now(), audit }
        const updated = await rows.update(id, record.version, change)
        if (updated === undefined) continue
        if (audit !== undefined) announceAudit(core, audit, updated)
        return updated
      }
      throw busy(noun)
    },
    async remove(id, options) {
      const { version } = readFilter(versionOptions, options)
      const record = await own(id)
      requireVersion(noun, record, version)
      const audit = entry('deleted', record.settings)
      if (await rows.remove(id, version, audit)) announceAudit(core, audit, { id, account_id })
      else requireVersion(noun, await own(id), version)
      return record
    },
  }
}

export function busy(noun: string): ConflictError {
  return new ConflictError('busy', `Others change the ${noun} all the time; ask again`)
}

/** `noun`: what it is, in the message. @throws ConflictError `version_mismatch` */
export function requireVersion(
  noun: string,
  { version }: { readonly version: number },
  wanted: number | undefined,
): void {
  if (wanted === undefined || wanted === version) return
  const message = `The ${noun} has version ${version}, not ${wanted}`
  throw new ConflictError('version_mismatch', message)
}

/** The input without fields of a view, which a client may send back unchanged. @throws ValidationError */
export function settingsFrom(input: unknown, readOnly: readonly string[]): JsonObject {
  if (!isJsonObject(input)) throw new ValidationError({ '': 'invalid: an object is expected' })
  const entries = Object.entries(withoutAbsent(input))
  return Object.fromEntries(entries.filter(([name]) => !readOnly.includes(name)))
}
