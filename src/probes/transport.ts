/**
 * How check orders reach a location and reports come back. In-process by default; the engine does not
 * know the difference.
 *
 * @module
 */

import type { CheckReport, EpochMs, Json, JsonObject, LocationRecord } from '../model.ts'

/** One check to be made at one location. Plain JSON, so that it can travel. */
export interface CheckOrder {
  /** `<monitor>-<version>-<round>-<location>`: the same order is never carried out twice. */
  readonly id: string
  /** Whose monitor it is: places for checks are shared by account. 0 where that is not known. */
  readonly account_id: number
  readonly monitor_id: number
  readonly version: number
  readonly type: string
  /** Stored settings with secrets in clear; a transport that leaves the process must encrypt them. */
  readonly settings: JsonObject
  readonly timeout_ms: number
  readonly interval_sec: number
  /** Only of monitors that are fed by signals, which the engine judges itself. */
  readonly missed_limit?: number
  readonly location: LocationRecord
  /** Due time of the round. */
  readonly round: EpochMs
  /** An order that could not begin by then is dropped: its round is over. */
  readonly expires_at: EpochMs
  readonly memo: Json | null
  /** Checks of an account against the same host are limited; this names the host. */
  readonly host: string
}

export interface CheckAnswer {
  readonly order: Pick<CheckOrder, 'id' | 'monitor_id' | 'version' | 'round'> & {
    readonly location_id: number
  }
  readonly report: CheckReport
  /** How late the check began against `round`. */
  readonly lag_ms: number
}

export interface ProbeHost {
  /** Those that orders will come for; none where the host makes checks for others. */
  readonly locations: readonly LocationRecord[]
  /** Makes one check; never rejects. */
  readonly run: (order: CheckOrder, signal: AbortSignal) => Promise<CheckReport>
  /** What comes late, twice or out of order changes nothing. */
  readonly onAnswer: (answer: CheckAnswer) => void
}

export interface ProbeTransport {
  /** Checks are made in other processes, so that nothing is known of one until its report comes. Default `false`. */
  readonly remote?: boolean
  start(host: ProbeHost): Promise<void>
  /** Hands an order over; resolves once it is accepted, not when it is done. */
  send(order: CheckOrder): Promise<void>
  /** Drops what is queued for a monitor and aborts what is under way. */
  cancel(monitor_id: number): void
  /** Waits for running checks up to `drain_ms`, then aborts them. */
  stop(drain_ms: number): Promise<void>
  /** Whether the location can take orders now. */
  online(location_id: number): boolean
}
