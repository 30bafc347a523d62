/**
 * Whether a text is a single read-only statement. Decides by structure and words, and refuses in
 * doubt; the server's read-only transaction and the privileges of the login apply as well.
 *
 * @module
 */

import { lex } from './lexer.ts'
import type { LexerRule, Token } from './lexer.ts'

export interface Dialect {
  readonly lexer: readonly LexerRule[]
  /** Words that no read-only statement contains. */
  readonly words: ReadonlySet<string>
  /** Those of {@link words} that are functions if a parenthesis follows. */
  readonly functionsToo: ReadonlySet<string>
  /** A word, and the words that must not follow it. */
  readonly pairs: Readonly<Record<string, ReadonlySet<string>>>
  /** Words allowed in SHOW. */
  readonly shown: ReadonlySet<string>
  /** Functions that change something, run SQL from a text, or read server files. Upper case. */
  readonly denies: (name: string) => boolean
  /** A function of one argument can be called in attribute notation: `(1).f` for `f(1)`. */
  readonly callsByDot: boolean
}

const READING = new Set(['SELECT', 'WITH', 'VALUES'])
const BEGINNINGS = new Set([...READING, 'SHOW', 'EXPLAIN'])

const WANTED =
  'one statement that only reads is expected: SELECT, WITH, VALUES, SHOW, or EXPLAIN without ANALYZE'

/** Options allowed between EXPLAIN and the statement. */
const EXPLAIN_OPTIONS = new Set(
  (
    'VERBOSE COSTS SETTINGS GENERIC_PLAN BUFFERS WAL TIMING SUMMARY MEMORY FORMAT TEXT XML JSON YAML ' +
    'ON OFF TRUE FALSE 0 1 EXTENDED PARTITIONS TREE TRADITIONAL ( ) , ='
  ).split(' '),
)

/** Why the statement is refused; `undefined` for a read-only statement. Takes linear time. */
export function writingProblem(sql: string, dialect: Dialect): string | undefined {
  const lexed = lex(sql, dialect.lexer)
  if ('problem' in lexed) return lexed.problem
  const tokens = withoutEnd(lexed.tokens)
  if (tokens.some((token) => isSymbol(token, ';'))) return `${WANTED}; here are several`
  return beginningProblem(tokens) ?? wordProblem(tokens, dialect) ?? callProblem(tokens, dialect)
}

function withoutEnd(tokens: readonly Token[]): readonly Token[] {
  const last = tokens.findLastIndex((token) => !isSymbol(token, ';'))
  return tokens.slice(0, last + 1)
}

function beginningProblem(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex((token) => !isSymbol(token, '('))
  const first = tokens[at]
  if (first === undefined) return `${WANTED}; there is none`
  const allowed = at === 0 ? BEGINNINGS : READING
  if (first.kind !== 'word' || !allowed.has(first.text)) return WANTED
  return first.text === 'EXPLAIN' ? explainProblem(tokens.slice(1)) : undefined
}

function explainProblem(tokens: readonly Token[]): string | undefined {
  const begin = tokens.find(
    ({ kind, text }) => (kind !== 'word' && kind !== 'symbol') || !EXPLAIN_OPTIONS.has(text),
  )
  if (begin?.kind === 'word' && READING.has(begin.text)) return undefined
  if (begin?.text === 'ANALYZE' || begin?.text === 'ANALYSE') {
    return 'EXPLAIN ANALYZE carries the statement out; leave ANALYZE away'
  }
  return 'EXPLAIN is taken before SELECT, WITH and VALUES'
}

function wordProblem(tokens: readonly Token[], dialect: Dialect): string | undefined {
  const show = tokens[0]?.text === 'SHOW'
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'word') continue
    const next = tokens[index + 1]
    const word = wordIn(token.text, dialect.words)
    const exempt =
      word !== undefined &&
      ((show && dialect.shown.has(word)) ||
        (token.text === word && dialect.functionsToo.has(word) && isSymbol(next, '(')))
    if (word !== undefined && !exempt) {
      return `${word} is in no statement that only reads; a name goes into quotes`
    }
    const first = wordIn(token.text, Object.keys(dialect.pairs))
    const follows = first === undefined ? undefined : dialect.pairs[first]
    if (next?.kind === 'word' && follows?.has(next.text) === true) {
      return `${first} ${next.text} is in no statement that only reads`
    }
  }
  return undefined
}

/** Servers recognize a word after a number without a blank (`1INTO`, `1.e5INTO`). */
function wordIn(text: string, words: Iterable<string>): string | undefined {
  const glued = /^E?\d/.test(text)
  for (const word of words) {
    if (text === word || (glued && text.endsWith(word))) return word
  }
  return undefined
}

function callProblem(tokens: readonly Token[], dialect: Dialect): string | undefined {
  const parts = dialect.callsByDot ? partsOfValues(tokens) : undefined
  for (const [index, token] of tokens.entries()) {
    const isPart = parts?.has(token) === true
    if (!isNamed(token) || !(isPart || isSymbol(tokens[index + 1], '('))) continue
    // A collation may treat other letters as equal to those of a function name: MySQL compares
    // names without accents.
    const strange = !isPart && (!/^\p{ASCII}*$/u.test(token.text) || /^E?\d+[^\d]/.test(token.text))
    if (strange || dialect.denies(token.text)) {
      return `the function ${token.text.toLowerCase().slice(0, 64)} is not allowed: only reading is`
    }
  }
  return undefined
}

/**
 * Names after the dot of a single value: of an expression in parentheses, of an array element, or
 * of a function in FROM, by its own name or its alias.
 */
function partsOfValues(tokens: readonly Token[]): ReadonlySet<Token> {
  const values = new Set<string>()
  for (const [index, token] of tokens.entries()) {
    if (!isNamed(token)) continue
    const before = tokens[index - 1]
    const closing = before?.text === 'AS' ? tokens[index - 2] : before
    if (isSymbol(closing, ')') || isSymbol(tokens[index + 1], '(')) values.add(token.text)
  }
  const parts = new Set<Token>()
  for (const [index, token] of tokens.entries()) {
    const [whole, dot] = [tokens[index - 2], tokens[index - 1]]
    if (whole === undefined || !isSymbol(dot, '.') || !isNamed(token)) continue
    const ofValue =
      isSymbol(whole, ')') || isSymbol(whole, ']') || parts.has(whole) || values.has(whole.text)
    if (ofValue) parts.add(token)
  }
  return parts
}

function isNamed({ kind }: Token): boolean {
  return kind === 'word' || kind === 'name'
}

function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text
}
