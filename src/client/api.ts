/**
 * The interface of the client: the same groups and names as the engine, so that code works with
 * either.
 *
 * @module
 */

import type { KeyScope } from '../model.ts'
import type { AnyChecker } from '../checkers/checker.ts'
import type { BulkAction, BulkOptions, BulkView } from '../engine/api/bulk.ts'
import type {
  AuditFilter,
  IncidentFilter,
  MonitorFilter,
  NotificationFilter,
  PageOptions,
  ResultFilter,
  SignalInput,
  TypeView,
  VersionOptions,
} from '../engine/api/engine.ts'
import type { HoursOptions, HoursView } from '../engine/api/hours.ts'
import type {
  MaintenanceFilter,
  MaintenanceInput,
  MaintenancePatch,
  MaintenanceView,
  OccurrenceView,
  UpcomingOptions,
} from '../engine/api/maintenance.ts'
import type {
  PublicPageInput,
  PublicPagePatch,
  PublicPageView,
} from '../engine/api/public-pages.ts'
import type {
  ReportUpdateInput,
  StatusReportFilter,
  StatusReportInput,
  StatusReportPatch,
  StatusReportView,
} from '../engine/api/status-reports.ts'
import type {
  ContactInput,
  ContactPatch,
  MonitorInput,
  MonitorPatch,
} from '../engine/api/inputs.ts'
import type {
  AuditEntryView,
  ContactPreview,
  ContactView,
  IncidentView,
  LocationView,
  MonitorSummary,
  MonitorView,
  NotificationView,
  ResultView,
  StatusView,
  UptimeView,
} from '../engine/api/views.ts'
import type { AccountUseView } from '../engine/api/accounts.ts'
import type { FieldRow } from '../fields/describe.ts'
import type { BuiltinChecker } from '../monitors/define.ts'
import type { Balance } from '../rest/operation.ts'
import type { CallOptions } from './call.ts'
import type { List, Paging } from './lists.ts'

/** A filter of the engine. */
type Filter<F extends PageOptions> = Omit<F, keyof PageOptions>

export interface CreateOptions extends CallOptions {
  /**
   * Default: a new key per call, so that the client's retries take effect once. Your own key
   * extends this to your retries, for 24 hours.
   */
  readonly idempotencyKey?: string | undefined
}

type ChangeOptions = CallOptions & VersionOptions
type ActionOptions = CreateOptions & VersionOptions

export interface Me {
  readonly account: { readonly id: number; readonly name: string | null }
  readonly key: {
    readonly id: number | string
    readonly name: string | null
    readonly scopes: readonly KeyScope[]
    readonly created_at: string | null
    readonly last_used_at: string | null
  }
  readonly limits: AccountUseView['quotas'] & { readonly requests_per_minute: number | null }
  readonly use: AccountUseView['use']
  /** Settings of a new monitor that its input does not give; `null` for a key without `monitors:read`. */
  readonly monitor_defaults: AccountUseView['monitor_defaults'] | null
}

