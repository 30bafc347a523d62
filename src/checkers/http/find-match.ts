/**
 * The first match of a pattern in a text that arrives in pieces, searched in overlapping windows,
 * each as large as one search may be.
 *
 * @module
 */

import type { Match, Pattern } from '../../fields/pattern.ts'
import { limitWork } from '../work-limit.ts'
import type { WorkLimits } from '../work-limit.ts'

/**
 * Matches up to this length are found at any position; for a large pattern, half of what one search
 * covers.
 */
const MATCH_CHARACTERS = 64 * 1024

export interface FindMatch {
  readonly match: Match | undefined
  /** Characters that were searched. */
  readonly searched: number
  /** A time limit has passed: later text is not searched. */
  readonly givenUp: boolean
  take(text: string): Generator<void, void>
  end(): Generator<void, void>
}

export function findMatch(pattern: Pattern, limits: WorkLimits): FindMatch {
  const { searched: window } = pattern
  const reach = Math.min(MATCH_CHARACTERS, Math.floor(window / 2))
  let held = ''
  /** 1 if the first buffered character serves only as context for `^` and `\b`. */
  let before = 0
  const limit = limitWork(limits)

  function look(isLast: boolean): void {
    const match = limit.run(() => pattern.find(held, before))
    // A match at the edge may continue beyond it, and one that begins near it may match
    // differently.
    const settled =
      match !== undefined &&
      (isLast ||
        (match.start <= before && match.end === held.length) ||
        (match.start + reach <= held.length && match.end < held.length))
    if (settled) find.match = match
    else keep(match === undefined ? held.length - reach : match.start)
    if (!settled && limit.passed !== undefined) find.givenUp = true
  }

  function keep(from: number): void {
    const at = Math.max(0, from - 1)
    before = at > 0 ? 1 : before
    held = held.slice(at)
  }

  const find: { -readonly [K in keyof FindMatch]: FindMatch[K] } = {
    match: undefined,
    searched: 0,
    givenUp: false,
    *take(text) {
      let rest = text
      while (rest !== '' && find.match === undefined && !find.givenUp) {
        const part = rest.slice(0, window - held.length)
        rest = rest.slice(part.length)
        held += part
        find.searched += part.length
        if (held.length < window) return
        look(false)
        yield
      }
    },
    *end() {
      if (find.match !== undefined || find.givenUp) return
      look(true)
      yield
    },
  }
  return find
}

/**
 * A part of a pattern, and whether it repeats without limit. An unclosed part extends to the end of
 * the pattern.
 */
const PART = /(\\[pP]\{[^}]*\}?|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|[^\\[])(\*|\+|\{\d+,\})?/gsu

/**
 * Digits, blanks, or one repeated character: pages do not contain tens of thousands of these in a
 * row.
 */
const NARROW = /^(?:\\[ds]|[^.)\\]|\[(?:\\[ds.,]|\d-\d|[^\\^a-zA-Z-])+-?\])$/u

/** Whether a match may be longer than {@link MATCH_CHARACTERS}, judged by the pattern alone. */
export function reachesFar(pattern: string): boolean {
  return [...pattern.matchAll(PART)].some(
    ([, part = '', endless]) => endless !== undefined && !NARROW.test(part),
  )
}
