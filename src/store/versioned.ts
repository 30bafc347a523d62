/**
 * The part of the contract for records of an account that consist of their settings and a version.
 *
 * @module
 */

import type { StorageError } from '../errors.ts'
import type { EpochMs, NewAuditRecord } from '../model.ts'
import type { VersionedRecord } from '../model/versioned.ts'
import type { OfAccount } from './queries.ts'

export interface VersionedQuery extends OfAccount {
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
  /** The first `limit`, lowest id first. */
  list(
    query: VersionedQuery,
    onUnreadable?: (error: StorageError) => void,
  ): Promise<readonly VersionedRecord<S>[]>
  /** Replaces the settings and raises the version; `undefined` where it is not there with this version. */
  update(
    id: number,
    version: number,
    change: VersionedChange<S>,
  ): Promise<VersionedRecord<S> | undefined>
  /** `false` where it is not there with this version; without one any version is removed. */
  remove(id: number, version?: number, audit?: NewAuditRecord): Promise<boolean>
}

/** What a store of tables must know of them. */
export interface VersionedTable {
  readonly table: 'maintenance'
  /** In messages, after a number. */
  readonly words: string
}

export const MAINTENANCE: VersionedTable = { table: 'maintenance', words: 'maintenance windows' }
