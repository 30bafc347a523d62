/**
 * watchpost: uptime monitoring that you import. Every public name of the main entry, one by one.
 *
 * @module watchpost
 */

export type { CauseInfo } from './checkers/causes.ts'
export type { FigureChart, Highlight } from './checkers/charts.ts'
export { defineChecker, down, unknown, up } from './checkers/checker.ts'
export type {
  AnyChecker,
  CauseTable,
  CheckContext,
  Checker,
  CheckerInput,
  CommonRules,
  DetailsOf,
  Findings,
  Judgement,
} from './checkers/checker.ts'
export type { PushRules, Signal } from './checkers/push.ts'
export { systemClock } from './clock.ts'
export type { Clock, Timer } from './clock.ts'
export type {
  BulkAction,
  BulkFailure,
  BulkFilter,
  BulkInput,
  BulkOptions,
  BulkPermission,
  BulkView,
} from './engine/api/bulk.ts'
export type {
  AvailabilitySpan,
  HoursOptions,
  HoursView,
  LocationTotals,
  StepTotals,
  TotalsView,
} from './engine/api/hours.ts'
export type {
  AccountScope,
  BackupView,
  Engine,
  ChartView,
  HighlightView,
  IncidentFilter,
  MonitorFilter,
  NotificationFilter,
  ActorOptions,
  AuditFilter,
  PageOptions,
  ResultFilter,
  SignalInput,
  TimeInput,
  TypeView,
  VersionOptions,
} from './engine/api/engine.ts'
export type {
  CommonInput,
  ContactInput,
  ContactPatch,
  MonitorInput,
  MonitorPatch,
} from './engine/api/inputs.ts'
export type { AccountInput, Accounts, AccountUseView, AccountView } from './engine/api/accounts.ts'
export type {
  MaintenanceFilter,
  MaintenanceInput,
  MaintenancePatch,
  MaintenanceServices,
  MaintenanceView,
  OccurrenceView,
  UpcomingOptions,
} from './engine/api/maintenance.ts'
export type {
  PageColorsInput,
  PageGroupInput,
  PublicPageInput,
  PublicPagePatch,
  PublicPageServices,
  PublicPageView,
} from './engine/api/public-pages.ts'
export type {
  ReportUpdateInput,
  ReportUpdateView,
  StatusReportFilter,
  StatusReportInput,
  StatusReportPatch,
  StatusReportServices,
  StatusReportView,
} from './engine/api/status-reports.ts'
export type {
  ExportOptions,
  ImportOptions,
  ImportSource,
  ImportView,
  MissingSecrets,
} from './engine/api/transfer.ts'
export { createEngine } from './engine/engine.ts'
export type { EngineOptions } from './engine/options.ts'
export type {
  AttemptView,
  AuditEntryView,
  ContactPreview,
  ContactView,
  DegradedView,
  IncidentView,
  KeyView,
  LocationStatus,
  LocationView,
  MonitorPreview,
  MonitorSummary,
  MonitorView,
  NotificationView,
  RestoredView,
  ResultView,
  SettingChange,
  SettingWarning,
  StatusView,
  TimedOutcome,
  UptimeDay,
  UptimeView,
} from './engine/api/views.ts'
export type {
  EngineEvents,
  EventsOptions,
  PublishedChange,
  StreamedEvent,
} from './engine/api/events.ts'
export type { LocationReading, MonitorReading } from './engine/api/readings.ts'
export { runCheck } from './engine/checks/run-check.ts'
export type { RunCheckOptions } from './engine/checks/run-check.ts'
export type { Tracing } from './engine/core/core.ts'
export type { Page } from './engine/api/filters.ts'
export {
  ClosedError,
  ConfigurationError,
  ConflictError,
  isWatchpostError,
  ListenerError,
  MissingDependencyError,
  NotFoundError,
  StorageError,
  ValidationError,
  WatchpostError,
} from './errors.ts'
export { field } from './fields/vocabulary.ts'
export type { Field, FieldTable, Input, Settings, Stored } from './fields/field.ts'
export { silentLogger } from './logger.ts'
export type { Logger } from './logger.ts'
export type {
  AccountQuotas,
  AccountUse,
  AuditAction,
  AuditedResource,
  EngineMonitorDefaults,
  FieldChange,
  Json,
  JsonObject,
  KeyScope,
  MeasurementFormat,
  MonitorDefaults,
  MonitorState,
  MonitorStatus,
  Notice,
  Outcome,
  Phase,
  Phases,
  SoftEvent,
  Verdict,
  Warn,
  WarnLimit,
} from './model.ts'
export { CheckFailure } from './net/failure.ts'
export type { TargetRule } from './net/guard/guard.ts'
export type { Connection, HttpExchange, HttpRequest, Net, TargetPolicy } from './net/net.ts'
export type { CheckAnswer, CheckOrder, ProbeHost, ProbeTransport } from './probes/transport.ts'
export type { BackupOptions, FullStore, Store } from './store/store.ts'
export type { AnyContactKind } from './webhook/contact-kind.ts'
