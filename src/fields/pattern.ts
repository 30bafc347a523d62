/**
 * Patterns of users, matched by re2js in time linear to the text: no pattern can stall the event
 * loop the way backtracking does. Look-around and back-references do not exist there and are refused.
 *
 * @module
 */

import { RE2JS } from 're2js'

export interface Pattern {
  /** As the user wrote it. */
  readonly source: string
  test(text: string): boolean
  /** The first match and its groups (`null` for a group that took no part), or `null`. */
  exec(text: string): readonly (string | null)[] | null
  /** Every match is cut out of the text. */
  removeFrom(text: string): string
}

export type ParsedPattern =
  | { readonly ok: true; readonly pattern: string; readonly flags: number }
  | { readonly ok: false; readonly problem: string }

/** Longest text that is matched; what lies behind it is not looked at. 256 Ki characters. */
export const PATTERN_TEXT_LIMIT = 256 * 1024

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // Accepted because people write them: matching is by code point and always global where that matters.
  u: 0,
  g: 0,
}

/** Reads `/pattern/flags` or a bare pattern and says in words what is wrong with it. */
export function parsePattern(source: string): ParsedPattern {
  const literal = /^\/(.+)\/([a-z]*)$/su.exec(source)
  const pattern = literal?.[1] ?? source
  let flags = 0
  for (const flag of literal?.[2] ?? '') {
    const bit = FLAGS[flag]
    if (bit === undefined)
      return { ok: false, problem: `the flag "${flag}" is not known; i, m, s, u and g are` }
    flags |= bit
  }
  try {
    RE2JS.compile(pattern, flags)
    return { ok: true, pattern, flags }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return {
      ok: false,
      problem: `not a usable pattern (${reason}); look-around and back-references are not supported`,
    }
  }
}

/** Compiles a pattern that {@link parsePattern} has accepted; throws a `TypeError` on any other. */
export function compilePattern(source: string): Pattern {
  const parsed = parsePattern(source)
  if (!parsed.ok) throw new TypeError(parsed.problem)
  const compiled = RE2JS.compile(parsed.pattern, parsed.flags)
  return {
    source,
    test: (text) => compiled.matcher(cut(text)).find(),
    exec(text) {
      const matcher = compiled.matcher(cut(text))
      if (!matcher.find()) return null
      return Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group))
    },
    removeFrom: (text) => compiled.matcher(cut(text)).replaceAll(''),
  }
}

function cut(text: string): string {
  return text.length > PATTERN_TEXT_LIMIT ? text.slice(0, PATTERN_TEXT_LIMIT) : text
}
