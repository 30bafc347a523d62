/**
 * The part of the contract for records of an account that consist of their settings and a version.
 *
 * @module
 */

import { ConflictError } from '../errors.ts'
import type { EpochMs, NewAuditRecord, PublicPageRecord, PublicPageSettings } from '../model.ts'
import type { VersionedRecord } from '../model/versioned.ts'
import type { OfAccount } from './queries.ts'
import type { BroadcastTable } from './shared.ts'
import type { OnUnreadable } from './readable.ts'

export interface VersionedQuery extends OfAccount {
  /** Default `asc`: lowest id first. */
  readonly order?: 'asc' | 'desc' | undefined
  /** Only rows behind this id, in the direction of `order`. */
  readonly after_id?: number | undefined
  readonly limit: number
}

export interface VersionedChange<S> {
  readonly settings: S
  readonly updated_at: EpochMs
  /** What the audit log tells of it. */
  readonly audit?: NewAuditRecord | undefined
}

/** Rows of accounts that are being removed are not found. */
export interface VersionedRows<S> {
  /**
   * Stores a new one with version 1. `most`: how many the account may have with it.
   *
   * @throws NotFoundError for an account that does not exist, ConflictError `quota` beyond `most`
   */
  create(
    record: Omit<VersionedRecord<S>, 'id' | 'version'>,
    most: number,
    audit?: NewAuditRecord,
  ): Promise<VersionedRecord<S>>
  /** The record, or `undefined`. */
  get(id: number): Promise<VersionedRecord<S> | undefined>
  /** The first `limit`, lowest id first unless `order` says otherwise. */
  list(query: VersionedQuery, onUnreadable?: OnUnreadable): Promise<readonly VersionedRecord<S>[]>
  /** Replaces the settings and raises the version; `undefined` where it is not there with this version. */
  update(
    id: number,
    version: number,
    change: VersionedChange<S>,
  ): Promise<VersionedRecord<S> | undefined>
  /** `false` where it is not there with this version; without one any version is removed. */
  remove(id: number, version?: number, audit?: NewAuditRecord): Promise<boolean>
}

/** The slug is unique in the store: `create` and `update` reject with ConflictError `slug_taken`. */
export interface PublicPageRows extends VersionedRows<PublicPageSettings> {
  /** The page with exactly this slug, whatever its account. */
  bySlug(slug: string): Promise<PublicPageRecord | undefined>
}

/** What a store of tables must know of them. */
export interface VersionedTable {
  readonly table: 'maintenance' | 'public_pages' | 'status_reports'
  /** In messages, after a number. */
  readonly words: string
  /** Changes are broadcast to the other processes. */
  readonly broadcast?: BroadcastTable
  /** A setting that no two rows of the store have in common; a column of its own where there are columns. */
  readonly unique?: 'slug'
}

export const MAINTENANCE: VersionedTable = {
  table: 'maintenance',
  words: 'maintenance windows',
  broadcast: 'maintenance',
}
/** Not broadcast: other processes read a page again when it is drawn. */
export const PUBLIC_PAGES: VersionedTable = {
  table: 'public_pages',
  words: 'public pages',
  unique: 'slug',
}
export const STATUS_REPORTS: VersionedTable = { table: 'status_reports', words: 'status reports' }

export function slugTaken(): ConflictError {
  return new ConflictError('slug_taken', 'Another public page has this slug; choose another one')
}

/** The value of the unique setting, if the table has one. */
export function uniqueOf({ unique }: VersionedTable, settings: unknown): string | undefined {
  return unique === undefined
    ? undefined
    : (settings as Readonly<Record<typeof unique, string>>)[unique]
}
