/**
 * The contract of storage. Memory, SQLite and PostgreSQL pass one shared suite (`watchpost/testing`, `storeSuite`); a
 * custom store is verified the same way.
 *
 * Every method is atomic and durable when its promise resolves. Failures reject with `StorageError` and leave no
 * partial effect. Records are plain values: a store returns copies. Ids are positive integers, never reused. Lists
 * are ordered by id and cut at `limit`.
 *
 * Rows of an account are never stored for an account that does not exist, and never read without naming the account:
 * both reject with `NotFoundError`.
 *
 * @module
 */

import type {
  AccountRecord,
  AccountUse,
  AuditRecord,
  AvailabilityChange,
  DailyStats,
  EpochMs,
  HourlyStats,
  IncidentRecord,
  KeyRecord,
  LocationRecord,
  LocationState,
  MaintenanceSettings,
  MonitorRecord,
  NewAuditRecord,
  ResultRecord,
  StatusReportSettings,
} from '../model.ts'
import type { BackupOptions, BackupSize } from './backup.ts'
import type { Change, Committed } from './change.ts'
import type { Contacts } from './contacts.ts'
import type { Outbox } from './outbox.ts'
import type { Allowance } from './quota.ts'
import type {
  AuditQuery,
  IncidentQuery,
  NewAccount,
  Removal,
  MonitorQuery,
  ResultQuery,
  ClockSet,
  PruneOptions,
  IdempotencyLimit,
  IdempotencyResponse,
} from './queries.ts'
import type { OnUnreadable } from './readable.ts'
import type { PublicPageRows, VersionedRows } from './versioned.ts'
import type { Changes, Requests, Shards, IdempotencyLocks } from './shared.ts'

export type { OnUnreadable } from './readable.ts'
export type { BackupOptions, BackupSize } from './backup.ts'
export type * from './change.ts'
export { withIncident } from './change.ts'
export type { Contacts } from './contacts.ts'
export type * from './queries.ts'
export type * from './versioned.ts'
export { quotaError, ratedChecks } from './quota.ts'
export type { Allowance } from './quota.ts'
export { SHARDS, shardOf } from './shared.ts'
export type { BroadcastTable, Changes, Requests, Shards, IdempotencyLocks } from './shared.ts'

/**
 * The contract of a store. The core is required. Members marked as optional may be left out; each says what the
 * engine does without it.
 */
export interface Store {
  /** Whether several processes may use the store at the same time. */
  readonly shared: boolean
  /** Opens or creates, and migrates. Must be called once before all other methods. */
  open(): Promise<void>
  /** Releases everything. Closing twice does no harm; any other method then rejects with `StorageError`. */
  close(): Promise<void>

  /** Accounts, each with monitors, contacts and keys of its own. */
  readonly accounts: {
    /** The account 1; created from `account` if missing. */
    ensureFirst(account: NewAccount): Promise<AccountRecord>
    /** If an account with this `external_id` exists, returns it unchanged, and stores no audit record. */
    create(account: NewAccount, audit?: NewAuditRecord): Promise<AccountRecord>
    /** `undefined` also from the first step of its removal on; so in every method that follows. */
    get(id: number): Promise<AccountRecord | undefined>
    /** The account with exactly this `external_id`. */
    byExternalId(external_id: string): Promise<AccountRecord | undefined>
    /** All accounts, lowest id first. */
    list(onUnreadable?: OnUnreadable): Promise<readonly AccountRecord[]>
    /**
     * Changes what is named; `undefined` where the account is not there.
     *
     * @throws ConflictError `external_id_taken`
     */
    update(
      id: number,
      change: Partial<Omit<AccountRecord, 'id' | 'created_at'>>,
      audit?: NewAuditRecord,
    ): Promise<AccountRecord | undefined>
    /**
     * Optional: quotas. The usage of the account; checks per minute count monitors without a token that are not
     * paused. A store that has this method must also enforce `within` of created and committed records.
     */
    use?(id: number): Promise<AccountUse>
    /**
     * Optional: removal of accounts. One step of the removal, of about `limit` rows; call it until it returns `done`.
     * It removes everything the account owns: keys, contacts, monitors with their history, incidents, notifications
     * in any state, stored responses, its audit log. The results of its monitors may be removed later, and no query returns them.
     *
     * From the first step on the account does not exist for any method: the account, its keys and its monitors are
     * not found, nothing is stored for it, none of its notifications is claimed, due or counted. `prune` completes a
     * removal that did not finish. `undefined`: there was no account. The first step stores `audit` for the first account.
     */
    remove?(id: number, limit: number, audit?: NewAuditRecord): Promise<Removal | undefined>
  }

