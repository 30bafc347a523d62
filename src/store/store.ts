/**
 * What the engine needs of a store. Memory, SQLite and PostgreSQL pass one shared suite
 * (`watchpost/testing`, `storeSuite`); a store of your own proves itself the same way.
 *
 * Every method is atomic and durable when its promise resolves. Failures reject with `StorageError`
 * and leave nothing half done. Records are plain values: a store hands out copies. Ids are positive
 * integers, never used twice. Lists are ordered by id and cut at `limit`.
 *
 * What belongs to an account is never stored for one that is not there, and never read without saying whose
 * it is: both reject with `NotFoundError`.
 *
 * @module
 */

import type { StorageError } from '../errors.ts'
import type {
  AccountRecord,
  AccountUse,
  AttemptRecord,
  AvailabilityChange,
  ContactRecord,
  DailyStats,
  EpochMs,
  IncidentRecord,
  KeyRecord,
  LocationRecord,
  LocationState,
  MonitorRecord,
  NotificationRecord,
  ResultRecord,
} from '../model.ts'
import type { Change, Committed, NewNotification } from './change.ts'
import type { Allowance } from './quota.ts'
import type { FinishedAttempt, Claim } from './claim.ts'
import type { IncidentQuery, MonitorQuery, NotificationQuery, ResultQuery } from './queries.ts'
import type { Changes, Requests, Shards, Turns } from './shared.ts'

/**
 * Told of each row that a list had to leave out, since it cannot be read (its JSON was damaged): one bad row
 * keeps nobody from the others. Asked for by itself, such a row rejects.
 */
export type OnUnreadable = (error: StorageError) => void

export type * from './change.ts'
export { withIncident } from './change.ts'
export type * from './claim.ts'
export type * from './queries.ts'
export { quotaError } from './quota.ts'
export type { Allowance } from './quota.ts'
export { SHARDS, shardOf } from './shared.ts'
export type { Changes, Requests, Shards, Turns } from './shared.ts'

export type NewAccount = Pick<AccountRecord, 'name' | 'created_at'> &
  Partial<Pick<AccountRecord, 'external_id' | 'quotas'>>

/** What a step of a removal has left. */
export type Removal = 'more' | 'done'

/**
 * The core is required. What is marked as optional may be left out: each says what the engine does without it.
 */
export interface Store {
  /** Several processes may use it at the same time. */
  readonly shared: boolean
  /** Opens or creates, and migrates. Must be called once before all else. */
  open(): Promise<void>
  close(): Promise<void>

  readonly accounts: {
    /** The account 1; made of this one where it is not there. */
    ensureFirst(account: NewAccount): Promise<AccountRecord>
    /** Where there is one with this `external_id` already: that one, as it is. */
    create(account: NewAccount): Promise<AccountRecord>
    get(id: number): Promise<AccountRecord | undefined>
    byExternalId(external_id: string): Promise<AccountRecord | undefined>
    list(): Promise<readonly AccountRecord[]>
    /** @throws ConflictError `external_id_taken` */
    update(
      id: number,
      change: Partial<Pick<AccountRecord, 'name' | 'external_id' | 'quotas'>>,
    ): Promise<AccountRecord | undefined>
    /**
     * Optional: quotas. What the account has; checks a minute are those of monitors without a token that are not
     * paused. A store that offers it also keeps to `within` of what is created and committed.
     */
    use?(id: number): Promise<AccountUse>
    /**
     * Optional: removal of accounts. One step of its removal, of about `limit` rows: to be called until it is `done`. All that is its own goes:
     * keys, contacts, monitors with their history, incidents, notifications whatever their state, kept answers. The
     * results of its monitors may go later, unseen.
     *
     * From the first step on it is gone for everybody: the account, its keys and its monitors are not found, nothing
     * is stored for it, none of its notifications is claimed, due or counted. What `prune` finds of a removal that
     * was begun and did not end, it removes. `undefined`: it was not there.
     */
    remove?(id: number, limit: number): Promise<Removal | undefined>
  }

  /** Optional: API keys. Without it the app authenticates its requests by itself. */
  readonly keys?: {
    create(key: Omit<KeyRecord, 'id'>): Promise<KeyRecord>
    byHash(hash: string): Promise<KeyRecord | undefined>
    list(account_id: number): Promise<readonly KeyRecord[]>
    update(
      id: number,
      change: Partial<Pick<KeyRecord, 'last_used_at' | 'revoked_at'>>,
    ): Promise<void>
  }

