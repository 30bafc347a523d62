/**
 * The contacts of a store: who receives notifications.
 *
 * @module
 */

import type { ContactRecord, NewAuditRecord } from '../model.ts'
import type { Allowance } from './quota.ts'
import type { OnUnreadable } from './readable.ts'

export interface Contacts {
  /**
   * Stores a new contact with version 1.
   * @throws NotFoundError for an account that does not exist, ConflictError `quota` beyond `within`
   */
  create(
    contact: Omit<ContactRecord, 'id' | 'version'>,
    within?: Allowance,
    audit?: NewAuditRecord,
  ): Promise<ContactRecord>
  /** The contact, or `undefined`. */
  get(id: number): Promise<ContactRecord | undefined>
  /** Those of one account, lowest id first. */
  list(account_id: number, onUnreadable?: OnUnreadable): Promise<readonly ContactRecord[]>
  /**
   * Changes what is named and raises the version; `undefined` where it is not there with this version, and nothing
   * changes. If `quiet` is named, its queued notifications with the `error` `quiet_hours` that are due later become
   * due at `updated_at`: whoever claims them judges them by the new hours.
   */
  update(
    id: number,
    version: number,
    change: ContactChange,
    audit?: NewAuditRecord,
  ): Promise<ContactRecord | undefined>
  /** Removes it and cancels its queued notifications; `false` where it is not there, or not with this version. */
  remove(id: number, version?: number, audit?: NewAuditRecord): Promise<boolean>
}

/** What is named is written. `quiet` only together with `updated_at`. */
export type ContactChange = Partial<
  Omit<ContactRecord, 'id' | 'account_id' | 'kind' | 'version' | 'created_at'>
>
