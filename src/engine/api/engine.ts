/**
 * The engine as its users see it. What REST can do is here, and REST does nothing else.
 *
 * @module
 */

import type { AnyChecker, DetailsOf } from '../../checkers/checker.ts'
import type { FieldRow } from '../../fields/describe.ts'
import type { FieldTable } from '../../fields/field.ts'
import type {
  EpochMs,
  MeasurementFormat,
  MonitorState,
  MonitorStatus,
  Verdict,
} from '../../model.ts'
import type {
  ContactView,
  IncidentView,
  KeyView,
  LocationView,
  MonitorPreview,
  MonitorSummary,
  MonitorView,
  NotificationView,
  Page,
  ResultView,
  StatusView,
  UptimeView,
} from './views.ts'
import type { AnyContactKind } from '../../webhook/contact-kind.ts'
import type { Accounts } from './accounts.ts'
import type { EngineEvents } from './events.ts'
import type { ContactInput, ContactPatch, MonitorInput, MonitorPatch } from './inputs.ts'
import type { MonitorReading } from './readings.ts'

/** A moment: a `Date`, epoch milliseconds, or ISO 8601 text, UTC where it names no offset; from 1970 to 9999. */
export type TimeInput = Date | EpochMs | string

export interface PageOptions {
  /**
   * Default 50, 1 to 200 (results: default 100, at most 1000, and fewer where their `details` have more than
   * 1 MiB of JSON in all).
   */
  readonly limit?: number | undefined
  /** `next` of the page before. */
  readonly after?: number | undefined
}

export interface MonitorFilter extends PageOptions {
  /** Any of these states, or of the four statuses they fold into. */
  readonly status?: readonly (MonitorState | MonitorStatus)[] | undefined
  readonly type?: readonly string[] | undefined
  /** Each inner list is "any of these"; all must hold. */
  readonly tag?: readonly (readonly string[])[] | undefined
  /** Part of the name or the target, without regard to case. */
  readonly q?: string | undefined
}

export interface ResultFilter extends PageOptions {
  readonly location_id?: number | undefined
  readonly verdict?: Verdict | undefined
  /** Not before. */
  readonly from?: TimeInput | undefined
  /** Before. */
  readonly to?: TimeInput | undefined
  readonly order?: 'asc' | 'desc' | undefined
}

export interface IncidentFilter extends PageOptions {
  readonly monitor_id?: number | undefined
  readonly open?: boolean | undefined
  readonly cause_code?: string | undefined
  /** Started not before. */
  readonly from?: TimeInput | undefined
  /** Started before. */
  readonly to?: TimeInput | undefined
}

export interface NotificationFilter extends PageOptions {
  readonly monitor_id?: number | undefined
  readonly incident_id?: number | undefined
  readonly contact_id?: number | undefined
}

export interface VersionOptions {
  /** Refused with a `ConflictError` (`version_mismatch`) where another version is stored. */
  readonly version?: number | undefined
}

/**
 * All of one account. Foreign ids are `NotFoundError`s. An unknown name in a filter or in options, and a value that
 * means nothing, is a `ValidationError` that names it; what is `undefined` is absent.
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
     * What `create` would store, without storing it; with `against`, how that differs from a monitor of the
     * same type. Secrets are compared and never shown. @throws ValidationError with every problem at once
     */
    preview(
      input: MonitorInput<C>,
      options?: { readonly against?: number | undefined },
    ): Promise<MonitorPreview>
    list(filter?: MonitorFilter): Promise<Page<MonitorSummary>>
    /** Its settings are those of its type: `if (view.type === 'http')` narrows. */
    get(id: number): Promise<MonitorView<C>>
    /**
     * Merges: `null` resets a field, `undefined` leaves it, lists are replaced, a masked secret is kept.
     *
     * The compiler takes the fields of every registered type, since an id does not say which; `type: 'http'` in the
     * patch makes it those of that type alone. It has to be the monitor's own.
     *
     * @throws ValidationError also for each secret that is kept while its destination changes
     */
    update(id: number, patch: MonitorPatch<C>, options?: VersionOptions): Promise<MonitorView<C>>
    remove(id: number, options?: VersionOptions): Promise<void>
    pause(id: number, options?: VersionOptions): Promise<MonitorSummary>
    resume(id: number, options?: VersionOptions): Promise<MonitorSummary>
    /** A round now; joins one under way. @throws ConflictError `paused` */
    check(
      id: number,
      options?: VersionOptions,
    ): Promise<{
      readonly results: readonly ResultView<DetailsOf<C>>[]
      readonly monitor: MonitorSummary
    }>
    /** Like `check`, but resolves once the round is queued. */
    queueCheck(id: number, options?: VersionOptions): Promise<void>
    status(id: number): Promise<StatusView>
    /** `days` 1 to 365, default 30. */
    uptime(id: number, options?: { readonly days?: number | undefined }): Promise<UptimeView>
  }

  readonly results: {
    /** Of `details`, the compiler knows the names of every registered type. */
    list(monitor_id: number, filter?: ResultFilter): Promise<Page<ResultView<DetailsOf<C>>>>
  }

  readonly incidents: {
    get(id: number): Promise<IncidentView>
    list(filter?: IncidentFilter): Promise<Page<IncidentView>>
    /** Somebody is on it: it is not repeated, and not told to whoever was to hear later. Once; again changes nothing. @throws ConflictError `closed` */
    acknowledge(id: number): Promise<IncidentView>
  }

  readonly contacts: {
    create(input: ContactInput<K>): Promise<ContactView<K>>
    get(id: number): Promise<ContactView<K>>
    list(): Promise<readonly ContactView<K>[]>
    /** Merges, as `monitors.update` does. */
    update(id: number, patch: ContactPatch<K>): Promise<ContactView<K>>
    remove(id: number): Promise<void>
    /** One delivery of the event `test`, without retries; resolves when it has ended. */
    test(id: number): Promise<NotificationView>
  }

  readonly notifications: {
    get(id: number): Promise<NotificationView>
    list(filter?: NotificationFilter): Promise<Page<NotificationView>>
    /** Sends a final notification once more, under a new id. */
    resend(id: number): Promise<NotificationView>
  }

  readonly keys: {
    /** The key itself is in the answer and nowhere else. */
    create(options?: {
      readonly name?: string | undefined
      readonly key?: string | undefined
    }): Promise<{ readonly key: string; readonly view: KeyView }>
    list(): Promise<readonly KeyView[]>
    revoke(id: number): Promise<void>
  }
}

