import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, up } from '../../../src/checkers/checker.ts'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { logIn as logInToMysql } from '../../../src/checkers/mysql/login.ts'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { logIn as logInToPostgres } from '../../../src/checkers/postgres/login.ts'
import { executeCheck } from '../../../src/engine/checks/execute-check.ts'
import { systemClock } from '../../../src/clock.ts'
import { ValidationError } from '../../../src/errors.ts'
import { silentLogger } from '../../../src/logger.ts'
import { createNetwork } from '../../../src/net/create-net.ts'
import { check as checkWith } from '../../support/check.ts'
import { patientClock } from '../../support/patient-clock.ts'
import type { MariadbServer } from '../../support/servers/mariadb.ts'
import { mariadbServer, startMariadb } from '../../support/servers/mariadb.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import type { PostgresServer } from '../../support/servers/postgres.ts'
import { postgresServer, startPostgres } from '../../support/servers/postgres.ts'

const host = '127.0.0.1'

/** The rights of a login are told where the server says them within half a second. */
const check: typeof checkWith = (checker, input) =>
  checkWith(checker, input, { clock: patientClock })

/** A file that nobody may make. */
const canary = (name: string): string => join(tmpdir(), `watchpost-${name}-${process.pid}`)
const CANARIES = ['outfile', 'program'].map(canary)
afterAll(() => CANARIES.forEach((file) => rmSync(file, { force: true })))

/** What became of a check whose settings may be refused. */
async function outcomeOf(checked: () => Promise<object>): Promise<object> {
  try {
    return await checked()
  } catch (error) {
    if (error instanceof ValidationError) return { refused: error.fields }
    throw error
  }
}

const REFUSED = { refused: { query: expect.stringMatching(/^invalid: /) as string } }