export interface Client<C extends AnyChecker = BuiltinChecker> {
  me(options?: CallOptions): Promise<Me>
  balance(options?: CallOptions): Promise<Balance>
  types(options?: CallOptions): Promise<{
    readonly types: readonly TypeView[]
    readonly common_fields: readonly FieldRow[]
  }>
  readonly monitors: {
    readonly list: List<MonitorSummary, Filter<MonitorFilter>>
    create(input: MonitorInput<C>, options?: CreateOptions): Promise<MonitorView>
    get(id: number, options?: CallOptions): Promise<MonitorView>
    /** With `version`, rejected (`version_mismatch`) if another version is stored. */
    update(id: number, patch: MonitorPatch<C>, options?: ChangeOptions): Promise<MonitorView>
    remove(id: number, options?: ChangeOptions): Promise<void>
    pause(id: number, options?: ActionOptions): Promise<MonitorSummary>
    resume(id: number, options?: ActionOptions): Promise<MonitorSummary>
    /** Resolves with the results; set the client's `timeoutMs` above the `timeout_ms` of the monitor. */
    check(
      id: number,
      options?: ActionOptions,
    ): Promise<{ readonly results: readonly ResultView[]; readonly monitor: MonitorSummary }>
    /** Like `check`, but resolves once the check is queued. */
    queueCheck(id: number, options?: ActionOptions): Promise<void>
    /** As `bulk` of the engine, but `next` of the answer is `cursor` of the next call. */
    bulk(
      input: BulkAction & BulkOptions & Pick<Paging, 'cursor'>,
      options?: CreateOptions,
    ): Promise<Omit<BulkView, 'next'> & { readonly next: string | null }>
    status(id: number, options?: CallOptions): Promise<StatusView>
    /** `days` 1 to 365, default 30. */
    uptime(
      id: number,
      options?: CallOptions & { readonly days?: number | undefined },
    ): Promise<UptimeView>
    /** As `hours` of the engine. */
    hours(id: number, options?: CallOptions & HoursOptions): Promise<HoursView>
  }
  readonly results: {
    readonly list: List<ResultView, Filter<ResultFilter> & { readonly monitor_id: number }>
  }
  readonly incidents: {
    /** With `monitor_id`, those of one monitor: `not_found` if it does not exist. */
    readonly list: List<IncidentView, Filter<IncidentFilter>>
    get(id: number, options?: CallOptions): Promise<IncidentView>
    acknowledge(id: number, options?: CallOptions): Promise<IncidentView>
  }
  readonly notifications: {
    readonly list: List<NotificationView, Filter<NotificationFilter>>
    get(id: number, options?: CallOptions): Promise<NotificationView>
    resend(id: number, options?: CreateOptions): Promise<NotificationView>
  }
  /** Maintenance windows for several monitors. */
  readonly maintenance: {
    readonly list: List<MaintenanceView, Filter<MaintenanceFilter>>
    create(input: MaintenanceInput, options?: CreateOptions): Promise<MaintenanceView>
    get(id: number, options?: CallOptions): Promise<MaintenanceView>
    /** With `version`, rejected (`version_mismatch`) if another version is stored. */
    update(id: number, patch: MaintenancePatch, options?: ChangeOptions): Promise<MaintenanceView>
    remove(id: number, options?: ChangeOptions): Promise<void>
    upcoming(options?: UpcomingOptions & CallOptions): Promise<readonly OccurrenceView[]>
  }
  /** Pages for customers, made at run time. */
  readonly publicPages: {
    readonly list: List<PublicPageView, object>
    create(input: PublicPageInput, options?: CreateOptions): Promise<PublicPageView>
    get(id: number, options?: CallOptions): Promise<PublicPageView>
    /** With `version`, rejected (`version_mismatch`) if another version is stored. */
    update(id: number, patch: PublicPagePatch, options?: ChangeOptions): Promise<PublicPageView>
    remove(id: number, options?: ChangeOptions): Promise<void>
  }
  /** What people write on public pages about disruptions. */
  readonly statusReports: {
    /** Newest first. */
    readonly list: List<StatusReportView, Filter<StatusReportFilter>>
    create(input: StatusReportInput, options?: CreateOptions): Promise<StatusReportView>
    get(id: number, options?: CallOptions): Promise<StatusReportView>
    /** With `version`, rejected (`version_mismatch`) if another version is stored. */
    update(id: number, patch: StatusReportPatch, options?: ChangeOptions): Promise<StatusReportView>
    addUpdate(
      id: number,
      update: ReportUpdateInput,
      options?: ActionOptions,
    ): Promise<StatusReportView>
    remove(id: number, options?: ChangeOptions): Promise<void>
  }
  readonly contacts: {
    list(options?: CallOptions): Promise<readonly ContactView[]>
    /** This and the four below need `manageContacts` of the service. */
    create(input: ContactInput, options?: CreateOptions): Promise<ContactView>
    get(id: number, options?: CallOptions): Promise<ContactView>
    /** With `version`, rejected (`version_mismatch`) if another version is stored. */
    update(id: number, patch: ContactPatch, options?: ChangeOptions): Promise<ContactView>
    remove(id: number, options?: ChangeOptions): Promise<void>
    /** What the contact would be sent of an example of this event; default `down`. Sends nothing. */
    preview(id: number, event?: string, options?: CallOptions): Promise<ContactPreview>
    test(id: number, options?: CreateOptions): Promise<NotificationView>
  }
  readonly auditLog: {
    /** Newest first. */
    readonly list: List<AuditEntryView, Filter<AuditFilter>>
  }
  readonly locations: {
    list(options?: CallOptions): Promise<readonly LocationView[]>
  }
  /**
   * A signal of a job for the heartbeat monitor with this token. Retried only if it was refused.
   */
  signal(token: string, signal?: SignalInput, options?: CallOptions): Promise<SignalAnswer>
}

export interface SignalAnswer {
  readonly state: string
  readonly next_expected_at: string | null
  readonly ignored?: 'rate_limited'
}
