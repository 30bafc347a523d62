/**
 * User patterns, matched by re2js in time linear to the text: no pattern can block the event loop
 * as backtracking engines allow. Look-around and back-references are not supported and are
 * rejected.
 *
 * @module
 */

// A static import: bundlers would miss a dynamic one, and the first pattern would fail in
// production.
import { RE2JS } from 're2js'

export interface Pattern {
  /** As entered by the user. */
  readonly source: string
  /** Number of characters searched from the start of a text: fewer for larger patterns. */
  readonly searched: number
  test(text: string): boolean
  /** The first match and its groups (`null` for a group without a match), or `null`. */
  exec(text: string): readonly (string | null)[] | null
  /** The first match that begins at `from` or later; the text before counts for `^` and `\b`. */
  find(text: string, from: number): Match | undefined
  /** The text without the matches in its searched part. Yields regularly. */
  removeFrom(text: string): Generator<void, string>
}

export interface Match {
  readonly start: number
  readonly end: number
  /** The match itself and its groups (`null` for a group without a match). */
  readonly groups: readonly (string | null)[]
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: string; readonly flags: number }
  | { readonly ok: false; readonly problem: string }

/** Maximum text length for any pattern. 256 Ki characters. */
export const PATTERN_TEXT_LIMIT = 256 * 1024

/** Maximum instructions of a compiled pattern. */
const SIZE_LIMIT = 1000

/** Maximum total of counted repetitions such as `{3,20}`: each is expanded for compilation. */
const REPEATS_LIMIT = 500

/**
 * Maximum Unicode classes (`\p{L}`, `\P{Lu}`): each is a table of hundreds of ranges, which takes a
 * quarter of a millisecond of synchronous work.
 */
const CLASSES_LIMIT = 8

/**
 * Maximum characters in the ranges of a pattern without regard to case, such as `[a-z]`: its compiler folds each of
 * them, a hundred thousand in 5 to 25 ms. Those of all Chinese characters are 21,000.
 */
const FOLDED_LIMIT = 30_000

/**
 * Maximum of instructions times characters per search: 20 to 45 ms of blocking. The engine is
 * linear in both, and both may come from an attacker.
 */
const STEPS_LIMIT = 3 * 2 ** 19

/** Steps into which the removal of matches is divided. */
const STEPS = 16

/**
 * For small patterns an automaton first tests whether there is a match, in a tenth of the time of
 * locating it. A larger pattern can have more states than the text has characters.
 */
const AUTOMATON_SIZE = 16

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // Accepted without effect: matching is by code point, and global where that matters.
  u: 0,
  g: 0,
}

/** Reads `/pattern/flags` or a bare pattern, or returns the problem. */
export function parsePattern(source: string): ParsedPattern {
  const read = readPattern(source)
  return read.ok ? { ok: true, pattern: read.pattern, flags: read.flags } : read
}

type ReadPattern =
  Exclude<ParsedPattern, { ok: true }> | (ParsedPattern & { ok: true; compiled: RE2JS })

function readPattern(source: string): ReadPattern {
  const literal = /^\/(.+)\/([a-z]*)$/su.exec(source)
  const pattern = literal?.[1] ?? source
  let flags = 0
  for (const flag of literal?.[2] ?? '') {
    const bit = FLAGS[flag]
    if (bit === undefined)
      return { ok: false, problem: `the flag "${flag}" is not known; i, m, s, u and g are` }
    flags |= bit
  }
  if (repeatsIn(pattern) > REPEATS_LIMIT)
    return { ok: false, problem: `its counts add up to more than ${REPEATS_LIMIT} repetitions` }
  if (classesIn(pattern) > CLASSES_LIMIT)
    return { ok: false, problem: `it has more than ${CLASSES_LIMIT} Unicode classes (\\p, \\P)` }
  if (ignoresCase(pattern, flags) && rangedIn(pattern) > FOLDED_LIMIT)
    return {
      ok: false,
      problem: `its ranges have more than ${FOLDED_LIMIT} characters, too many to ignore their case`,
    }
  try {
    const compiled = RE2JS.compile(pattern, flags)
    if (compiled.programSize() > SIZE_LIMIT)
      return { ok: false, problem: 'it is too large; fewer or lower counts make it smaller' }
    return { ok: true, pattern, flags, compiled }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      ok: false,
      problem: `not a usable pattern (${reason}); look-around and back-references are not supported`,
    }
  }
}

