/**
 * Rules for read-only statements of MySQL and MariaDB, valid in every `sql_mode`.
 *
 * Sources: https://dev.mysql.com/doc/refman/8.4/en/language-structure.html,
 * https://mariadb.com/kb/en/comment-syntax/, https://mariadb.com/kb/en/string-literals/
 *
 * @module
 */

import {
  BLANKS,
  DOUBLE_QUOTED_BACKSLASHES,
  DOUBLE_QUOTES,
  matching,
  OPEN_COMMENT,
  OUTSIDE_BACKSLASH,
  SPOKEN_COMMENTS,
  STRINGS,
} from '../sql/lexer.ts'
import type { LexerRule } from '../sql/lexer.ts'
import type { Dialect } from '../sql/statement.ts'

export const MYSQL_LEXER: readonly LexerRule[] = [
  BLANKS,
  SPOKEN_COMMENTS,
  // Comments do not nest in MySQL; a comment that contains another opening is refused.
  [matching(/\/\*(?:[^*/]|\*(?!\/)|\/(?!\*))*\*\//y), 'nothing'],
  OPEN_COMMENT,
  [matching(/#[^\n]*/y), 'nothing'],
  [matching(/--(?=[ \t\n\r\f\v]|$)[^\n]*/y), 'nothing'],
  [matching(/--/y), 'problem', 'a blank is missing behind -- of a comment, or between two signs'],
  ...STRINGS,
  // Strings, or names with ANSI_QUOTES.
  DOUBLE_QUOTED_BACKSLASHES,
  ...DOUBLE_QUOTES,
  [matching(/`(?:[^`]|``)*`(?!`)/y), 'name'],
  [matching(/`/y), 'problem', 'a name in quotes has no end'],
  OUTSIDE_BACKSLASH,
  [matching(/:=/y), 'problem', ':= assigns a variable'],
  [matching(/\$/y), 'problem', 'a name may not begin with $'],
  [matching(/[\w\u0080-\uffff][\w$\u0080-\uffff]*/y), 'word'],
]

const DENIED =
  /^(?:GET_LOCK|RELEASE_LOCK|RELEASE_ALL_LOCKS|LOAD_FILE|NEXTVAL|SETVAL|SYS_(?:EXEC|EVAL|SET|GET)|SERVICE_\w+|(?:SPIDER|GROUP_REPLICATION|ASYNCHRONOUS_CONNECTION_FAILOVER|KEYRING|AUDIT_LOG|VERSION_TOKENS|HTTP)_\w+)$/

export const MYSQL_STATEMENTS: Dialect = {
  lexer: MYSQL_LEXER,
  words: new Set([
    'INTO',
    'INSERT',
    'REPLACE',
    'UPDATE',
    'DELETE',
    'MERGE',
    'PROCEDURE',
    // Sequence access in Oracle mode.
    'NEXTVAL',
  ]),
  functionsToo: new Set(['INSERT', 'REPLACE']),
  pairs: {
    FOR: new Set(['SHARE']),
    LOCK: new Set(['IN']),
    NEXT: new Set(['VALUE']),
  },
  shown: new Set(['PROCEDURE']),
  denies: (name) => DENIED.test(name),
  callsByDot: false,
}
