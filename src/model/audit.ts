/**
 * The audit log: who changed what.
 *
 * @module
 */

import type { Json } from './json.ts'

export const AUDITED_RESOURCES = [
  'monitor',
  'contact',
  'maintenance',
  'public_page',
  'status_report',
  'key',
  'account',
] as const
export type AuditedResource = (typeof AUDITED_RESOURCES)[number]

export const AUDIT_ACTIONS = [
  'created',
  'updated',
  'paused',
  'resumed',
  'deleted',
  'revoked',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** One changed field. The values are absent where they may be secret, or are too long. */
export interface FieldChange {
  /** Dotted within a group: `auth.pass`. */
  readonly field: string
  readonly from?: Json
  readonly to?: Json
}

/** One change of one resource. */
export interface AuditRecord {
  readonly id: number
  readonly account_id: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly resource: AuditedResource
  readonly resource_id: number
  /** Its name after the change, or the last one; `null` for a removed account. */
  readonly resource_name: string | null
  readonly action: AuditAction
  /** Who did it, as the host, the key or the session says; `null` where nobody said. */
  readonly actor: string | null
  /** Empty where the action says everything. */
  readonly changes: readonly FieldChange[]
}

/** A record as a change carries it; the store adds the ids. */
export type NewAuditRecord = Omit<AuditRecord, 'id' | 'account_id' | 'resource_id'>
