/**
 * The first match of a pattern in a text that comes in pieces: looked for in windows that overlap, each as
 * large as one search may be.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Match, Pattern } from '../../fields/pattern.ts'

/** Matches up to this long are found wherever they stand; with a large pattern, half of what one search looks at. */
const MATCH_CHARACTERS = 64 * 1024

export interface FindMatch {
  readonly match: Match | undefined
  /** Characters that were searched. */
  readonly searched: number
  /** Own time has run out: what comes later is not looked at. */
  readonly givenUp: boolean
  take(text: string): Generator<void, void>
  end(): Generator<void, void>
}

export interface FindMatchOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** What all searches together may take. */
  readonly most_ms: number
}

export function findMatch(pattern: Pattern, { clock, most_ms }: FindMatchOptions): FindMatch {
  const { searched: window } = pattern
  const reach = Math.min(MATCH_CHARACTERS, Math.floor(window / 2))
  let held = ''
  /** 1 where the first character that is held stands there for `^` and `\b` only. */
  let before = 0
  let spent_ms = 0

  const found: { -readonly [K in 'match' | 'searched' | 'givenUp']: FindMatch[K] } = {
    match: undefined,
    searched: 0,
    givenUp: false,
  }

  function look(isLast: boolean): void {
    const from = clock.monotonic()
    const match = pattern.find(held, before)
    spent_ms += clock.monotonic() - from
    // What ends at the edge may go on behind it, and what begins near to it may match otherwise.
    const settled =
      match !== undefined &&
      (isLast ||
        (match.start <= before && match.end === held.length) ||
        (match.start + reach <= held.length && match.end < held.length))
    if (settled) found.match = match
    else keep(match === undefined ? held.length - reach : match.start)
    if (!settled && spent_ms > most_ms) found.givenUp = true
  }

  function keep(from: number): void {
    const at = Math.max(0, from - 1)
    before = at > 0 ? 1 : before
    held = held.slice(at)
  }

  return {
    get match() {
      return found.match
    },
    get searched() {
      return found.searched
    },
    get givenUp() {
      return found.givenUp
    },
    *take(text) {
      let rest = text
      while (rest !== '' && found.match === undefined && !found.givenUp) {
        const part = rest.slice(0, window - held.length)
        rest = rest.slice(part.length)
        held += part
        found.searched += part.length
        if (held.length < window) return
        look(false)
        yield
      }
    },
    *end() {
      if (found.match !== undefined || found.givenUp) return
      look(true)
      yield
    },
  }
}

/** A part of a pattern, and whether it may repeat without end. What is not closed goes on to the end of the pattern. */
const PART = /(\\[pP]\{[^}]*\}?|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|[^\\[])(\*|\+|\{\d+,\})?/gsu

/** Digits, blanks, and one character again and again: what a page does not have by the ten thousands. */
const NARROW = /^(?:\\[ds]|[^.)\\]|\[(?:\\[ds.,]|\d-\d|[^\\^a-zA-Z-])+-?\])$/u

/** Whether a match may be longer than {@link MATCH_CHARACTERS}, as far as the pattern itself tells. */
export function reachesFar(pattern: string): boolean {
  return [...pattern.matchAll(PART)].some(
    ([, part = '', endless]) => endless !== undefined && !NARROW.test(part),
  )
}
