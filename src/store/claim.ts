/**
 * How the rows of the outbox are taken up and ended.
 *
 * @module
 */

import type { AttemptRecord, EpochMs } from '../model.ts'
import type { NewNotification } from './change.ts'

export interface Claim {
  readonly now: EpochMs
  readonly lease_until: EpochMs
  readonly limit: number
  /** At most this many rows per contact, those under way included. */
  readonly per_contact: number
  /** At most `limit` rows of contacts with the same host, those under way included; by the id of the contact. Contacts that are not named have no such limit. */
  readonly hosts?: { readonly of: ReadonlyMap<number, string>; readonly limit: number }
}

export interface FinishedAttempt {
  readonly id: number
  /** `claims` of the row as it was claimed: the fencing token. */
  readonly claim: number
  /** `queued` with a new `due_at` for a further attempt. */
  readonly status: 'sent' | 'failed' | 'queued' | 'cancelled'
  readonly due_at?: EpochMs
  readonly attempts: number
  /** Resets or keeps the count of attempts nobody saw the end of. */
  readonly interruptions: number
  readonly error: string | null
  readonly at: EpochMs
  /** Absent where nothing was sent (a cancelled row). */
  readonly attempt?: Omit<AttemptRecord, 'notification_id' | 'claim'>
  /** Made in the same transaction, only while the row's incident is open and nobody has acknowledged it. */
  readonly then?: Pick<NewNotification, 'event' | 'due_at' | 'payload' | 'repeat'>
}
