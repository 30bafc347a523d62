/**
 * Whether the figures of a good check are beyond the thresholds of `warn`. Pure.
 *
 * @module
 */

import type { JsonObject, Warn } from '../model.ts'
import type { Cause } from './machine.ts'

/** A figure beyond its threshold, as the result of the check shows it. */
export interface Warning extends Cause {
  readonly facts: JsonObject
}

/** The first figure beyond its threshold, in their order; a figure that was not measured is not. */
export function warningOf(
  warn: Warn,
  valueOf: (figure: string) => number | null,
): Warning | undefined {
  for (const [figure, { above, below }] of Object.entries(warn)) {
    const value = valueOf(figure)
    if (value === null) continue
    if (above !== undefined && value > above)
      return warning('warn_above', { figure, value, above }, `${shown(value)}, more than ${above}`)
    if (below !== undefined && value < below)
      return warning('warn_below', { figure, value, below }, `${shown(value)}, less than ${below}`)
  }
  return undefined
}

/** A thousandth, which tells the times of a local network apart. */
function shown(value: number): number {
  return Math.round(value * 1000) / 1000
}

type Facts = { readonly figure: string; readonly value: number } & JsonObject

function warning(cause_code: string, facts: Facts, text: string): Warning {
  return { cause_code, cause_text: `${facts.figure} is ${text}`, facts }
}