/** Lines of SQL out of the page of a type, with what the reader has to fill in. */
function documented(type: string, fill: Readonly<Record<string, string>>): readonly string[] {
  const page = readFileSync(new URL(`../../../docs/checkers/${type}.md`, import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('## The user'), page.indexOf('## The query'))
  const blocks = [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql)
  expect(blocks).not.toHaveLength(0)
  const filled = Object.entries(fill).reduce(
    (sql, [from, to]) => sql.replaceAll(from, to),
    blocks.join('\n'),
  )
  return filled.split(/;\s*\n/).filter((line) => line.trim() !== '')
}

/** A checker that asks the query without looking at it. */
const unguarded = (
  type: 'mysql' | 'postgres',
  logIn: typeof logInToMysql | typeof logInToPostgres,
) =>
  defineChecker({
    ...((type === 'mysql' ? mysql() : postgres()) as ReturnType<typeof mysql>),
    type,
    refine: (settings) => ({ settings }),
    async run(ctx, settings) {
      const session = await logIn(ctx, settings, undefined)
      const { query: sql = '' } = settings
      try {
        const { rows, read_only } = await session.query({ sql, rows_max: 1, timeout_ms: 4000 })
        return up({ details: { rows, read_only } })
      } finally {
        await session.goodbye()
      }
    },
  })

describeWithServer(mariadbServer, 'a MariaDB user who may do everything', () => {
  let server: MariadbServer
  beforeAll(async () => {
    server = await startMariadb({
      sql: [
        'CREATE DATABASE IF NOT EXISTS shop',
        'CREATE TABLE IF NOT EXISTS shop.orders (id INT PRIMARY KEY)',
        'REPLACE INTO shop.orders VALUES (1), (2)',
        'CREATE TABLE IF NOT EXISTS app.notes (note TEXT)',
        'CREATE TABLE IF NOT EXISTS app.unsafe (note TEXT) ENGINE=MyISAM',
        'CREATE SEQUENCE IF NOT EXISTS app.counter',
        "CREATE OR REPLACE FUNCTION app.writes() RETURNS INT BEGIN SET SESSION TRANSACTION READ WRITE; INSERT INTO app.notes VALUES ('x'); RETURN 1; END",
        "CREATE USER IF NOT EXISTS 'all'@'%' IDENTIFIED BY 'secret'",
        "GRANT ALL ON *.* TO 'all'@'%' WITH GRANT OPTION",
      ],
    })
  })
  afterAll(() => server.stop())
  const all = () => ({ host, port: server.ports.mysql, user: 'all', pass: 'secret' })

  async function ask(...statements: readonly string[]): Promise<unknown> {
    const { port, user, pass: password } = all()
    const connection = await createConnection({ host, port, user, password })
    try {
      let rows: unknown
      for (const sql of statements) [rows] = await connection.query(sql)
      return rows
    } finally {
      await connection.end()
    }
  }

  it.each([
    "BEGIN NOT ATOMIC SET SESSION TRANSACTION READ WRITE; INSERT INTO app.notes VALUES ('x'); END",
    "SET STATEMENT tx_read_only=0 FOR INSERT INTO app.notes VALUES ('x')",
    `SELECT 'x' INTO OUTFILE '${canary('outfile')}'`,
    `SELECT /*!50000 'x' INTO OUTFILE '${canary('outfile')}' */`,
    'SELECT NEXT VALUE FOR app.counter',
    'SELECT * FROM app.items FOR UPDATE',
    "SELECT LOAD_FILE('/etc/passwd')",
  ])('cannot make a monitor of %s', async (query) => {
    const outcome = await outcomeOf(() => check(mysql(), { ...all(), query }))
    expect({ outcome, written: await ask('SELECT * FROM app.notes') }).toEqual({
      outcome: REFUSED,
      written: [],
    })
    expect(existsSync(canary('outfile'))).toBe(false)
  })

  it.each([
    ["INSERT INTO app.notes VALUES ('x')", 1792],
    ["INSERT INTO app.unsafe VALUES ('x')", 1792],
    ['DELETE FROM app.items', 1792],
    ['CREATE TABLE app.made (a INT)', 1792],
    ['DROP TABLE app.items', 1792],
    ['SELECT app.writes()', 1792],
    ['SELECT NEXT VALUE FOR app.counter', 1792],
    ['SELECT 1; SELECT 2', 1064],
  ])('is kept from %s by the transaction alone', async (query, errno) => {
    const before = await ask('CHECKSUM TABLE app.items, app.notes, app.unsafe')
    const outcome = await check(unguarded('mysql', logInToMysql), { ...all(), query })
    expect(outcome).toMatchObject({ cause_code: 'db_query_failed', details: { errno } })
    expect(await ask('CHECKSUM TABLE app.items, app.notes, app.unsafe')).toEqual(before)
  })

  it('is told that it may do more than read', async () => {
    const { details } = await check(mysql(), { ...all(), query: 'SELECT 1' })
    expect(details).toMatchObject({
      rows: 1,
      read_only: false,
      read_only_why: ['ALL PRIVILEGES on *.*', 'GRANT OPTION on *.*'],
    })
    expect(JSON.stringify(details)).not.toMatch(/secret|\*[0-9A-F]{40}/)
  })

  it.each([
    ['GRANT INSERT (id), SELECT ON shop.orders', ['INSERT on shop.orders']],
    ['GRANT SELECT, FILE ON *.*', ['FILE on *.*']],
    ['GRANT EXECUTE ON app.*', ['EXECUTE on app.*']],
    ['GRANT SELECT ON shop.*', undefined],
    ['GRANT SELECT, SHOW VIEW, PROCESS, SHOW DATABASES, BINLOG MONITOR ON *.*', undefined],
  ])('%s is told as %j', async (grant, why) => {
    await ask("CREATE OR REPLACE USER 'some'@'%' IDENTIFIED BY 'secret'", `${grant} TO 'some'@'%'`)
    const { details } = await check(mysql(), { ...all(), user: 'some', query: 'SELECT 1' })
    expect(details['read_only']).toBe(why === undefined)
    expect(details['read_only_why']).toEqual(why)
  })

  it('has rights by a role that is active', async () => {
    await ask(
      "CREATE OR REPLACE USER 'some'@'%' IDENTIFIED BY 'secret'",
      'CREATE OR REPLACE ROLE writers',
      'GRANT INSERT ON shop.orders TO writers',
      "GRANT writers TO 'some'@'%'",
      "SET DEFAULT ROLE writers FOR 'some'@'%'",
    )
    const { details } = await check(mysql(), { ...all(), user: 'some', query: 'SELECT 1' })
    expect(details).toMatchObject({ read_only: false, read_only_why: ['INSERT on shop.orders'] })
  })

  it('is not needed: the user of the documentation may do what a monitor does, and no more', async () => {
    await ask(...documented('mysql', { '…': 'pw', '192.0.2.%': '%' }))
    const input = { ...all(), user: 'monitor', pass: 'pw', query: 'SELECT 1 FROM shop.orders' }
    expect(await check(mysql(), { ...input, expect_rows_min: 2 })).toMatchObject({
      verdict: 'ok',
      details: { rows: 2, read_only: true },
    })
    expect(await check(mysql(), { ...input, query: 'SELECT * FROM app.items' })).toMatchObject({
      cause_code: 'db_query_failed',
    })
  })
})

describeWithServer(postgresServer, 'a PostgreSQL superuser', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({
      sql: [
        'CREATE TABLE notes (note text)',
        'CREATE SEQUENCE counter',
        "CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO notes VALUES (''x'') RETURNING 1'",
        'CREATE TABLE heartbeats (seen_at timestamptz)',
        'INSERT INTO heartbeats VALUES (now()), (now())',
      ],
    })
  })
  afterAll(() => server.stop())
  const root = () => ({ host, port: server.ports.postgres, user: 'postgres', database: 'app' })

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client(root())
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  async function ask(...statements: readonly string[]): Promise<Record<string, unknown>[]> {
    const client = await connected()
    try {
      let rows: Record<string, unknown>[] = []
      for (const sql of statements) rows = (await client.query<Record<string, unknown>>(sql)).rows
      return rows
    } finally {
      await client.end()
    }
  }

  const state = () =>
    ask(
      "SELECT (SELECT count(*) FROM notes) AS notes, (SELECT count(*) FROM items) AS items, (SELECT last_value FROM counter) AS counter, (SELECT count(*) FROM pg_largeobject_metadata) AS objects, (SELECT count(*) FROM pg_class WHERE oid >= 16384 AND relkind = 'r') AS tables",
    )

  it.each([
    `COPY (SELECT 1) TO PROGRAM 'touch ${canary('program')}'`,
    "SELECT lo_import('/etc/passwd')",
    "SELECT ('/etc/passwd'::text).lo_import",
    "SELECT ('/etc/passwd'::text).pg_read_file",
    `SELECT lo_export(1, '${canary('program')}')`,
    "SELECT query_to_xml('SELECT pg_reload_conf()', true, true, '')",
    "SELECT nextval('counter')",
    'WITH w AS (DELETE FROM items RETURNING 1) SELECT * FROM w',
  ])('cannot make a monitor of %s', async (query) => {
    const before = await state()
    const outcome = await outcomeOf(() => check(postgres(), { ...root(), query }))
    expect({ outcome, state: await state() }).toEqual({ outcome: REFUSED, state: before })
    expect(existsSync(canary('program'))).toBe(false)
  })

  it.each([
    (pid: number) => `SELECT pg_terminate_backend(${pid})`,
    (pid: number) => `SELECT (${pid}).pg_terminate_backend`,
    (pid: number) => `SELECT p.pg_terminate_backend FROM generate_series(${pid}, ${pid}) AS p`,
    (pid: number) => `SELECT p.pg_terminate_backend FROM generate_series(${pid}, ${pid}) p`,
    (pid: number) => `SELECT abs.pg_terminate_backend FROM abs(${pid})`,
  ])('cannot make a monitor that ends other sessions: %s', async (ending) => {
    const victim = await connected()
    onTestFinished(() => victim.end().catch(() => undefined))
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const query = ending(rows[0]?.pid ?? 0)
    expect(await outcomeOf(() => check(postgres(), { ...root(), query }))).toEqual(REFUSED)
    expect((await victim.query('SELECT 1')).rows).toHaveLength(1)
  })

  it.each([
    ["INSERT INTO notes VALUES ('x')", '25006'],
    ['DELETE FROM items', '25006'],
    ['CREATE TABLE made (a int)', '25006'],
    ['DROP TABLE items', '25006'],
    ['SELECT writes()', '25006'],
    ["SELECT nextval('counter')", '25006'],
    ['SET TRANSACTION READ WRITE', '25001'],
    ["SELECT set_config('transaction_read_only', 'off', false) FROM items", '25001'],
    ["COMMIT; INSERT INTO notes VALUES ('x')", '42601'],
    ["WITH w AS (INSERT INTO notes VALUES ('x') RETURNING 1) SELECT * FROM w", '25006'],
    ['COPY notes FROM STDIN', '25006'],
  ])('is kept from %s by the transaction alone', async (query, sqlstate) => {
    const before = await state()
    const outcome = await check(unguarded('postgres', logInToPostgres), { ...root(), query })
    expect(outcome).toMatchObject({ cause_code: 'db_query_failed', details: { sqlstate } })
    expect(await state()).toEqual(before)
  })

  it('is told that it may do more than read', async () => {
    const { details } = await check(postgres(), { ...root(), query: 'SELECT 1' })
    expect(details).toMatchObject({ rows: 1, read_only: false, read_only_why: ['superuser'] })
  })

  it.each([
    ['GRANT SELECT ON items TO somebody', undefined],
    ['GRANT pg_monitor TO somebody', undefined],
    ['GRANT pg_read_all_data TO somebody', undefined],
    ['GRANT pg_write_server_files TO somebody', ['member of pg_write_server_files']],
    ['GRANT pg_execute_server_program TO somebody', ['member of pg_execute_server_program']],
    ['GRANT INSERT ON items TO somebody', ['may write to public.items']],
    ['GRANT UPDATE (name) ON items TO somebody', ['may write to public.items']],
    ['GRANT USAGE ON SEQUENCE counter TO somebody', ['may move the sequence public.counter']],
    ['GRANT CREATE ON SCHEMA public TO somebody', ['CREATE on schema public']],
    ['GRANT CREATE ON DATABASE app TO somebody', ['CREATE on database app']],
    ['ALTER ROLE somebody CREATEDB CREATEROLE', ['may create roles, may create databases']],
    ['ALTER TABLE heartbeats OWNER TO somebody', ['may write to public.heartbeats']],
  ])('%s is told as %j', async (grant, why) => {
    await ask(
      'DO $$ BEGIN CREATE ROLE somebody; EXCEPTION WHEN duplicate_object THEN NULL; END $$',
      'ALTER TABLE heartbeats OWNER TO postgres',
      'DROP OWNED BY somebody',
      'DROP ROLE somebody',
      "CREATE ROLE somebody LOGIN PASSWORD 'secret'",
      grant,
    )
    const login = { ...root(), user: 'somebody', pass: 'secret' }
    const { details } = await check(postgres(), { ...login, query: 'SELECT 1' })
    expect(details['read_only']).toBe(why === undefined)
    expect(details['read_only_why']).toEqual(why)
  })

  it('is not needed: the role of the documentation may do what a monitor does, and no more', async () => {
    await ask('ALTER TABLE heartbeats OWNER TO postgres')
    await ask(...documented('postgres', { '…': 'pw', 'DATABASE shop': 'DATABASE app' }))
    const input = { ...root(), user: 'monitor', pass: 'pw', query: 'SELECT 1 FROM heartbeats' }
    expect(await check(postgres(), { ...input, expect_rows_min: 2 })).toMatchObject({
      verdict: 'ok',
      details: { rows: 2, read_only: true },
    })
    expect(await check(postgres(), { ...input, query: 'SELECT * FROM notes' })).toMatchObject({
      cause_code: 'db_query_failed',
      details: { sqlstate: '42501' },
    })
  })
})

