/**
 * The public API of the engine: the services of an account, and those of the engine as a whole. REST does nothing that
 * they cannot do.
 *
 * @module
 */

import type { AnyChecker, DetailsOf } from '../../checkers/checker.ts'
import type { FieldRow } from '../../fields/describe.ts'
import type { FieldTable } from '../../fields/field.ts'
import type { KeyScope, MonitorState } from '../../model.ts'
import type {
  AuditEntryView,
  ContactPreview,
  ContactView,
  IncidentView,
  KeyView,
  LocationView,
  MonitorPreview,
  MonitorSummary,
  MonitorView,
  NotificationView,
  ResultView,
  StatusView,
  TimedOutcome,
  UptimeView,
} from './views.ts'
import type {
  ActorOptions,
  AuditFilter,
  IncidentFilter,
  MonitorFilter,
  NotificationFilter,
  Page,
  ResultFilter,
  VersionOptions,
} from './filters.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import type { BulkInput, BulkPermission, BulkView } from './bulk.ts'
import type { BackupOptions, BackupSize } from '../../store/store.ts'
import type { Accounts } from './accounts.ts'
import type { EngineEvents, EventsOptions, StreamedEvent } from './events.ts'
import type { HoursOptions, HoursView } from './hours.ts'
import type { ContactInput, ContactPatch, MonitorInput, MonitorPatch } from './inputs.ts'
import type { MaintenanceServices } from './maintenance.ts'
import type { PublicPageServices } from './public-pages.ts'
import type { StatusReportServices } from './status-reports.ts'
import type { MonitorReading } from './readings.ts'
import type { TypeView } from './types.ts'
import type { ExportOptions, ImportOptions, ImportSource, ImportView } from './transfer.ts'

export type * from './filters.ts'
export type * from './types.ts'

/**
 * The services of one account. Ids of other accounts reject with `NotFoundError`. An unknown name in a filter or in
 * options, or an invalid value, rejects with a `ValidationError` that names it; `undefined` means absent.
 */
export interface AccountScope<
  C extends AnyChecker = AnyChecker,
  K extends AnyContactKind = AnyContactKind,
