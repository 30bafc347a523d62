/**
 * The outbox of a store: notifications that wait for their delivery, and the log of those that are final.
 *
 * @module
 */

import type { AttemptRecord, EpochMs, NotificationRecord } from '../model.ts'
import type { NewNotification } from './change.ts'
import type { Claim, FinishedAttempt, NotificationQuery } from './queries.ts'
import type { OnUnreadable } from './readable.ts'

export interface Outbox {
  /** Rows outside a monitor's change (a test delivery, a resend). */
  create(
    notification: Omit<
      NewNotification,
      'incident' | 'only_if_notified' | 'only_if_not_notified'
    > & {
      readonly account_id: number
      readonly monitor_id: number | null
      readonly incident_id: number | null
      readonly created_at: EpochMs
    },
  ): Promise<NotificationRecord>
  /** The notification, or `undefined`. */
  get(id: number): Promise<NotificationRecord | undefined>
  /** Newest first. */
  list(
    query: NotificationQuery,
    onUnreadable?: OnUnreadable,
  ): Promise<readonly NotificationRecord[]>
  /** The newest notification with a finished attempt (`sent` or `failed`) of each of these contacts, in any order. */
  lastFinished(
    contact_ids: readonly number[],
    onUnreadable?: OnUnreadable,
  ): Promise<readonly NotificationRecord[]>
  /** The attempts of these notifications, by notification and then in their order. */
  attempts(
    notification_ids: readonly number[],
    onUnreadable?: OnUnreadable,
  ): Promise<readonly AttemptRecord[]>
  /**
   * Takes rows that are due, each for one caller, until the lease ends. In one transaction:
   *
   * 1. A queued row whose `created_at` is more than 60 s after `now` was dated by a clock that has been set back since.
   *    It is dated `now` and keeps its delay: `due_at` becomes `now + (due_at - created_at)`, unless it is before
   *    `created_at`. A row that is less ahead was queued while the claim was on its way, and stays as it is.
   * 2. A row can be claimed when it is `queued` and due (`due_at <= now`), or `sending` with a lapsed lease
   *    (`lease_until <= now`).
   * 3. It waits while an earlier row (lower id) of the same monitor and contact is `sending`, or is `queued` and
   *    either due or already attempted (`claims > 0`). Rows without a monitor never wait for another.
   * 4. The candidates are taken in order of `due_at`, then id. Those beyond `per_contact` or `hosts` are left out;
   *    rows under way count as well, apart from those that can be claimed.
   *    With `contact_id` all others are left out.
   * 5. Where more remain than `limit`, accounts take turns; the account with the fewest rows under way is first. Those
   *    of an account beyond `per_account` are left out.
   * 6. A row that is damaged, whose payload is no JSON object, becomes `failed` with the error `unreadable`; another
   *    takes its place.
   * 7. A claimed row becomes `sending` with `lease_until` and `claims + 1`. `sent_at` becomes `now` as long as no
   *    attempt was counted or interrupted; from then on it stays, since the receiver may know the body.
   * 8. A row taken over from a lapsed lease also gets `interruptions + 1`, and an attempt with the error `interrupted`
   *    under its former claim.
   */
  claim(claim: Claim): Promise<readonly NotificationRecord[]>
  /**
   * Records the result of an attempt. `false`: the row was claimed again meanwhile (fencing), and nothing was
   * written.
   */
  finish(end: FinishedAttempt): Promise<boolean>
  /** When the next row is due or the next lease expires, `null` if no row is waiting. */
  nextDue(): Promise<EpochMs | null>
  /** The number of rows that are not final. */
  depth(): Promise<number>
}
