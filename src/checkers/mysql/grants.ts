/**
 * The privileges of a user beyond reading, from the rows of SHOW GRANTS. The rows may contain the
 * password hash: only the names of privileges and of their objects are read.
 *
 * Sources: https://dev.mysql.com/doc/refman/8.4/en/show-grants.html,
 * https://mariadb.com/kb/en/grant/
 *
 * @module
 */

import { lex } from '../sql/lexer.ts'
import type { Token } from '../sql/lexer.ts'
import { MYSQL_LEXER } from './statement.ts'

/** Read-only privileges of both servers. */
const READING = new Set([
  'USAGE',
  'SELECT',
  'SHOW VIEW',
  'SHOW DATABASES',
  'SHOW CREATE ROUTINE',
  'SHOW_ROUTINE',
  'PROCESS',
  'REPLICATION CLIENT',
  'BINLOG MONITOR',
  'SLAVE MONITOR',
  'REPLICA MONITOR',
])

/** A longer row is not understood: reading one takes up to half a microsecond for each character. */
const ROW_LIMIT_CHARS = 16_384
/** Privileges that are kept. */
const MAX_RIGHTS = 100

export interface GrantReader {
  add(row: string): void
  /**
   * `undefined` if a row cannot be parsed, or names a role whose privileges are not among the rows.
   */
  rights(): readonly string[] | undefined
}

/** Reads each row as it comes: thousands in one turn would be a long one. */
export function grantReader(): GrantReader {
  const why = new Set<string>()
  let rows = 0
  let complete = true
  return {
    add(row) {
      const grant = row.length > ROW_LIMIT_CHARS ? undefined : readGrant(row)
      rows += 1
      if (grant?.complete !== true) complete = false
      for (const right of grant?.rights ?? []) if (why.size < MAX_RIGHTS) why.add(right)
    },
    rights() {
      if (why.size > 0) return [...why]
      return rows > 0 && complete ? [] : undefined
    },
  }
}

interface Grant {
  readonly rights: readonly string[]
  /** Whether the row was fully understood. */
  readonly complete: boolean
}

function readGrant(text: string): Grant | undefined {
  const lexed = lex(text, MYSQL_LEXER)
  if ('problem' in lexed) return undefined
  const { tokens } = lexed
  const verb = tokens[0]?.text
  // MySQL revokes parts of a privilege (partial_revokes); the rest was granted in another row.
  if (verb === 'REVOKE' || verb === 'SET') return { rights: [], complete: true }
  if (verb !== 'GRANT') return undefined
  const on = tokens.findIndex((token) => isWord(token, 'ON'))
  const to = tokens.findIndex((token, at) => at > on && isWord(token, 'TO'))
  if (to < 0) return undefined
  if (on < 0) return { rights: [], complete: false }
  const object = tokens.slice(on + 1, to).map(({ text: part }) => part.toLowerCase())
  const beyond = privilegesIn(tokens.slice(1, on)).filter((privilege) => !READING.has(privilege))
  if (hasGrantOption(tokens.slice(to))) beyond.push('GRANT OPTION')
  return { rights: beyond.map((each) => `${each} on ${object.join('')}`), complete: true }
}

/** `SELECT (a, b), SHOW VIEW` are two; columns are dropped. */
function privilegesIn(tokens: readonly Token[]): string[] {
  const all: string[] = []
  let words: string[] = []
  let depth = 0
  for (const { kind, text } of [...tokens, { kind: 'symbol', text: ',' }]) {
    if (kind === 'symbol' && text === '(') depth += 1
    else if (kind === 'symbol' && text === ')') depth -= 1
    else if (depth > 0) continue
    else if (kind === 'word') words.push(text)
    else if (text === ',') {
      all.push(words.join(' '))
      words = []
    }
  }
  return all
}

function hasGrantOption(tokens: readonly Token[]): boolean {
  return tokens.some((token, at) => isWord(token, 'GRANT') && tokens[at + 1]?.text === 'OPTION')
}

function isWord(token: Token, text: string): boolean {
  return token.kind === 'word' && token.text === text
}