/**
 * Compiles a pattern that {@link parsePattern} has accepted; throws a `TypeError` for any other.
 */
export function compilePattern(source: string): Pattern {
  const read = readPattern(source)
  if (!read.ok) throw new TypeError(read.problem)
  const { compiled } = read
  const size = compiled.programSize()
  const searched = Math.min(PATTERN_TEXT_LIMIT, Math.floor(STEPS_LIMIT / size))
  const cut = (text: string): string => (text.length > searched ? text.slice(0, searched) : text)
  const isSmall = size <= AUTOMATON_SIZE
  function find(text: string, from: number): Match | undefined {
    const part = cut(text)
    if (isSmall && !compiled.test(part)) return undefined
    const matcher = compiled.matcher(part)
    if (!matcher.find(from)) return undefined
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, n) => matcher.group(n))
    return { start: matcher.start(), end: matcher.end(), groups }
  }
  return {
    source,
    searched,
    test: (text) => (isSmall ? compiled.test(cut(text)) : compiled.matcher(cut(text)).find()),
    exec: (text) => find(text, 0)?.groups ?? null,
    find,
    removeFrom: (text) => removeFrom(compiled, text, searched),
  }
}

function* removeFrom(compiled: RE2JS, text: string, searched: number): Generator<void, string> {
  const end = Math.min(text.length, searched)
  const matcher = compiled.matcher(text.slice(0, end))
  const kept: string[] = []
  let from = 0
  let looked = 0
  while (matcher.find()) {
    kept.push(text.slice(from, matcher.start()))
    // The next search covers the rest and may match at this position.
    looked += end - from
    from = matcher.end()
    if (looked <= searched / STEPS) continue
    looked = 0
    yield
  }
  return kept.join('') + text.slice(from)
}

/** An escape, which has no count: neither `\x{3040}` nor `\{`; or a count. */
const ESCAPE_OR_COUNT = /\\x\{[\da-f]+\}|\\.|\{(\d+)(?:,(\d*))?\}/gisu

/** The total of counted repetitions; an open range counts with its minimum. */
function repeatsIn(pattern: string): number {
  let sum = 0
  for (const [, least, most = least] of pattern.matchAll(ESCAPE_OR_COUNT))
    if (least !== undefined) sum += Number(most || least)
  return sum
}

/** By its flag, or in a part of the pattern: `(?i)`. */
function ignoresCase(pattern: string, flags: number): boolean {
  return (flags & RE2JS.CASE_INSENSITIVE) !== 0 || /\(\?[a-zA-Z]*i/.test(pattern)
}

/**
 * A hyphen between what may begin and end a range: a number in hexadecimals or octals, or a character, escaped or not.
 * Every hyphen is looked at: one that stands for itself may begin the next range.
 */
const RANGE =
  /(?<=\\x\{([\da-f]{1,999})\}|\\x([\da-f]{2})|\\([0-7]{1,3})|\\?(.))-(?=\\x\{([\da-f]{1,999})\}|\\x([\da-f]{2})|\\([0-7]{1,3})|\\?(.))/gisu

/** The characters of all ranges, whether they stand in a class or not. */
function rangedIn(pattern: string): number {
  let sum = 0
  for (const [, ...ends] of pattern.matchAll(RANGE))
    sum += Math.max(0, codeOf(ends.slice(4)) - codeOf(ends))
  return sum
}

function codeOf([braced, hex, octal, char]: readonly (string | undefined)[]): number {
  const hexadecimal = braced ?? hex
  if (hexadecimal !== undefined) return parseInt(hexadecimal, 16)
  return octal === undefined ? (char?.codePointAt(0) ?? 0) : parseInt(octal, 8)
}

/** Backslashes are read in pairs: the second one of `\\p` starts no class. */
function classesIn(pattern: string): number {
  const escapes = pattern.matchAll(/\\(.)/gsu)
  return [...escapes].filter(([, char]) => char === 'p' || char === 'P').length
}
