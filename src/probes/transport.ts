/**
 * How check orders reach a location and reports return. In-process by default; the engine treats all transports
 * alike.
 *
 * @module
 */

import type { CheckReport, EpochMs, Json, JsonObject, LocationRecord } from '../model.ts'
import { iso } from '../clock.ts'

/** One check to run at one location. Plain JSON, so that it can be transmitted. */
export interface CheckOrder {
  /** `<monitor>-<version>-<round>-<location>`: the same order is never executed twice. */
  readonly id: string
  /** The account of the monitor, among which check slots are shared. 0 if unknown. */
  readonly account_id: number
  readonly monitor_id: number
  readonly version: number
  readonly type: string
  /** Stored settings with secrets in clear; a transport that leaves the process must encrypt them. */
  readonly settings: JsonObject
  readonly timeout_ms: number
  readonly interval_sec: number
  /** Only for push types, whose results the engine computes itself. */
  readonly missed_limit?: number
  readonly location: LocationRecord
  /** Due time of the round. */
  readonly round: EpochMs
  /** An order that has not started by then is dropped: its round is over. */
  readonly expires_at: EpochMs
  readonly memo: Json | null
  /** The host for the limit of concurrent checks per account and host. */
  readonly host: string
}

export interface CheckAnswer {
  readonly order: Pick<CheckOrder, 'id' | 'monitor_id' | 'version' | 'round'> & {
    readonly location_id: number
  }
  readonly report: CheckReport
  /** How late the check started after `round`. */
  readonly lag_ms: number
}

export interface ProbeHost {
  /** The locations that will receive orders; none if the host runs checks for other engines. */
  readonly locations: readonly LocationRecord[]
  /** Runs one check; never rejects. */
  readonly run: (order: CheckOrder, signal: AbortSignal) => Promise<CheckReport>
  /** Late, duplicate or out-of-order answers have no effect. */
  readonly onAnswer: (answer: CheckAnswer) => void
}

export interface ProbeTransport {
  /** Checks run in other processes, so that nothing is known of one until its report arrives. Default `false`. */
  readonly remote?: boolean
  start(host: ProbeHost): Promise<void>
  /** Sends an order; resolves when it is accepted, not when it is done. */
  send(order: CheckOrder): Promise<void>
  /** Drops queued orders of a monitor and aborts running ones. */
  cancel(monitor_id: number): void
  /** Waits for running checks up to `drain_ms`, then aborts them. */
  stop(drain_ms: number): Promise<void>
  /** Whether the location accepts orders now. */
  online(location_id: number): boolean
}

/** How long a report may take from the end of its check to the engine. */
export const REPORT_SLACK_MS = 5_000

/** An `unknown` report: the engine could not measure, so no incident is opened. */
export function unmeasured(at: EpochMs, cause_code: string, cause_text: string): CheckReport {
  return {
    outcome: {
      verdict: 'unknown',
      cause_code,
      cause_text,
      phase: null,
      started_at: iso(at),
      duration_ms: 0,
      phases: {},
      remote_ip: null,
      details: {},
    },
    begun: false,
  }
}
