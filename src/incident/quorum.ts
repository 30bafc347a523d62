/**
 * The verdict of a round with several locations: only results of this round count.
 *
 * @module
 */

import type { Verdict } from '../model.ts'

/** Consecutive rounds in which a silent location still counts; after that the others decide without it. */
const STRICT_ROUNDS = 3

export interface LocationVerdict {
  readonly location_id: number
  readonly verdict: Verdict
  readonly late?: boolean
  /** The location did not report, or had no network itself. */
  readonly silent?: boolean
}

export interface QuorumOptions {
  /** Locations that must agree on a failure; capped at the number of participating locations. */
  readonly confirm_locations: number
  /** Consecutive silent rounds of a location before this one, by its id. */
  readonly silent?: Readonly<Record<string, number>>
}

export interface Quorum {
  readonly verdict: 'ok' | 'late' | 'fail' | 'inconclusive'
  /** Locations were left out because they have been silent for too long. */
  readonly reduced: boolean
  /** To be passed with the next round. */
  readonly silent: Readonly<Record<string, number>>
}

/**
 * `fail` if enough locations report a failure; `ok` if so many succeeded that the failure quorum is unreachable;
 * otherwise `inconclusive`. Locations that could not measure count for neither. A silent location first counts as a
 * possible failure: its loss must not turn a short failure elsewhere into an alarm. Counting it for ever would hide
 * every outage, so after some rounds the others decide alone.
 */
export function quorum(
  verdicts: readonly LocationVerdict[],
  { confirm_locations, silent = {} }: QuorumOptions,
): Quorum {
  const gone = verdicts.filter((one) => one.silent === true)
  const counted = Object.fromEntries(
    gone.map(({ location_id: id }) => [String(id), (silent[id] ?? 0) + 1]),
  )
  const present = verdicts.filter((one) => !gone.includes(one))
  const left = verdicts.filter(({ location_id: id }) => (counted[id] ?? 0) <= STRICT_ROUNDS)
  const reduced = present.length > 0 && left.length < verdicts.length
  return {
    verdict: decide(present, (reduced ? left : verdicts).length, confirm_locations),
    reduced,
    silent: counted,
  }
}

function decide(
  present: readonly LocationVerdict[],
  locations: number,
  confirm_locations: number,
): Quorum['verdict'] {
  const need = Math.min(Math.max(1, confirm_locations), locations)
  const fails = present.filter(({ verdict }) => verdict === 'fail').length
  const good = present.filter(({ verdict }) => verdict === 'ok')
  if (locations === 0) return 'inconclusive'
  if (fails >= need) return 'fail'
  if (good.length < locations - need + 1) return 'inconclusive'
  return good.every(({ late }) => late === true) ? 'late' : 'ok'
}
