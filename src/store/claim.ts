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

/*
 * Rules of `claim`, the same in every store:
 * - First, queued rows with a `created_at` after `now` were dated by a clock that has been set back since. They are dated
 *   `now` and keep their delay: `due_at` becomes `now + (due_at - created_at)`, unless it is before their `created_at`.
 * - A row can be claimed when it is queued and due, or when it is `sending` with a lapsed lease.
 * - It waits while an earlier row (lower id) of the same monitor and contact is `sending`, or is queued and
 *   either due or already attempted; rows without a monitor do not wait.
 * - Claiming sets `sending`, the lease, `claims + 1`, and `sent_at` until an attempt was counted or interrupted: from
 *   then on the receiver may know its bytes. A row taken over from a lapsed lease also gets `interruptions + 1` and an attempt row with the error `interrupted`.
 * - Rows come in order of `due_at`, then id; those beyond what their contact or host may have are left out.
 * - Where more could be claimed than `limit`, accounts take turns, the one with the fewest rows under way first.
 */

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
