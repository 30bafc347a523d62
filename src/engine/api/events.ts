/**
 * The events that the engine emits to its host. An event is emitted only after its commit.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import type { JsonObject, MonitorState } from '../../model.ts'
import { quoted, suggestion } from '../../options.ts'
import type {
  AuditEntryView,
  DegradedView,
  IncidentView,
  LocationView,
  MonitorSummary,
  NotificationView,
  RestoredView,
  ResultView,
} from './views.ts'
import type { MaintenanceView } from './maintenance.ts'
import type { StatusReportView } from './status-reports.ts'

/** `report_resolved`: an update says so. */
export type PublishedChange =
  | 'report_created'
  | 'report_updated'
  | 'report_resolved'
  | 'maintenance_planned'
  | 'maintenance_changed'
  | 'maintenance_cancelled'

export interface EngineEvents {
  /** An incident was opened. */
  readonly down: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly incident: IncidentView
  }
  /** An incident was closed. `closed_reason`: the monitor recovered, or was paused, changed or deleted. */
  readonly up: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly incident: IncidentView
  }
  /** A figure is beyond a threshold of `warn`; the monitor is up. */
  readonly degraded: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly degraded: DegradedView
  }
  /** It is no longer degraded; `closed_reason` says why. One follows each `degraded`. */
  readonly restored: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly degraded: RestoredView
  }
  /** Someone acknowledged an open incident. */
  readonly acknowledged: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly incident: IncidentView
  }
  /** A monitor changed its state. */
  readonly state: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly from: MonitorState
    readonly to: MonitorState
  }
  /** Checks of a monitor have not started for two intervals (`stale: true`), or start again (`stale: false`). */
  readonly starved: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly stale: boolean
    /** Time of its last check. */
    readonly since: string
  }
  /** A location lost its network, or regained it (`anchors`). */
  readonly location: LocationView
  /** A round was stored. */
  readonly round: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly results: readonly ResultView[]
  }
  /** A checker reported a fact that is not a failure (`ssl_expiring`, `content_changed`, …). */
  readonly notice: {
    readonly account_id: number
    readonly monitor: MonitorSummary
    readonly event: string
    readonly data: unknown
  }
  /** A notification was sent, failed or was cancelled. */
  readonly notification: NotificationView & {
    readonly account_id: number
    /** Of its monitor; empty without one. */
    readonly metadata: JsonObject
  }
  /** Someone changed a monitor, a contact, planned work, a key or an account: the entry of the audit log, without its id. */
  readonly audit: Omit<AuditEntryView, 'id'> & { readonly account_id: number }
  /** Something new stands on public pages made at run time: for hosts that tell subscribers. */
  readonly published: {
    readonly account_id: number
    readonly change: PublishedChange
    /** Those that show it. */
    readonly pages: readonly {
      readonly id: number
      readonly slug: string
      readonly title: string
      /** Visitors need a password. */
      readonly has_password: boolean
    }[]
    /** With `report_…`. */
    readonly report?: StatusReportView
    /** With `maintenance_…`: the window, with its open or next occurrence. */
    readonly maintenance?: MaintenanceView
  }
  /** The store wrote a group of changes: their number, the duration, and whether it succeeded. */
  readonly commit: { readonly changes: number; readonly duration_ms: number; readonly ok: boolean }
  /** The engine starts to stop; listeners release what they hold open for it. */
  readonly stop: { readonly drain_ms: number }
  /** An operation failed that no caller waits for; the engine continues. For a failed listener it is a `ListenerError`. */
  readonly error: unknown
}

export interface EventsOptions {
  /** Ends the stream; what is buffered is dropped. */
  readonly signal?: AbortSignal | undefined
  /** Only events of this account: none that belongs to no account, such as `location`. */
  readonly account?: number | undefined
  /**
   * How many events wait for a slow reader, 1 to 100000; default 1000. Beyond it the oldest is dropped, and `missed` of
   * the next event counts it.
   */
  readonly buffer?: number | undefined
}

/** One event of `engine.events(…)`. */
export type StreamedEvent<E extends keyof EngineEvents = keyof EngineEvents> = {
  readonly [N in E]: {
    readonly event: N
    readonly payload: EngineEvents[N]
    /** Events that were dropped before this one, since the buffer was full. */
    readonly missed: number
  }
}[E]

const EVENTS: Readonly<Record<keyof EngineEvents, true>> = {
  down: true,
  up: true,
  degraded: true,
  restored: true,
  acknowledged: true,
  state: true,
  starved: true,
  location: true,
  round: true,
  notice: true,
  notification: true,
  audit: true,
  published: true,
  commit: true,
  stop: true,
  error: true,
}

/** @throws ConfigurationError for an unknown event, which names the call */
export function checkEvent(call: 'engine.on' | 'engine.events', event: PropertyKey): void {
  if (Object.hasOwn(EVENTS, event)) return
  const hint = suggestion(String(event), Object.keys(EVENTS))
  throw new ConfigurationError(`${call}: unknown event ${quoted(String(event))}; ${hint}`)
}

/** @throws ConfigurationError for an unknown event or a listener that is not a function */
export function checkListener(event: PropertyKey, listener: unknown): void {
  checkEvent('engine.on', event)
  if (typeof listener !== 'function')
    throw new ConfigurationError(`engine.on: a function is expected to hear of "${String(event)}"`)
}