describeWithServer(postgresServer, 'a monitor that was stored with a query that writes', () => {
  it('still logs in and pings, and is unknown: nobody is woken, nothing is run', async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    const stored = {
      host,
      port: server.ports.postgres,
      tls: 'prefer',
      user: 'postgres',
      pass: '',
      database: 'app',
      query: 'DELETE FROM items RETURNING 1',
    }
    const network = createNetwork({ clock: systemClock, policy: () => undefined })
    const run = { clock: systemClock, network, timeout_ms: 30_000, log: silentLogger }
    const location = { id: 1, name: 'test' }
    const asStored = async (settings: typeof stored) =>
      (await executeCheck(postgres(), settings, { ...run, location })).outcome
    expect(await asStored(stored)).toMatchObject({
      verdict: 'unknown',
      cause_code: 'db_query_refused',
      cause_text: expect.stringContaining('one statement that only reads is expected') as string,
      phase: 'query',
    })
    const counted = { ...stored, query: 'SELECT 1 FROM items', expect_rows_min: 3 }
    expect(await asStored(counted)).toMatchObject({ verdict: 'ok' })
    expect(await asStored({ ...stored, database: 'nowhere' })).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_database_missing',
    })
  })
})

describe('the settings', () => {
  it.each([
    ['mysql', mysql()],
    ['postgres', postgres()],
  ] as const)('of %s are refused at the query, with what to do', async (_, checker) => {
    const input = { host, user: 'u', query: 'DROP TABLE t' }
    expect(await outcomeOf(() => check(checker, input))).toEqual({
      refused: {
        query:
          'invalid: one statement that only reads is expected: SELECT, WITH, VALUES, SHOW, or EXPLAIN without ANALYZE',
      },
    })
  })
})
