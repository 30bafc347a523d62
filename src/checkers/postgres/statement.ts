/**
 * Rules for read-only statements of PostgreSQL.
 *
 * Sources: https://www.postgresql.org/docs/current/sql-syntax-lexical.html,
 * https://www.postgresql.org/docs/current/functions.html
 *
 * @module
 */

import {
  BLANKS,
  DOUBLE_QUOTES,
  matching,
  OPEN_COMMENT,
  OUTSIDE_BACKSLASH,
  SPOKEN_COMMENTS,
  STRINGS,
} from '../sql/lexer.ts'
import type { LexerRule } from '../sql/lexer.ts'
import type { Dialect } from '../sql/statement.ts'

const POSTGRES_LEXER: readonly LexerRule[] = [
  BLANKS,
  SPOKEN_COMMENTS,
  [nestedComment, 'nothing'],
  OPEN_COMMENT,
  [matching(/--[^\n\r]*/y), 'nothing'],
  [matching(/U&['"]/iy), 'problem', 'Unicode escapes (U&) are not allowed'],
  ...STRINGS,
  ...DOUBLE_QUOTES,
  [dollarQuoted, 'text'],
  [matching(/\$\d+/y), 'text'],
  [matching(/\$/y), 'problem', 'a string between $ signs has no end'],
  OUTSIDE_BACKSLASH,
  [matching(/\d[\w\u0080-\uffff]*/y), 'word'],
  [matching(/[\w\u0080-\uffff][\w$\u0080-\uffff]*/y), 'word'],
]

function nestedComment(sql: string, at: number): number | undefined {
  if (!sql.startsWith('/*', at)) return undefined
  const mark = /\/\*|\*\//g
  mark.lastIndex = at
  let depth = 0
  for (let found = mark.exec(sql); found !== null; found = mark.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
  return undefined
}

const TAG = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy

function dollarQuoted(sql: string, at: number): number | undefined {
  TAG.lastIndex = at
  const tag = TAG.exec(sql)?.[0]
  if (tag === undefined) return undefined
  const end = sql.indexOf(tag, at + tag.length)
  return end < 0 ? undefined : end + tag.length
}

/** Denied functions besides those of the server itself. */
const DENIED =
  /^(?:LO_\w+|LOREAD|LOWRITE|SET_CONFIG|NEXTVAL|SETVAL|DBLINK\w*|(?:QUERY|CURSOR)_TO_XML\w*|TS_STAT|TS_REWRITE|CROSSTAB\w*|CONNECTBY|XPATH_TABLE|BINARY_UPGRADE_\w+|GIN_CLEAN_PENDING_LIST|BRIN_(?:DE)?SUMMARIZE\w*|POSTGRES_FDW_\w+|HEAP_FORCE_\w+|HTTP(?:_\w+)?)$/

/** Allowed server functions that only read. An allow-list, since each version adds functions. */
const LOOKING =
  /^PG_(?:(?:IS|GET|STAT_GET|LAST|SNAPSHOT|XACT|CONTROL|SHOW|RELATION|TABLESPACE|COLUMN|COLLATION|IDENTIFY_OBJECT|PARTITION|INPUT)_\w+|\w+_(?:SIZE|IS_VISIBLE)|SIZE_(?:PRETTY|BYTES)|CURRENT_(?:WAL_\w+|SNAPSHOT|XACT_ID_IF_ASSIGNED)|WAL_LSN_DIFF|WALFILE_\w+|VISIBLE_IN_SNAPSHOT|POSTMASTER_START_TIME|CONF_LOAD_TIME|BACKEND_PID|BLOCKING_PIDS|SAFE_SNAPSHOT_BLOCKING_PIDS|TYPEOF|HAS_ROLE|STAT_STATEMENTS(?:_INFO)?|DESCRIBE_OBJECT|CLIENT_ENCODING|ENCODING_TO_CHAR|CHAR_TO_ENCODING|TRIGGER_DEPTH|JIT_AVAILABLE|OPTIONS_TO_TABLE|LOCK_STATUS|PREPARED_XACT|MY_TEMP_SCHEMA|SLEEP(?:_FOR|_UNTIL)?)$/

export const POSTGRES_STATEMENTS: Dialect = {
  lexer: POSTGRES_LEXER,
  words: new Set(['INTO', 'INSERT', 'UPDATE', 'DELETE', 'MERGE']),
  functionsToo: new Set(),
  pairs: { FOR: new Set(['NO', 'SHARE', 'KEY']) },
  shown: new Set(),
  denies: (name) => DENIED.test(name) || (name.startsWith('PG_') && !LOOKING.test(name)),
  callsByDot: true,
}