  /** Optional: API keys. Without it the app authenticates requests itself. */
  readonly keys?: {
    /** @throws ValidationError `key` for a hash that is stored already, NotFoundError for an account that does not exist */
    create(key: Omit<KeyRecord, 'id'>, audit?: NewAuditRecord): Promise<KeyRecord>
    /** The key with exactly this hash, also a revoked one. */
    byHash(hash: string): Promise<KeyRecord | undefined>
    /** The key with this id, also a revoked one. */
    byId(id: number): Promise<KeyRecord | undefined>
    /** Those of one account, lowest id first. */
    list(account_id: number, onUnreadable?: OnUnreadable): Promise<readonly KeyRecord[]>
    /** Writes what is named; a key that is not there is ignored. */
    update(
      id: number,
      change: Partial<Pick<KeyRecord, 'last_used_at' | 'revoked_at'>>,
      audit?: NewAuditRecord,
    ): Promise<void>
  }

  /** Locations, shared by all accounts. */
  readonly locations: {
    /** The location with this name, created if missing: a name keeps its id for ever. */
    ensure(name: string): Promise<LocationRecord>
    /** All locations, lowest id first. */
    list(): Promise<readonly LocationRecord[]>
  }

  /** Receivers of notifications. */
  readonly contacts: Contacts

  /** Optional: planned work of accounts. Without it a window belongs to a single monitor. */
  readonly maintenance?: VersionedRows<MaintenanceSettings>

  /** Optional: public pages made at run time. Without it pages are options given at start. */
  readonly publicPages?: PublicPageRows

  /** Optional: what people write on public pages about disruptions. */
  readonly statusReports?: VersionedRows<StatusReportSettings>

  /** Monitors with their settings and the state of their machine. Only `commit` changes them. */
  readonly monitors: {
    /**
     * Stores a new monitor with version 1 and revision 1.
     *
     * @throws NotFoundError for an account that does not exist, ConflictError `quota` beyond `within`
     */
    create(
      monitor: Omit<MonitorRecord, 'id' | 'version' | 'revision'>,
      within?: Allowance,
      audit?: NewAuditRecord,
    ): Promise<MonitorRecord>
    /** The monitor, or `undefined`. */
    get(id: number): Promise<MonitorRecord | undefined>
    /** The monitor whose token has exactly this hash. */
    byTokenHash(hash: string): Promise<MonitorRecord | undefined>
    /** The first `limit` that fit, lowest id first. */
    list(query: MonitorQuery, onUnreadable?: OnUnreadable): Promise<readonly MonitorRecord[]>
    /** The state per location, for any number of monitors. */
    locations(
      monitor_ids: readonly number[],
      onUnreadable?: OnUnreadable,
    ): Promise<readonly LocationState[]>
  }

  /**
   * Commits changes in one transaction; each takes effect as a whole or not at all. A change whose monitor does not
   * exist or has another revision is rejected on its own and does not affect the others.
   */
  commit(changes: readonly Change[]): Promise<readonly Committed[]>

  /** The history of checks. */
  readonly results: {
    /** Newest first unless `order` says otherwise. */
    list(query: ResultQuery, onUnreadable?: OnUnreadable): Promise<readonly ResultRecord[]>
  }

  /** Incidents; only `commit` opens and changes them. */
  readonly incidents: {
    /** The incident, or `undefined`. */
    get(id: number): Promise<IncidentRecord | undefined>
    /** Newest first. */
    list(query: IncidentQuery, onUnreadable?: OnUnreadable): Promise<readonly IncidentRecord[]>
  }

  /** Optional: uptime. Without it `availability` of a change is dropped, and every uptime is `null`. */
  readonly availability?: {
    /**
     * The changes within [from, to), preceded by the last one before `from`, oldest first. `limit` bounds the changes
     * within; a store may ignore it and return all of them. A damaged change is one to `unknown`.
     */
    list(
      monitor_id: number,
      from: EpochMs,
      to: EpochMs,
      limit?: number,
      onUnreadable?: OnUnreadable,
    ): Promise<readonly AvailabilityChange[]>
  }

