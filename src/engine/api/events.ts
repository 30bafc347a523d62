/**
 * What the engine tells the host's own code. An event is emitted only after its commit.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import type { MonitorState } from '../../model.ts'
import { quoted, suggestion } from '../../options.ts'
import type {
  IncidentView,
  LocationView,
  MonitorSummary,
  NotificationView,
  ResultView,
} from './views.ts'

export interface EngineEvents {
  /** An incident was opened. */
  readonly down: { readonly monitor: MonitorSummary; readonly incident: IncidentView }
  /** An incident was closed; its `closed_reason` says by what: recovery, or a pause, a change or the removal of its monitor. */
  readonly up: { readonly monitor: MonitorSummary; readonly incident: IncidentView }
  /** Somebody has taken an open incident on. */
  readonly acknowledged: { readonly monitor: MonitorSummary; readonly incident: IncidentView }
  /** A monitor went from one state to another. */
  readonly state: {
    readonly monitor: MonitorSummary
    readonly from: MonitorState
    readonly to: MonitorState
  }
  /** Checks of a monitor have not begun for two intervals (`stale: true`), or begin again (`stale: false`). */
  readonly starved: {
    readonly monitor: MonitorSummary
    readonly stale: boolean
    /** When it was looked at last. */
    readonly since: string
  }
  /** A location lost its network, or has it back (`anchors`). */
  readonly location: LocationView
  /** A round was stored. */
  readonly round: { readonly monitor: MonitorSummary; readonly results: readonly ResultView[] }
  /** A soft event of a checker (`ssl_expiring`, `content_changed`, …). */
  readonly notice: {
    readonly monitor: MonitorSummary
    readonly event: string
    readonly data: unknown
  }
  /** A notification became final. */
  readonly notification: NotificationView
  /** The store was asked to write changes that were gathered: how many, how long it took, and whether it could. */
  readonly commit: { readonly changes: number; readonly duration_ms: number; readonly ok: boolean }
  /** The engine begins to stop: whoever holds something open for it lets go. */
  readonly stop: { readonly drain_ms: number }
  /** Something failed that no caller waits for; the engine goes on. A listener that failed is a `ListenerError`. */
  readonly error: unknown
}

const EVENTS: Readonly<Record<keyof EngineEvents, true>> = {
  down: true,
  up: true,
  acknowledged: true,
  state: true,
  starved: true,
  location: true,
  round: true,
  notice: true,
  notification: true,
  commit: true,
  stop: true,
  error: true,
}

/** @throws ConfigurationError for an event that there is none of, or for what cannot be called */
export function checkListener(event: PropertyKey, listener: unknown): void {
  if (!Object.hasOwn(EVENTS, event)) {
    const hint = suggestion(String(event), Object.keys(EVENTS))
    throw new ConfigurationError(`engine.on: unknown event ${quoted(String(event))}; ${hint}`)
  }
  if (typeof listener !== 'function')
    throw new ConfigurationError(`engine.on: a function is expected to hear of "${String(event)}"`)
}
