/**
 * How the rows of the outbox are claimed and finished.
 *
 * @module
 */

import type { AttemptRecord, EpochMs } from '../model.ts'
import type { NewNotification } from './change.ts'

export interface Claim {
  readonly now: EpochMs
  readonly lease_until: EpochMs
  readonly limit: number
  /** Maximum number of rows per contact, including those with status `sending`. */
  readonly per_contact: number
  /**
   * Maximum number of rows for contacts with the same host, including those with status `sending`; keyed by contact
   * id. Contacts that are not in the map have no such limit.
   */
  readonly hosts?: { readonly of: ReadonlyMap<number, string>; readonly limit: number }
}

export interface FinishedAttempt {
  readonly id: number
  /** `claims` of the row as it was claimed: the fencing token. */
  readonly claim: number
  /** `queued` with a new `due_at` requests a further attempt. */
  readonly status: 'sent' | 'failed' | 'queued' | 'cancelled'
  readonly due_at?: EpochMs
  readonly attempts: number
  /** Resets or keeps the number of attempts without a recorded result. */
  readonly interruptions: number
  readonly error: string | null
  readonly at: EpochMs
  /** Absent if nothing was sent (a cancelled row). */
  readonly attempt?: Omit<AttemptRecord, 'notification_id' | 'claim'>
  /** Created in the same transaction, if the row's incident is open and not acknowledged. */
  readonly then?: Pick<NewNotification, 'event' | 'due_at' | 'payload' | 'repeat'>
}