  /** Optional: daily totals. Without it `daily` of a change is dropped, and no day has counts or response times. */
  readonly daily?: {
    /** Days from `from_day` to `to_day` inclusive, oldest first; days without results are left out. */
    list(
      monitor_id: number,
      from_day: string,
      to_day: string,
      onUnreadable?: OnUnreadable,
    ): Promise<readonly DailyStats[]>
  }

  /**
   * Optional: hourly totals. Without it `hourly` of a change is dropped: charts have only the current hour and what
   * results and days say, and a learned baseline never warns.
   */
  readonly hourly?: {
    /**
     * Totals per hour and location of hours that begin within [from, to), by hour, then by location; hours without
     * results are left out. The hour that goes on is part of the monitor's machine and not in the list.
     */
    list(
      monitor_id: number,
      from: EpochMs,
      to: EpochMs,
      onUnreadable?: OnUnreadable,
    ): Promise<readonly HourlyStats[]>
  }

  /**
   * Optional: the audit log. Without it `audit` of every method and change is dropped, and the log is empty. With it
   * each is stored in the same transaction as what it describes, or not at all.
   */
  readonly auditLog?: {
    /** Newest first. */
    list(query: AuditQuery, onUnreadable?: OnUnreadable): Promise<readonly AuditRecord[]>
  }

  /** The outbox and its log. */
  readonly notifications: Outbox

  /**
   * Optional: stored responses of requests that may be repeated (Idempotency-Key). Without it they are kept in memory
   * and lost when the process ends.
   */
  readonly idempotencyResponses?: {
    /** The stored response, unless it has expired. */
    get(account_id: number, key: string, now: EpochMs): Promise<IdempotencyResponse | undefined>
    /** Of the account's other responses, those that expire first are removed until at most `most` are stored. */
    put(
      account_id: number,
      key: string,
      response: IdempotencyResponse,
      most?: IdempotencyLimit,
    ): Promise<void>
  }

  /** Small values of the engine itself (when it was last alive). */
  readonly meta: {
    /** The value of this name, or `undefined`. */
    get(name: string): Promise<string | undefined>
    /** Stores a value in place of the one before. */
    set(name: string, value: string): Promise<void>
  }

  /**
   * Optional: retention. Without it nothing is removed by age, and the option `retention` is rejected.
   *
   * Removes at most `limit` rows of each kind that are older than requested; returns how many. A store that
   * partitions results by day may remove a whole day, whatever its size, when all of it is too old.
   */
  prune?(options: PruneOptions): Promise<number>

  /**
   * Optional: online backup. Without it `engine.backup` rejects. Writes everything committed before the call to a new
   * file that only its owner may read, while the store goes on; the file has its name once it is whole and on disk.
   *
   * @throws ConfigurationError if the file exists, or the store is backed up by other means
   */
  backup?(path: string, options?: BackupOptions): Promise<BackupSize>

  /**
   * Optional, only on stores that one engine owns. Without it, setting the wall clock back delays waiting rows by the
   * same amount.
   *
   * Moves the due times of queued rows and the ends of leases; if a row would then be dated after `after + by_ms`,
   * its `created_at` moves as well.
   */
  clockSet?(set: ClockSet): Promise<void>

  /** Optional: several engines. Without it an engine watches every monitor, and does not start on a shared store. */
  readonly shards?: Shards
  /** Optional: several processes. Without it an engine does not see what another process changes; see `shards`. */
  readonly changes?: Changes
  /** Optional: several processes. Without it each process counts only its own requests. */
  readonly requests?: Requests
  /** Optional: several processes. Without it two processes that receive the same repeated request may both execute it. */
  readonly idempotencyLocks?: IdempotencyLocks
}

export type OptionalGroup =
  | 'keys'
  | 'maintenance'
  | 'publicPages'
  | 'statusReports'
  | 'idempotencyResponses'
  | 'availability'
  | 'daily'
  | 'hourly'
  | 'auditLog'
  | 'prune'

/** A store with all members that a single process uses, as the built-in stores have. */
export type FullStore = Omit<Store, 'accounts' | OptionalGroup> &
  Required<Pick<Store, OptionalGroup>> & { readonly accounts: Required<Store['accounts']> }
