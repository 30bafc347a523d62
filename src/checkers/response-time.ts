/**
 * What counts as the response time of a check.
 *
 * @module
 */

import type { Outcome } from '../model.ts'
import { hundredths } from '../net/timing/trace.ts'
import type { AnyChecker } from './checker.ts'

/** A probe elsewhere may say anything: what is longer (115 days) is no time, and could not be added. */
const LONGEST_MS = 1e10

/** A check of it connects to nothing: its duration says nothing. */
export function isUntimed(checker: Pick<AnyChecker, 'push' | 'composite'> | undefined): boolean {
  return checker?.push !== undefined || checker?.composite !== undefined
}

type Timed = Pick<Outcome, 'verdict' | 'duration_ms' | 'phases' | 'details'>

/** The response time in ms; `null` if it was not measured. */
export function responseOf(
  checker: Pick<AnyChecker, 'response' | 'push' | 'composite'> | undefined,
  { verdict, duration_ms, phases, details }: Timed,
): number | null {
  if (checker?.response === undefined) {
    if (verdict === 'unknown' || isUntimed(checker)) return null
    // The time of the authorization server is none of the target, which is asked only with a token.
    const { oauth_ms, ...ofTarget } = phases
    if (oauth_ms === undefined) return duration_ms
    if (Object.keys(ofTarget).length === 0) return null
    return hundredths(Math.max(0, duration_ms - oauth_ms))
  }
  const figure = details[checker.response]
  return typeof figure === 'number' && figure >= 0 && figure <= LONGEST_MS ? figure : null
}
