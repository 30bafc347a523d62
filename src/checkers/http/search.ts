/**
 * Evaluates the text rules of `http` on the body as it arrives: words and the number over the whole
 * body, patterns over its beginning.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import type { Pattern } from '../../fields/pattern.ts'
import type { BodyRead, TextReader } from '../../net/net.ts'
import type { HttpSettings } from './fields.ts'
import { findMatch, reachesFar } from './find-match.ts'
import { seekJson } from './json-assertions.ts'
import type { JsonSearch } from './json-assertions.ts'
import { readNumber } from './numbers.ts'

/**
 * `String.indexOf` is linear for words up to this length. A longer word can make it quadratic on a
 * hostile text: a minute for 64 MiB.
 */
const PLATFORM_CHARACTERS = 250

/** Receives the pieces in order; `true` once the word was found. */
type FindText = (piece: string) => boolean

/** The result of one rule. */
export interface Sought {
  readonly found: boolean
  /**
   * What was not searched and may contain it: `The first 262,144 characters of the body were
   * searched`.
   */
  readonly unseen: string | undefined
}

/** Results by setting name; `undefined` if the rule is not set. */
export interface Search extends TextReader {
  readonly keyword_present: Sought | undefined
  readonly keyword_present_regex: Sought | undefined
  readonly keyword_absent: Sought | undefined
  readonly keyword_absent_regex: Sought | undefined
  readonly number_regex: Sought | undefined
  /** The number that `number_regex` found. */
  readonly number: number | undefined
  readonly json: JsonSearch | undefined
}

export type SearchSettings = Pick<
  HttpSettings,
  | 'keyword_present'
  | 'keyword_present_regex'
  | 'keyword_absent'
  | 'keyword_absent_regex'
  | 'number_regex'
  | 'json'
>

export interface SearchOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** CPU time limit of the search for the number, and of the assertions on JSON. */
  readonly most_ms: number
}

interface Seeker extends TextReader, Sought {}

/** `undefined` if no rule needs the text. */
export function createSearch(settings: SearchSettings, options: SearchOptions): Search | undefined {
  const { number_regex, json = [] } = settings
  const numbers = number_regex === undefined ? undefined : seekNumber(number_regex, options)
  const seekers = {
    keyword_present: seekWord(settings.keyword_present),
    keyword_present_regex: seekPattern(settings.keyword_present_regex),
    keyword_absent: seekWord(settings.keyword_absent),
    keyword_absent_regex: seekPattern(settings.keyword_absent_regex),
    number_regex: numbers,
    json: json.length === 0 ? undefined : seekJson(json, options),
  }
  const all = Object.values(seekers).filter((each) => each !== undefined)
  if (all.length === 0) return undefined
  return {
    ...seekers,
    get number() {
      return numbers?.number
    },
    get wantsMore() {
      return all.some(({ wantsMore }) => wantsMore)
    },
    *take(text) {
      for (const each of all) if (each.wantsMore) yield* each.take(text)
    },
    *end(whole) {
      for (const each of all) yield* each.end(whole)
    },
  }
}

/**
 * A seeker that has found its word receives no more text; a truncated body matters only to the
 * others.
 */
function seekWord(word: string | undefined): Seeker | undefined {
  if (word === undefined) return undefined
  const find = findText(word)
  const state = { found: false, unseen: undefined as string | undefined, wantsMore: true }
  return Object.assign(state, {
    *take(text: string) {
      state.found = find(text)
      state.wantsMore = !state.found
      yield
    },
    *end({ bytes, whole }: BodyRead) {
      if (!whole && !state.found) state.unseen = first(bytes, 'bytes')
    },
  })
}

function seekPattern(pattern: Pattern | undefined): Seeker | undefined {
  if (pattern === undefined) return undefined
  const { searched } = pattern
  const state = { found: false, unseen: undefined as string | undefined, wantsMore: true }
  let beginning = ''
  return Object.assign(state, {
    *take(text: string) {
      // One more character reveals that the text continues.
      beginning += text.slice(0, searched + 1 - beginning.length)
      state.wantsMore = beginning.length <= searched
    },
    *end({ bytes, whole }: BodyRead) {
      state.found = pattern.test(beginning)
      // A search may take a whole turn.
      yield
      if (state.found) return
      if (!state.wantsMore) state.unseen = first(searched, 'characters')
      else if (!whole) state.unseen = first(bytes, 'bytes')
    },
  })
}

function seekNumber(
  pattern: Pattern,
  options: SearchOptions,
): Seeker & { readonly number: number | undefined } {
  const find = findMatch(pattern, options)
  const state = {
    found: false,
    unseen: undefined as string | undefined,
    wantsMore: true,
    number: undefined as number | undefined,
  }
  return Object.assign(state, {
    *take(text: string) {
      yield* find.take(text)
      state.wantsMore = find.match === undefined && !find.givenUp
    },
    *end({ bytes, whole }: BodyRead) {
      yield* find.end()
      const { match, searched, givenUp } = find
      if (match !== undefined) {
        const [all, group] = match.groups
        state.number = readNumber((match.groups.length > 1 ? group : all) ?? '')
        state.found = state.number !== undefined
      } else if (givenUp) state.unseen = first(searched, 'characters')
      else if (!whole) state.unseen = first(bytes, 'bytes')
      else if (searched > pattern.searched && reachesFar(pattern.source))
        state.unseen = `${first(searched, 'characters')} for short matches`
    },
  })
}

function first(count: number, what: string): string {
  return `The first ${count.toLocaleString('en-US')} ${what} of the body were searched`
}

/** Searches a word across the edges of the pieces, in time linear to the text. */
function findText(word: string): FindText {
  return word.length > PLATFORM_CHARACTERS ? byTable(word) : byPlatform(word)
}

function byPlatform(word: string): FindText {
  const overlap = word.length - 1
  let tail = ''
  return (piece) => {
    const text = tail + piece
    if (text.includes(word)) return true
    tail = overlap === 0 ? '' : text.slice(-overlap)
    return false
  }
}

/** Knuth–Morris–Pratt: no character of the text is read twice. */
function byTable(word: string): FindText {
  const units = Uint16Array.from(word, (_, at) => word.charCodeAt(at))
  const fallback = fallbacks(units)
  let matched = 0
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      while (matched > 0 && units[matched] !== unit) matched = fallback[matched - 1] ?? 0
      if (units[matched] === unit) matched += 1
      if (matched === units.length) return true
    }
    return false
  }
}

/** For every prefix of the word: the length of its longest proper suffix that is also a prefix. */
function fallbacks(units: Uint16Array): Uint16Array {
  const table = new Uint16Array(units.length)
  let matched = 0
  for (let at = 1; at < units.length; at++) {
    while (matched > 0 && units[matched] !== units[at]) matched = table[matched - 1] ?? 0
    if (units[matched] === units[at]) matched += 1
    table[at] = matched
  }
  return table
}
