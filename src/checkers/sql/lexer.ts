/**
 * Splits an SQL statement into words, strings, quoted names and comments, without parsing it. If
 * two servers, or two settings of one, would end a string or comment at different positions, the
 * text is refused.
 *
 * @module
 */

export interface Token {
  /**
   * `word`: a keyword, an unquoted name or a number. `name`: in quotes that may enclose a name.
   * `text`: a string. `symbol`: any other character.
   */
  readonly kind: 'word' | 'name' | 'text' | 'symbol'
  /** Upper case, without the quotes; empty for a string. */
  readonly text: string
}

/** The end position of the token at `at`; `undefined` if the rule does not match. */
export type Finder = (sql: string, at: number) => number | undefined

/** The first matching rule decides; `problem`: the statement is refused for this reason. */
export type LexerRule =
  | readonly [find: Finder, kind: Token['kind'] | 'nothing']
  | readonly [find: Finder, kind: 'problem', problem: string]

export type Lexed = { readonly tokens: readonly Token[] } | { readonly problem: string }

export function lex(sql: string, rules: readonly LexerRule[]): Lexed {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length;) {
    const found = firstOf(rules, sql, at)
    if (found === undefined) {
      tokens.push({ kind: 'symbol', text: sql.charAt(at) })
      at += 1
      continue
    }
    const [rule, end] = found
    if (rule[1] === 'problem') return { problem: rule[2] }
    if (rule[1] !== 'nothing')
      tokens.push({ kind: rule[1], text: textOf(rule[1], sql.slice(at, end)) })
    at = end
  }
  return { tokens }
}

function firstOf(
  rules: readonly LexerRule[],
  sql: string,
  at: number,
): readonly [rule: LexerRule, end: number] | undefined {
  for (const rule of rules) {
    const end = rule[0](sql, at)
    if (end !== undefined) return [rule, end]
  }
  return undefined
}

function textOf(kind: Token['kind'], written: string): string {
  if (kind === 'text') return ''
  if (kind !== 'name') return written.toUpperCase()
  const quote = written.charAt(0)
  return written
    .slice(1, -1)
    .replaceAll(quote + quote, quote)
    .toUpperCase()
}

/** A finder for a pattern with the flag `y`. */
export function matching(pattern: RegExp): Finder {
  return (sql, at) => {
    pattern.lastIndex = at
    return pattern.test(sql) ? pattern.lastIndex : undefined
  }
}

const BACKSLASH =
  'a backslash before a quote ends a string on some servers and not on others; write the quote twice'

/** ASCII whitespace only: servers treat all other characters as letters. */
export const BLANKS: LexerRule = [matching(/[ \t\n\r\f\v]+/y), 'nothing']

/** MySQL and MariaDB execute some comments; others are hints, which may change settings. */
export const SPOKEN_COMMENTS: LexerRule = [
  matching(/\/\*(?:!|\+|M!)/iy),
  'problem',
  'comments that a server carries out (/*! … */) or takes for hints (/*+ … */) are not allowed',
]

export const OPEN_COMMENT: LexerRule = [
  matching(/\/\*/y),
  'problem',
  'a comment has no end, or another one inside',
]

/** A string, with its quote doubled inside. */
export const STRINGS: readonly LexerRule[] = [
  [matching(/'(?:[^'\\]|\\+[^'\\]|'')*\\+'/y), 'problem', BACKSLASH],
  [matching(/'(?:[^']|'')*'(?!')/y), 'text'],
  [matching(/'/y), 'problem', 'a string has no end'],
]

export const DOUBLE_QUOTES: readonly LexerRule[] = [
  [matching(/"(?:[^"]|"")*"(?!")/y), 'name'],
  [matching(/"/y), 'problem', 'a name in quotes has no end'],
]

/** Double-quoted text that may also be a string with backslash escapes. */
export const DOUBLE_QUOTED_BACKSLASHES: LexerRule = [
  matching(/"(?:[^"\\]|\\+[^"\\]|"")*\\+"/y),
  'problem',
  BACKSLASH,
]

export const OUTSIDE_BACKSLASH: LexerRule = [
  matching(/\\/y),
  'problem',
  'a backslash stands outside of a string',
]