  readonly locations: {
    /** The location of this name, made where it is new: an id stays with its name for ever. */
    ensure(name: string): Promise<LocationRecord>
    list(): Promise<readonly LocationRecord[]>
  }

  readonly contacts: {
    /** @throws NotFoundError for an account that is not there, ConflictError `quota` beyond what it may have */
    create(contact: Omit<ContactRecord, 'id'>, within?: Allowance): Promise<ContactRecord>
    get(id: number): Promise<ContactRecord | undefined>
    list(account_id: number, onUnreadable?: OnUnreadable): Promise<readonly ContactRecord[]>
    update(
      id: number,
      change: Partial<Omit<ContactRecord, 'id' | 'account_id' | 'kind' | 'created_at'>>,
    ): Promise<ContactRecord | undefined>
    /** Also cancels its queued notifications. */
    remove(id: number): Promise<boolean>
  }

  readonly monitors: {
    /** @throws NotFoundError for an account that is not there, ConflictError `quota` beyond what it may have */
    create(
      monitor: Omit<MonitorRecord, 'id' | 'version' | 'revision'>,
      within?: Allowance,
    ): Promise<MonitorRecord>
    get(id: number): Promise<MonitorRecord | undefined>
    byTokenHash(hash: string): Promise<MonitorRecord | undefined>
    list(query: MonitorQuery, onUnreadable?: OnUnreadable): Promise<readonly MonitorRecord[]>
    /** What is known per location, for any number of monitors. */
    locations(
      monitor_ids: readonly number[],
      onUnreadable?: OnUnreadable,
    ): Promise<readonly LocationState[]>
  }

  /**
   * Carries out changes, all in one transaction; each takes effect whole or not at all. A change whose
   * monitor is gone or has another revision is refused by itself and does not hinder the others.
   */
  commit(changes: readonly Change[]): Promise<readonly Committed[]>

  readonly results: {
    /** Newest first unless `order` says otherwise. */
    list(query: ResultQuery): Promise<readonly ResultRecord[]>
  }

  readonly incidents: {
    get(id: number): Promise<IncidentRecord | undefined>
    /** Newest first. */
    list(query: IncidentQuery): Promise<readonly IncidentRecord[]>
  }

  /** Optional: uptime. Without it `availability` of a change is dropped, and every uptime is `null`. */
  readonly availability?: {
    /**
     * The changes within [from, to), preceded by the last one before `from`, oldest first. With `limit`, no more than
     * that of those within; a store may also answer with all of them.
     */
    list(
      monitor_id: number,
      from: EpochMs,
      to: EpochMs,
      limit?: number,
    ): Promise<readonly AvailabilityChange[]>
  }

  /** Optional: daily counts. Without it `daily` of a change is dropped, and no day has counts or response times. */
  readonly daily?: {
    /** Days from `from_day` to `to_day` inclusive, oldest first; days without results are left out. */
    list(monitor_id: number, from_day: string, to_day: string): Promise<readonly DailyStats[]>
  }

  readonly notifications: {
    /** Rows outside of a monitor's change (a test delivery, a resend). */
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
    get(id: number): Promise<NotificationRecord | undefined>
    /** Newest first. */
    list(query: NotificationQuery): Promise<readonly NotificationRecord[]>
    /** The newest final one of each of these contacts that was sent or failed, in any order. */
    lastTold(contact_ids: readonly number[]): Promise<readonly NotificationRecord[]>
    attempts(notification_ids: readonly number[]): Promise<readonly AttemptRecord[]>
    /**
     * Takes rows that are due, each for one caller, until the lease ends. In one transaction:
     *
     * 1. A queued row whose `created_at` is after `now` was dated by a clock that has been set back since. It is dated
     *    `now` and keeps its delay: `due_at` becomes `now + (due_at - created_at)`, unless it is before `created_at`.
     * 2. A row can be claimed when it is `queued` and due (`due_at <= now`), or `sending` with a lapsed lease
     *    (`lease_until <= now`).
     * 3. It waits while an earlier row (lower id) of the same monitor and contact is `sending`, or is `queued` and
     *    either due or already attempted (`claims > 0`). Rows without a monitor never wait for another.
     * 4. The candidates are taken in order of `due_at`, then id. Those beyond `per_contact` or `hosts` are left out;
     *    rows under way count as well, apart from those that can be claimed.
     * 5. Where more remain than `limit`, accounts take turns; the account with the fewest rows under way is first.
     * 6. A row whose payload is no JSON object becomes `failed` with the error `unreadable`; another takes its place.
     * 7. A claimed row becomes `sending` with `lease_until` and `claims + 1`. `sent_at` becomes `now` as long as no
     *    attempt was counted or interrupted; from then on it stays, since the receiver may know the body.
     * 8. A row taken over from a lapsed lease also gets `interruptions + 1`, and an attempt with the error `interrupted`
     *    under its former claim.
     */
    claim(claim: Claim): Promise<readonly NotificationRecord[]>
    /** Records the end of an attempt. `false`: the row was claimed again meanwhile (fencing), and nothing was written. */
    finish(end: FinishedAttempt): Promise<boolean>
    /** When the next row falls due or the next lease lapses, `null` when nothing waits. */
    nextDue(): Promise<EpochMs | null>
    /** Rows not yet final. */
    depth(): Promise<number>
  }

