/**
 * Evaluates the text rules of `http` on the body as it arrives: words and the number over the whole
 * body, patterns over its beginning.
 *
 * @module
 */

import type { Pattern } from '../../fields/pattern.ts'
import type { BodyRead, TextReader } from '../../net/net.ts'
import type { HttpSettings } from './fields.ts'
import { findMatch, reachesFar } from './find-match.ts'
import { seekJson } from './json-assertions.ts'
import type { JsonSearch } from './json-assertions.ts'
import { readNumber } from './numbers.ts'
import type { WorkLimits } from '../work-limit.ts'

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

interface NumberSought extends Sought {
  readonly number: number | undefined
}

/** Results by setting name; `undefined` if the rule is not set. */
export interface Search extends TextReader {
  readonly keyword_present: Sought | undefined
  readonly keyword_present_regex: Sought | undefined
  readonly keyword_absent: Sought | undefined
  readonly keyword_absent_regex: Sought | undefined
  readonly number_regex: NumberSought | undefined
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

/** Reads as a {@link TextReader} does; `undefined` where what there was to do took one step. */
interface Seeker {
  wantsMore(): boolean
  take(text: string): Generator<void, void> | undefined
  end(read: BodyRead): Generator<void, void> | undefined
}

type SeekText = Seeker & Sought

type Writable<T> = { -readonly [K in keyof T]: T[K] }

/**
 * `undefined` if no rule needs the text. The limits are those of the search for the number, and those of the assertions
 * on JSON.
 */
export function createSearch(settings: SearchSettings, limits: WorkLimits): Search | undefined {
  const { json = [] } = settings
  const seekers = {
    keyword_present: seekWord(settings.keyword_present),
    keyword_present_regex: seekPattern(settings.keyword_present_regex),
    keyword_absent: seekWord(settings.keyword_absent),
    keyword_absent_regex: seekPattern(settings.keyword_absent_regex),
    number_regex: seekNumber(settings.number_regex, limits),
    json: json.length === 0 ? undefined : seekJson(json, limits),
  }
  const all = Object.values(seekers).filter((each) => each !== undefined)
  if (all.length === 0) return undefined
  return {
    ...seekers,
    wantsMore: () => all.some((each) => each.wantsMore()),
    take: (text) => takeAll(all, text),
    end: (read) => endAll(all, read),
  }
}

function* takeAll(all: readonly Seeker[], text: string): Generator<void, void> {
  for (const each of all) {
    if (!each.wantsMore()) continue
    yield* each.take(text) ?? []
    yield
  }
}

function* endAll(all: readonly Seeker[], read: BodyRead): Generator<void, void> {
  for (const each of all) {
    yield* each.end(read) ?? []
    yield
  }
}

/**
 * A seeker that has found its word receives no more text; a truncated body matters only to the
 * others.
 */
function seekWord(word: string | undefined): SeekText | undefined {
  if (word === undefined) return undefined
  const find = findText(word)
  const seeker: Writable<SeekText> = {
    found: false,
    unseen: undefined,
    wantsMore: () => !seeker.found,
    take(text) {
      seeker.found = find(text)
      return undefined
    },
    end({ bytes, whole }) {
      if (!whole && !seeker.found) seeker.unseen = first(bytes, 'bytes')
      return undefined
    },
  }
  return seeker
}

function seekPattern(pattern: Pattern | undefined): SeekText | undefined {
  if (pattern === undefined) return undefined
  const { searched } = pattern
  let beginning = ''
  const seeker: Writable<SeekText> = {
    found: false,
    unseen: undefined,
    wantsMore: () => beginning.length <= searched,
    take(text) {
      // One more character reveals that the text continues.
      beginning += text.slice(0, searched + 1 - beginning.length)
      return undefined
    },
    end({ bytes, whole }) {
      seeker.found = pattern.test(beginning)
      if (seeker.found) return undefined
      if (!seeker.wantsMore()) seeker.unseen = first(searched, 'characters')
      else if (!whole) seeker.unseen = first(bytes, 'bytes')
      return undefined
    },
  }
  return seeker
}

function seekNumber(
  pattern: Pattern | undefined,
  limits: WorkLimits,
): (Seeker & NumberSought) | undefined {
  if (pattern === undefined) return undefined
  const find = findMatch(pattern, limits)
  const seeker: Writable<Seeker & NumberSought> = {
    found: false,
    unseen: undefined,
    number: undefined,
    wantsMore: () => find.match === undefined && !find.givenUp,
    take: (text) => find.take(text),
    *end({ bytes, whole }) {
      yield* find.end()
      const { match, searched, givenUp } = find
      if (match !== undefined) {
        const [all, group] = match.groups
        seeker.number = readNumber((match.groups.length > 1 ? group : all) ?? '')
        seeker.found = seeker.number !== undefined
      } else if (givenUp) seeker.unseen = first(searched, 'characters')
      else if (!whole) seeker.unseen = first(bytes, 'bytes')
      else if (searched > pattern.searched && reachesFar(pattern.source))
        seeker.unseen = `${first(searched, 'characters')} for short matches`
    },
  }
  return seeker
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
