/**
 * What the engine says of the types of checks.
 *
 * @module
 */

import type { FieldRow } from '../../fields/describe.ts'
import type { MeasurementFormat } from '../../model.ts'

/** The measurement that a page highlights. */
export interface HighlightView {
  /** A name of `measurements`, with dots for nested ones. */
  readonly name: string
  readonly title: string
  readonly format?: MeasurementFormat
}

/** Measurements that a page charts together. */
export interface ChartView {
  readonly title: string
  readonly unit: 'ms' | 'percent' | 'days'
  readonly figures: readonly {
    /** A name of `measurements`. */
    readonly name: string
    readonly label: string
  }[]
}

/** One row of GET /types. */
export interface TypeView {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly fields: readonly FieldRow[]
  /** The common fields for which this type has its own default or bounds, or in which they have no effect. */
  readonly common_fields: readonly FieldRow[]
  readonly causes: readonly {
    readonly code: string
    readonly text: string
    readonly verdict: 'fail' | 'unknown'
    readonly phase: string | null
  }[]
  readonly measurements: readonly {
    readonly name: string
    readonly description: string
    /** A number, of which `warn` may name a threshold. */
    readonly figure: boolean
  }[]
  readonly highlights: readonly HighlightView[]
  readonly charts: readonly ChartView[]
  /** Which of its `measurements` is the response time; `duration_ms`: the duration of the check; `null`: none. */
  readonly response: string | null
  readonly events: readonly string[]
  readonly defaults: { readonly interval_sec: number; readonly timeout_ms: number }
  /** `false` if its driver is not installed; `install` says how to install it. */
  readonly available: boolean
  readonly install?: string
}