  /**
   * Optional: answers kept for requests that may be repeated (Idempotency-Key). Without it they are kept in the
   * process, and forgotten with it.
   */
  readonly replies?: {
    get(account_id: number, key: string, now: EpochMs): Promise<StoredReply | undefined>
    /** Of the others of this account, those that expire first go until no more than `most` are kept. */
    put(account_id: number, key: string, reply: StoredReply, most?: KeptReplies): Promise<void>
  }

  /** Small facts of the engine itself (when it was last alive). */
  readonly meta: {
    get(name: string): Promise<string | undefined>
    set(name: string, value: string): Promise<void>
  }

  /**
   * Optional: retention. Without it nothing is removed by age, and the option `retention` is refused.
   *
   * Removes at most `limit` rows of each kind that are older than asked; returns how many went. A store that
   * keeps results by the day may let a day go as a whole, however many they are, once all of it is too old.
   */
  prune?(options: PruneOptions): Promise<number>

  /**
   * Optional, only on stores that one engine has for itself. Without it what waits while the wall clock is set back
   * waits longer by as much.
   *
   * Moves when queued rows fall due and leases lapse; where that
   * leaves a row dated after `after + by_ms`, its `created_at` as well.
   */
  clockSet?(set: ClockSet): Promise<void>

  /** Optional: several engines. Without it an engine watches every monitor, and does not start on a shared store. */
  readonly shards?: Shards
  /** Optional: several processes. Without it an engine does not see what another process changes; see `shards`. */
  readonly changes?: Changes
  /** Optional: several processes. Without it each process counts the requests that it answers. */
  readonly requests?: Requests
  /** Optional: several processes. Without it two that receive one repeated request may both carry it out. */
  readonly turns?: Turns
}

/** The optional groups that one process has use for. */
export type OptionalGroup = 'keys' | 'replies' | 'availability' | 'daily' | 'prune'

/** A store that offers all that one process has use for, as the built-in stores do. */
export type FullStore = Omit<Store, 'accounts' | OptionalGroup> &
  Required<Pick<Store, OptionalGroup>> & { readonly accounts: Required<Store['accounts']> }

/** The wall clock was set by `by_ms`; times between `after` and `before`, both exclusive, were meant by the old one. */
export interface ClockSet {
  readonly by_ms: number
  readonly after: EpochMs
  readonly before: EpochMs
}

export interface KeptReplies {
  readonly count: number
  /** Of their bodies together, in UTF-8. */
  readonly bytes: number
}

export interface StoredReply {
  /** SHA-256 of method, path and body. */
  readonly request_hash: string
  readonly status: number
  readonly body: string
  readonly expires_at: EpochMs
}

export interface PruneOptions {
  readonly results_before: EpochMs
  /**
   * Final notifications (with attempts); those of an incident that is open, or of which somebody is still to be
   * told, stay, since they say who is to hear of its end.
   */
  readonly notifications_before: EpochMs
  /**
   * Daily statistics and availability changes. The last change of a monitor before this time stays, however
   * old: it says what held when the kept part begins.
   */
  readonly history_before: EpochMs
  readonly replies_before: EpochMs
  readonly limit: number
}
