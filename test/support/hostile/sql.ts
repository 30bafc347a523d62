/**
 * Statements that try to write, by every way a superuser has, put together at random: half of them read
 * well, and the rest is hidden in quotes, comments and odd spellings.
 *
 * @module
 */

export type SqlKind = 'mysql' | 'postgres'

interface Pieces {
  readonly values: readonly string[]
  readonly tails: readonly string[]
  readonly beginnings: readonly string[]
  readonly hiding: readonly string[]
}

const SHARED: Pieces = {
  values: [
    '1',
    "'a'",
    "''''",
    'count(*)',
    'NULL',
    '1 + 1',
    "'; DELETE FROM items; '",
    'id',
    'name',
    '1e5',
  ],
  tails: [
    '',
    'WHERE id = 1',
    'ORDER BY 1',
    'LIMIT 2',
    'FOR UPDATE',
    'FOR SHARE',
    '; DELETE FROM items',
    '; DROP TABLE items --',
    'INTO made',
    ';',
    'UNION SELECT 1',
    '-- the end',
  ],
  beginnings: [
    ...['SELECT', 'SELECT', 'SELECT', 'SELECT', 'SELECT', 'VALUES', 'EXPLAIN SELECT'],
    ...[
      'EXPLAIN ANALYZE SELECT',
      'WITH w AS (SELECT 1) SELECT',
      '(SELECT',
      'WITH w AS (DELETE FROM items) SELECT',
    ],
    ...[
      'DELETE FROM items WHERE 1 = 1 OR',
      'INSERT INTO notes SELECT',
      'CREATE TABLE made AS SELECT',
      'SHOW',
      'CALL',
      'DO',
    ],
  ],
  hiding: [
    ' ',
    ' ',
    ' ',
    '\n',
    '/**/',
    "/* ' */",
    '/* " */',
    "-- '\n",
    '/*!*/',
    '/* /* */',
    "'",
    '"',
    '\\',
    "\\'",
    '`',
    '$$',
    ';',
    '(',
  ],
}

const OWN: Readonly<Record<SqlKind, (canary: string) => Pieces>> = {
  mysql: (canary) => ({
    values: [
      ...[
        'app.writes()',
        'NEXT VALUE FOR app.counter',
        'NEXTVAL(app.counter)',
        'SETVAL(app.counter, 50)',
        '@a := 1',
      ],
      ...[
        "LOAD_FILE('/etc/passwd')",
        "GET_LOCK('a', 0)",
        '`app`.`writes`()',
        'SLEEP(0)',
        "REPLACE('a', 'b', 'c')",
      ],
    ],
    tails: [
      ...[
        `INTO OUTFILE '${canary}'`,
        `INTO DUMPFILE '${canary}'`,
        'INTO @a',
        'LOCK IN SHARE MODE',
        'PROCEDURE ANALYSE()',
      ],
      ...[
        `/*!50000 INTO OUTFILE '${canary}' */`,
        `/*M!100000 INTO OUTFILE '${canary}' */`,
        `#\n INTO OUTFILE '${canary}'`,
      ],
      ...[
        `--\u00a0 INTO OUTFILE '${canary}'`,
        `'\\' INTO OUTFILE '${canary}' -- '`,
        `1INTO OUTFILE '${canary}'`,
      ],
    ],
    beginnings: [
      'SET STATEMENT tx_read_only=0 FOR SELECT',
      'BEGIN NOT ATOMIC SELECT',
      'SET GLOBAL max_connections = 77; SELECT',
      'ANALYZE SELECT',
    ],
    hiding: ['#', '/*M!*/', '"\\"', '--\u00a0'],
  }),
  postgres: (canary) => ({
    values: [
      ...[
        'writes()',
        "nextval('counter')",
        "setval('counter', 50)",
        'lo_create(0)',
        "lo_import('/etc/passwd')",
      ],
      ...[
        "lo_from_bytea(0, 'x')",
        "('/etc/passwd'::text).lo_import",
        '(0).lo_create',
        "('counter'::regclass).nextval",
        'pg_reload_conf()',
        'pg_cancel_backend(1)',
        'pg_terminate_backend(VICTIM)',
        "pg_create_restore_point('x')",
      ],
      ...[
        '"pg_terminate_backend"(VICTIM)',
        'pg_catalog . pg_terminate_backend(VICTIM)',
        'U&"pg\\005fterminate_backend"(VICTIM)',
      ],
      ...[
        "query_to_xml('SELECT lo_create(0)', true, true, '')",
        "query_to_xml('SELECT pg_terminate_backend(VICTIM)', true, true, '')",
      ],
      ...[
        "set_config('transaction_read_only', 'off', false)",
        "ts_stat('SELECT pg_terminate_backend(VICTIM)')",
        'pg_stat_reset()',
      ],
      ...['pg_sleep(0)', '$$; DELETE$$', "E'\\x27'", '$a$ $$ $a$', 'pg_is_in_recovery()'],
    ],
    tails: [
      `'; COPY (SELECT 1) TO PROGRAM 'touch ${canary}'; --`,
      'FOR NO KEY UPDATE',
      '$$ INTO made $$',
      'FETCH FIRST ROW ONLY',
    ],
    beginnings: [
      ...[
        `COPY (SELECT 1) TO PROGRAM 'touch ${canary}'; SELECT`,
        `COPY items TO '${canary}'; SELECT`,
        'EXPLAIN (ANALYZE) SELECT',
        'DO $$ BEGIN DELETE FROM items; END $$; SELECT',
      ],
      ...[
        'WITH w AS (INSERT INTO notes VALUES (1) RETURNING 1) SELECT',
        'EXPLAIN (VERBOSE) SELECT',
        'SET TRANSACTION READ WRITE; SELECT',
      ],
    ],
    hiding: ['$$', '$a$', "E'", 'U&"', '/* /* */ */'],
  }),
}

/** `canary`: a file that nobody may make. */
export function statements(kind: SqlKind, canary: string, random: () => number): () => string {
  const own = OWN[kind](canary)
  const pool = (name: keyof Pieces): readonly string[] => [...SHARED[name], ...own[name]]
  const [values, tails, beginnings, hiding] = [
    pool('values'),
    pool('tails'),
    pool('beginnings'),
    pool('hiding'),
  ]
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
  const between = (): string => (random() < 0.8 ? ' ' : pick(hiding))
  const spelt = (text: string): string => (random() < 0.2 ? text.toLowerCase() : text)

  return () => {
    const list = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(values))
    const from = random() < 0.6 ? ['FROM', 'items'] : []
    const tail = random() < 0.5 ? [pick(tails)] : []
    const beginning = random() < 0.5 ? 'SELECT' : pick(beginnings)
    const parts = [beginning, list.join(`,${between()}`), ...from, ...tail]
    const text = parts.map(spelt).reduce((sql, part) => sql + between() + part)
    return beginning.startsWith('(') ? `${text})` : text
  }
}
