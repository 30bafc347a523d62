/**
 * Hourly totals of a monitor: what charts are made of.
 *
 * @module
 */

import type { TimeInput } from './filters.ts'

export interface HoursOptions {
  /** Hours that begin at or after the hour of this time; default 24 hours ago, at most 100 days before `to`. */
  readonly from?: TimeInput | undefined
  /** Hours that begin before this time; default now. */
  readonly to?: TimeInput | undefined
  /** Hours per step, 1 to 24; a divisor of 24, so that steps begin with UTC days. Default 1. */
  readonly step_hours?: number | undefined
}

/** Checks, and the times of the good ones. */
export interface TotalsView {
  readonly ok: number
  readonly fail: number
  readonly unknown: number
  /** The part of `ok` that was beyond a threshold of `warn`. */
  readonly degraded: number
  /** Response times, `null` where none was measured. Percentiles deviate by at most five percent. */
  readonly avg_ms: number | null
  readonly min_ms: number | null
  readonly max_ms: number | null
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
  /** The mean of each phase over all good checks: they add up. */
  readonly phases: Readonly<Record<string, number>>
  /** What the type charts of its measurements. */
  readonly figures: Readonly<
    Record<string, { readonly avg: number; readonly min: number; readonly max: number }>
  >
}

export interface LocationTotals extends TotalsView {
  readonly location_id: number
}

export interface StepTotals extends TotalsView {
  /** When the step begins. */
  readonly at: string
  /** Those with checks in it. */
  readonly locations: readonly LocationTotals[]
}

/** A time in which the monitor was not simply up. */
export interface AvailabilitySpan {
  readonly availability: 'degraded' | 'down' | 'unknown' | 'paused' | 'maintenance'
  readonly from: string
  readonly to: string
}

export interface HoursView {
  /** Begin of the first step. */
  readonly from: string
  readonly to: string
  readonly step_hours: number
  readonly overall: TotalsView
  readonly locations: readonly LocationTotals[]
  /** Oldest first; steps without checks are left out. */
  readonly steps: readonly StepTotals[]
  /** Oldest first, within `from` and `to`; the newest 1000. */
  readonly spans: readonly AvailabilitySpan[]
}