/** What a page shows of `details` at a glance. */
export interface HighlightView {
  /** Of `measurements`, with dots into nested ones. */
  readonly name: string
  readonly title: string
  readonly format?: MeasurementFormat
}

/** One row of GET /types. */
export interface TypeView {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly fields: readonly FieldRow[]
  /** The common fields of which this type has a default or bounds of its own, or which do nothing in it. */
  readonly common_fields: readonly FieldRow[]
  readonly causes: readonly {
    readonly code: string
    readonly text: string
    readonly verdict: 'fail' | 'unknown'
    readonly phase: string | null
  }[]
  readonly measurements: readonly { readonly name: string; readonly description: string }[]
  readonly highlights: readonly HighlightView[]
  /** Which of its `measurements` is the response time; `duration_ms`: how long the check took; `null`: none. */
  readonly response: string | null
  readonly events: readonly string[]
  readonly defaults: { readonly interval_sec: number; readonly timeout_ms: number }
  /** `false` where its driver is not installed; `install` says how to change that. */
  readonly available: boolean
  readonly install?: string
}

/** A signal as it comes in at `/hb/<token>`. */
export interface SignalInput {
  readonly kind: 'success' | 'start' | 'fail' | 'log'
  readonly exit_code?: number | undefined
  readonly run_id?: string | undefined
  readonly message?: string | undefined
  readonly duration_ms?: number | undefined
}

/** `C` are its checkers, `K` its kinds of contacts: both are inferred by `createEngine`. */
export interface Engine<
  C extends AnyChecker = AnyChecker,
  K extends AnyContactKind = AnyContactKind,
>
  extends Omit<AccountScope<C, K>, 'account_id'>, AsyncDisposable {
  /** Opens the store and begins to check. */
  start(): Promise<void>
  /** Opens the store only: every group works, nothing is checked or sent. Called by `start` and by the first group call. */
  open(): Promise<void>
  /** No new checks and claims; what runs ends within `drain_ms` (default 11000), then it is aborted. */
  stop(options?: { readonly drain_ms?: number | undefined }): Promise<void>
  readonly running: boolean
  /**
   * Calls the listener after each event of this name; it is not waited for. One that throws, or whose promise
   * rejects, is told as `error`. Returns what ends it. @throws ConfigurationError for an unknown event
   */
  on<E extends keyof EngineEvents>(
    event: E,
    listener: (payload: EngineEvents[E]) => unknown,
  ): () => void
  /**
   * The same groups for another account; the engine itself is the scope of the first one. Every call of a group
   * rejects with a `NotFoundError` where there is no such account.
   *
   * @throws NotFoundError at once for what cannot be an id: `undefined`, text, a number that is no positive integer
   */
  account(account_id: number): AccountScope<C, K>
  readonly accounts: Accounts
  readonly locations: {
    list(): Promise<readonly LocationView[]>
  }
  /** Account and key of an API key, `undefined` for one that is unknown or revoked. */
  authenticate(
    key: string,
  ): Promise<{ readonly account_id: number; readonly key: KeyView } | undefined>
  /** A signal for the monitor with this token. @throws NotFoundError */
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
    /** The tables behind it, for OpenAPI and docs. */
    tables(): ReadonlyMap<
      string,
      { readonly title: string; readonly fields: FieldTable; readonly common: FieldTable }
    >
  }
  /** Figures for health and metrics. */
  health(): Promise<{
    readonly running: boolean
    readonly monitors: number
    readonly checks_running: number
    readonly outbox_depth: number
    readonly lag_ms: number
    /** Monitors of this engine that are `stale`, a second ago at most. */
    readonly stale: number
    /** For how long the longest-waiting notification has been due; 0 where none is. */
    readonly outbox_wait_ms: number
  }>
  /** The monitors that this engine watches, from memory: none before `start`. May be read a part at a time. */
  readings(): IterableIterator<MonitorReading>
}
