/**
 * Whether the figures of a good check are beyond the thresholds of `warn`. Pure.
 *
 * @module
 */

import { BASELINE } from '../model.ts'
import type { JsonObject, Warn } from '../model.ts'
import { bandOf, hoursNeeded, JUDGED_CHECKS, medianOf, placeIn } from './baseline.ts'
import type { Band, Baseline } from './baseline.ts'
import type { Cause } from './machine.ts'

/** The cause of a response time beyond what is usual. */
export const WARN_BASELINE = 'warn_baseline'

/** A figure beyond its threshold, as the result of the check shows it. */
export interface Warning extends Cause {
  readonly facts: JsonObject
}

/** The first figure beyond its threshold, in their order; a figure that was not measured is not. */
export function warningOf(
  warn: Warn,
  valueOf: (figure: string) => number | null,
  usual?: Usual,
): Warning | undefined {
  for (const [figure, limit] of Object.entries(warn)) {
    if (limit === BASELINE) {
      if (usual?.place === 'beyond') return beyondUsual(figure, usual)
      continue
    }
    const { above, below } = limit
    const value = valueOf(figure)
    const unit = figure === 'response' ? ' ms' : ''
    if (value === null) continue
    if (above !== undefined && value > above)
      return warning(
        'warn_above',
        { figure, value, above },
        `${shown(value)}${unit}, more than ${above}${unit}`,
      )
    if (below !== undefined && value < below)
      return warning(
        'warn_below',
        { figure, value, below },
        `${shown(value)}${unit}, less than ${below}${unit}`,
      )
  }
  return undefined
}

/** What is known of the response times of one location. */
export interface ResponseTimes {
  /** The latest of good checks, in ms. */
  readonly latest: readonly number[]
  /** `undefined`: not read yet. */
  readonly baseline: Baseline | undefined
  readonly interval_sec: number
}

/** How the latest response times compare with what is usual at an hour. */
export type Usual =
  | { readonly place: 'unclear'; readonly details?: JsonObject }
  | { readonly place: 'learning'; readonly details: JsonObject }
  | ({ readonly place: 'within' | 'near' | 'beyond' } & Compared)

interface Compared {
  /** The median of the latest. */
  readonly value: number
  readonly band: Band
  readonly weeks: number
  readonly details: JsonObject
}

export function usualAt({ latest, baseline, interval_sec }: ResponseTimes, at: number): Usual {
  if (baseline === undefined) return { place: 'unclear' }
  const { hours, weeks } = baseline
  const hours_needed = hoursNeeded(interval_sec)
  if (hours < hours_needed) {
    const text = `learning, ${hours} of ${hours_needed} hours`
    return { place: 'learning', details: { text, hours, hours_needed } }
  }
  const band = bandOf(baseline, at)
  if (band === undefined) return { place: 'unclear' }
  const details = { low_ms: band.low, high_ms: band.high }
  if (latest.length < JUDGED_CHECKS) return { place: 'unclear', details }
  const value = medianOf(latest)
  return { place: placeIn(band, value), value, band, weeks, details }
}

function beyondUsual(figure: string, { value, band, weeks }: Compared): Warning {
  const { low, high } = band
  const since = weeks === 1 ? '1 week' : `${weeks} weeks`
  const text = `${inMs(value)} ms; usual at this hour ${inMs(low)} to ${inMs(high)} ms (${since})`
  const facts = { figure, value: shown(value), checks: JUDGED_CHECKS, low, high, weeks }
  return warning(WARN_BASELINE, facts, text)
}

function inMs(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value)
}

/** A thousandth, which tells the times of a local network apart. */
function shown(value: number): number {
  return Math.round(value * 1000) / 1000
}

type Facts = { readonly figure: string; readonly value: number } & JsonObject

function warning(cause_code: string, facts: Facts, text: string): Warning {
  return { cause_code, cause_text: `${facts.figure} is ${text}`, facts }
}