> {
  readonly account_id: number

  readonly monitors: {
    /** @throws ValidationError with every problem at once */
    create(input: MonitorInput<C>): Promise<MonitorView<C>>
    /**
     * What `create` would store, without storing it; with `against`, the differences from a monitor of the same type.
     * With `update`, the input is a patch of that monitor, and the changes are those that `update` would make. Secrets
     * are compared and never shown.
     *
     * @throws ValidationError with every problem at once
     */
    preview(
      input: MonitorInput<C>,
      options?: { readonly against?: number | undefined },
    ): Promise<MonitorPreview>
    preview(patch: MonitorPatch<C>, options: { readonly update: number }): Promise<MonitorPreview>
    /**
     * Runs one check of settings, as `create` takes them, and stores nothing; with `update`, of those that a monitor
     * would have after this patch. It runs in this process, with the address guard of all checks; at most two at a time
     * for an account. A stop of the engine ends it.
     *
     * @throws ValidationError with every problem at once; ConflictError `not_testable` for a type that waits for signals,
     * `test_running`
     */
    test(input: MonitorInput<C>): Promise<TimedOutcome>
    test(patch: MonitorPatch<C>, options: { readonly update: number }): Promise<TimedOutcome>
    list(filter?: MonitorFilter): Promise<Page<MonitorSummary>>
    /** The settings are those of the type: `if (view.type === 'http')` narrows. */
    get(id: number): Promise<MonitorView<C>>
    /**
     * Merges: `null` resets a field, `undefined` leaves it, lists are replaced, a masked secret is kept.
     *
     * The compiler accepts the fields of every registered type, since an id does not determine one; `type: 'http'` in
     * the patch restricts them to that type. It must be the monitor's own type.
     *
     * @throws ValidationError also for each secret that is kept while its destination changes
     */
    update(id: number, patch: MonitorPatch<C>, options?: VersionOptions): Promise<MonitorView<C>>
    remove(id: number, options?: VersionOptions): Promise<void>
    pause(id: number, options?: VersionOptions): Promise<MonitorSummary>
    resume(id: number, options?: VersionOptions): Promise<MonitorSummary>
    /** Runs a round now, or joins the running one. @throws ConflictError `paused` */
    check(
      id: number,
      options?: VersionOptions,
    ): Promise<{
      readonly results: readonly ResultView<DetailsOf<C>>[]
      readonly monitor: MonitorSummary
    }>
    /** Like `check`, but resolves once the round is queued. */
    queueCheck(id: number, options?: VersionOptions): Promise<void>
    /**
     * Pauses, resumes, checks, tags or removes the monitors that match, a few at a time; each changes on its own. `check`
     * resolves once the rounds are queued. `permitted` is asked again while the action waits and runs.
     *
     * @throws ValidationError without a filter
     */
    bulk(input: BulkInput, options?: BulkPermission): Promise<BulkView>
    status(id: number): Promise<StatusView>
    /** `days` 1 to 365, default 30. */
    uptime(id: number, options?: { readonly days?: number | undefined }): Promise<UptimeView>
    /**
     * Checks, response times, phases and what the type charts, per hour or per step of several hours, in all and per
     * location; kept for 90 days unless configured otherwise.
     *
     * @throws ValidationError also for more than 100 days
     */
    hours(id: number, options?: HoursOptions): Promise<HoursView>
  }

  readonly results: {
    /** The compiler accepts the `details` of every registered type. */
    list(monitor_id: number, filter?: ResultFilter): Promise<Page<ResultView<DetailsOf<C>>>>
  }

  readonly incidents: {
    get(id: number): Promise<IncidentView>
    list(filter?: IncidentFilter): Promise<Page<IncidentView>>
    /**
     * Acknowledges the incident: repeats and delayed notifications stop. A second call has no effect.
     *
     * @throws ConflictError `closed`
     */
    acknowledge(id: number): Promise<IncidentView>
  }

  readonly contacts: {
    create(input: ContactInput<K>): Promise<ContactView<K>>
    get(id: number): Promise<ContactView<K>>
    list(): Promise<readonly ContactView<K>[]>
    /** Merges, as `monitors.update` does. */
    update(id: number, patch: ContactPatch<K>, options?: VersionOptions): Promise<ContactView<K>>
    remove(id: number, options?: VersionOptions): Promise<void>
    /**
     * What the contact would be sent of an example of this event, without secrets. Sends nothing. Default `down`.
     * @throws ValidationError for an unknown event; ConflictError `no_preview` if the kind has none
     */
    preview(id: number, event?: string): Promise<ContactPreview>
    /** Sends one notification of the event `test`, without retries; resolves when it is final. */
    test(id: number): Promise<NotificationView>
  }

  /** Maintenance windows for several monitors; those of one monitor are in its settings. */
  readonly maintenance: MaintenanceServices

  /** Pages for customers, made at run time. */
  readonly publicPages: PublicPageServices

  /** What people write on public pages about disruptions. */
  readonly statusReports: StatusReportServices

  readonly notifications: {
    get(id: number): Promise<NotificationView>
    list(filter?: NotificationFilter): Promise<Page<NotificationView>>
    /** Sends a final notification again, with a new id. */
    resend(id: number): Promise<NotificationView>
  }

  /** Who changed what: monitors, contacts, planned work, keys and the account itself. */
  readonly auditLog: {
    /** Newest first. */
    list(filter?: AuditFilter): Promise<Page<AuditEntryView>>
  }

  readonly keys: {
    /** Only this response contains the key itself. */
    create(options?: {
      readonly name?: string | undefined
      readonly key?: string | undefined
      /** What it may do: `['read']` is a key that only reads. Default everything. */
      readonly scopes?: readonly KeyScope[] | undefined
    }): Promise<{ readonly key: string; readonly view: KeyView }>
    list(): Promise<readonly KeyView[]>
    revoke(id: number): Promise<void>
  }

  /**
   * The account as lines of JSON, each with its line feed: settings, contacts, monitors, and the history if asked for;
   * no API keys, no notification log. Read page by page. Secrets are left out, or encrypted with `key`.
   *
   * @throws ConfigurationError for a type or kind that the engine does not have, and for secrets that cannot be read
   */
  export(options?: ExportOptions): AsyncIterableIterator<string>
  /**
   * Stores an export in this account, which has no monitors. `source` is called twice: everything is validated before
   * anything is stored. Monitors get new ids; contacts of the same kind and name are kept as they are. Started again
   * with the same export, an interrupted import goes on.
   *
   * @throws ValidationError with the numbers of the lines, ConflictError `account_not_empty`, `import_running`, `quota`
   */
  import(source: ImportSource, options?: ImportOptions): Promise<ImportView>
}

/** A signal received at `/hb/<token>`. */
export interface SignalInput {
  readonly kind: 'success' | 'start' | 'fail' | 'log'
  readonly exit_code?: number | undefined
  readonly run_id?: string | undefined
  readonly message?: string | undefined
  readonly duration_ms?: number | undefined
}

/** A finished backup. */
export interface BackupView extends BackupSize {
  readonly path: string
}

