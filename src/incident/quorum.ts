/**
 * What a round says when several locations looked: only this round's own results count.
 *
 * @module
 */

import type { Verdict } from '../model.ts'

export interface LocationVerdict {
  readonly location_id: number
  readonly verdict: Verdict
  readonly late?: boolean
}

export interface QuorumOptions {
  /** Locations the monitor is configured for. */
  readonly locations: number
  /** Locations that must agree on a failure; taken as at most `locations`. */
  readonly confirm_locations: number
}

/**
 * `fail` when enough locations saw it fail, `ok` when so many saw it work that a failure can no longer
 * be agreed on; else `inconclusive`. Locations that could not measure, or were silent, count for neither.
 */
export function quorum(
  verdicts: readonly LocationVerdict[],
  { locations, confirm_locations }: QuorumOptions,
): 'ok' | 'late' | 'fail' | 'inconclusive' {
  const need = Math.min(Math.max(1, confirm_locations), locations)
  const fails = verdicts.filter(({ verdict }) => verdict === 'fail').length
  const good = verdicts.filter(({ verdict }) => verdict === 'ok')
  if (fails >= need) return 'fail'
  if (good.length < locations - need + 1) return 'inconclusive'
  return good.every(({ late }) => late === true) ? 'late' : 'ok'
}
