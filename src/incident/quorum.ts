/**
 * What a round says when several locations looked: only this round's own results count.
 *
 * @module
 */

import type { Verdict } from '../model.ts'

/** Rounds in a row that a silent location is waited for; after that the others decide without it. */
const STRICT_ROUNDS = 3

export interface LocationVerdict {
  readonly location_id: number
  readonly verdict: Verdict
  readonly late?: boolean
  /** The location itself was gone: it did not report, or had no connection of its own. */
  readonly silent?: boolean
}

export interface QuorumOptions {
  /** Locations that must agree on a failure; taken as at most those that take part. */
  readonly confirm_locations: number
  /** Rounds in a row before this one in which a location was silent, by its id. */
  readonly silent?: Readonly<Record<string, number>>
}

export interface Quorum {
  readonly verdict: 'ok' | 'late' | 'fail' | 'inconclusive'
  /** Locations were left out because they have been silent for long. */
  readonly reduced: boolean
  /** What to hand in with the next round. */
  readonly silent: Readonly<Record<string, number>>
}

/**
 * `fail` when enough locations saw it fail, `ok` when so many saw it work that a failure can no longer
 * be agreed on; else `inconclusive`. Locations that could not measure count for neither. A silent one
 * still counts among those that might have seen a failure, at first: its loss must not turn a blip
 * elsewhere into an alarm. For ever it would hide every outage, so later the others decide alone.
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