/** `C` are the checkers, `K` the contact kinds; `createEngine` infers both. */
export interface Engine<
  C extends AnyChecker = AnyChecker,
  K extends AnyContactKind = AnyContactKind,
>
  extends Omit<AccountScope<C, K>, 'account_id'>, AsyncDisposable {
  /** Opens the store and starts checks and deliveries. */
  start(): Promise<void>
  /**
   * Opens the store only: all services work, but nothing is checked or sent. Called by `start` and by the first call
   * of a service.
   */
  open(): Promise<void>
  /**
   * Starts no new checks and deliveries; waits up to `drainMs` (default 11000) for running ones, then aborts them. Every
   * call resolves when the engine has stopped.
   */
  stop(options?: { readonly drainMs?: number | undefined }): Promise<void>
  readonly running: boolean
  /**
   * Calls the listener after each event of this name, without waiting for it. If it throws or rejects, `error` is
   * emitted. Returns a function that removes the listener.
   *
   * @throws ConfigurationError for an unknown event
   */
  on<E extends keyof EngineEvents>(
    event: E,
    listener: (payload: EngineEvents[E]) => unknown,
  ): () => void
  /** Like `on`, for the next event only. */
  once<E extends keyof EngineEvents>(
    event: E,
    listener: (payload: EngineEvents[E]) => unknown,
  ): () => void
  /** Removes a listener; one that was added twice, once. */
  off<E extends keyof EngineEvents>(event: E, listener: (payload: EngineEvents[E]) => unknown): void
  /**
   * The events of these names from now on, for `for await`. Buffered, so that a slow reader delays nothing. Ends with
   * `signal`, `break`, and after `stop`, once the buffered events are read.
   *
   * @throws ConfigurationError for an unknown event or option, NotFoundError for what cannot be an account id
   */
  events<E extends keyof EngineEvents>(
    ...names: readonly [E, ...E[]]
  ): AsyncIterableIterator<StreamedEvent<E>>
  events<E extends keyof EngineEvents>(
    ...namesAndOptions: readonly [E, ...E[], EventsOptions | undefined]
  ): AsyncIterableIterator<StreamedEvent<E>>
  /**
   * The services of another account; the engine itself has those of the first one. Every call rejects with a
   * `NotFoundError` if the account does not exist. With `actor`, the audit log says who makes the changes.
   *
   * @throws NotFoundError at once for what cannot be an id: `undefined`, text, a number that is no positive integer
   * @throws ValidationError at once for an `actor` that is empty, too long, or has control characters
   */
  account(account_id: number, options?: ActorOptions): AccountScope<C, K>
  readonly accounts: Accounts
  /**
   * Writes everything that is stored to a new file while checks go on: an SQLite store only. The file is readable by
   * its owner alone and has its name once it is whole; encrypted secrets stay encrypted. One at a time.
   *
   * @throws ConfigurationError if the file exists, its folder does not, or the store is backed up by other means;
   * ConflictError `backup_running`; the reason of `signal`
   */
  backup(path: string, options?: BackupOptions): Promise<BackupView>
  readonly locations: {
    list(): Promise<readonly LocationView[]>
  }
  /** Account and key of an API key, `undefined` if it is unknown or revoked. */
  authenticate(
    key: string,
  ): Promise<{ readonly account_id: number; readonly key: KeyView } | undefined>
  /** Handles a signal for the monitor with this token. @throws NotFoundError */
  signal(
    token: string,
    signal: SignalInput,
  ): Promise<{
    readonly state: MonitorState
    readonly next_expected_at: string | null
    readonly ignored?: 'rate_limited'
  }>
  readonly types: {
    list(): readonly TypeView[]
    common(): readonly FieldRow[]
    /** The field tables, for OpenAPI and documentation. */
    tables(): ReadonlyMap<
      string,
      { readonly title: string; readonly fields: FieldTable; readonly common: FieldTable }
    >
  }
  /** Figures for health and metrics. */
  health(): Promise<{
    readonly running: boolean
    readonly monitors: number
    /** Rounds under way: checks of one monitor in all its locations. */
    readonly checks_running: number
    readonly outbox_depth: number
    /** How late the scheduler was at the last due time, in ms; waiting for a free check slot is not in it. */
    readonly lag_ms: number
    /** Stale monitors of this engine, at most a second old, and those that it holds and cannot check. */
    readonly stale: number
    /** How long the longest-waiting notification has been due; 0 without one. */
    readonly outbox_wait_ms: number
  }>
  /**
   * The monitors of this engine, or of one account of it, from memory; empty before `start`. May be read in parts.
   */
  readings(account_id?: number): IterableIterator<MonitorReading>
}
