/**
 * What the engine tells the host's own code. An event is emitted only after its commit.
 *
 * @module
 */

import type { MonitorState } from '../model.ts'
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
  /** An incident was closed by recovery. */
  readonly up: { readonly monitor: MonitorSummary; readonly incident: IncidentView }
  /** A monitor went from one state to another. */
  readonly state: {
    readonly monitor: MonitorSummary
    readonly from: MonitorState
    readonly to: MonitorState
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
  /** Something failed that no caller waits for; the engine goes on. */
  readonly error: unknown
}
