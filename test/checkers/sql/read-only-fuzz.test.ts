import { existsSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { MYSQL_STATEMENTS } from '../../../src/checkers/mysql/statement.ts'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { POSTGRES_STATEMENTS } from '../../../src/checkers/postgres/statement.ts'
import { writingProblem } from '../../../src/checkers/sql/statement.ts'
import { check } from '../../support/check.ts'
import { statements } from '../../support/hostile/sql.ts'
import { mulberry32 } from '../../support/mulberry32.ts'
import { mariadbServer, startMariadb } from '../../support/servers/mariadb.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'
import { postgresServer, startPostgres } from '../../support/servers/postgres.ts'

const SEED = Number(process.env['WATCHPOST_SQL_SEED'] ?? 12)
/** Of accepted statements, each of which is run on a real server. */
const RUNS = Number(process.env['WATCHPOST_SQL_RUNS'] ?? 150)

const host = '127.0.0.1'
const tls = 'off'

function canaryOf(kind: string): string {
  const file = join(tmpdir(), `watchpost-fuzz-${kind}-${process.pid}`)
  onTestFinished(() => rmSync(file, { force: true }))
  return file
}

interface Run {
  readonly canary: string
  readonly next: () => string
  readonly accepts: (sql: string) => boolean
  /** Runs it, whatever comes of it. */
  readonly check: (sql: string) => Promise<{ readonly verdict: string }>
  /** All that could be written, as one text. */
  readonly state: () => Promise<string>
}

async function hold({ canary, next, accepts, check, state }: Run): Promise<void> {
  const before = await state()
  let good = 0
  let refused = 0
  for (let run = 0; run < RUNS;) {
    const sql = next()
    if (!accepts(sql)) {
      refused += 1
      continue
    }
    run += 1
    if ((await check(sql)).verdict === 'ok') good += 1
    if (run % 25 !== 0) continue
    expect({ sql, state: await state(), canary: existsSync(canary) }).toEqual({
      sql: expect.any(String) as string,
      state: before,
      canary: false,
    })
  }
  // Neither too strict nor too loose to be a trial.
  expect(good).toBeGreaterThan(RUNS / 5)
  expect(refused).toBeGreaterThan(RUNS / 5)
}

describeWithServer(mariadbServer, 'what is accepted, of statements at random', () => {
  it('changes nothing on MariaDB, for a user who may do everything', async () => {
    const server = await forThisTest(
      startMariadb({
        sql: [
          'CREATE TABLE app.notes (note TEXT)',
          'CREATE SEQUENCE app.counter',
          "CREATE FUNCTION app.writes() RETURNS INT BEGIN SET SESSION TRANSACTION READ WRITE; INSERT INTO app.notes VALUES ('x'); RETURN 1; END",
          "GRANT ALL ON *.* TO 'u'@'%' WITH GRANT OPTION",
        ],
      }),
    )
    const login = { host, port: server.ports.mysql, user: 'u', database: 'app' }
    const look = await createConnection({ ...login, password: 'secret' })
    onTestFinished(() => look.end())
    const canary = canaryOf('mysql')
    await hold({
      canary,
      next: statements('mysql', canary, mulberry32(SEED)),
      accepts: (sql) => writingProblem(sql, MYSQL_STATEMENTS) === undefined,
      check: (query) => check(mysql(), { ...login, tls, pass: 'secret', query }),
      state: async () => {
        const asked = [
          'CHECKSUM TABLE items, notes',
          'SELECT next_not_cached_value FROM counter',
          'SELECT count(*) FROM information_schema.tables',
          'SELECT @@global.max_connections, @@global.read_only',
        ]
        const rows: unknown[] = []
        for (const sql of asked) rows.push((await look.query(sql))[0])
        return JSON.stringify(rows)
      },
    })
  })
})

describeWithServer(postgresServer, 'what is accepted, of statements at random', () => {
  it('changes nothing on PostgreSQL, for a superuser', async () => {
    const server = await forThisTest(
      startPostgres({
        sql: [
          'CREATE TABLE notes (note text)',
          'CREATE SEQUENCE counter',
          "CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS 'INSERT INTO notes VALUES (''x'') RETURNING 1'",
        ],
      }),
    )
    const login = { host, port: server.ports.postgres, user: 'postgres', database: 'app' }
    const look = new pg.Client(login)
    look.on('error', () => undefined)
    await look.connect()
    onTestFinished(() => look.end())
    const { rows } = await look.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const canary = canaryOf('postgres')
    const next = statements('postgres', canary, mulberry32(SEED))
    await hold({
      canary,
      // The session that looks is the one that is to be ended.
      next: () => next().replaceAll('VICTIM', String(rows[0]?.pid)),
      accepts: (sql) => writingProblem(sql, POSTGRES_STATEMENTS) === undefined,
      check: (query) => check(postgres(), { ...login, tls, query }),
      state: async () => {
        const { rows: found } = await look.query(
          `SELECT (SELECT string_agg(i::text, ',' ORDER BY id) FROM items AS i) AS items,
             (SELECT count(*) FROM notes) AS notes, (SELECT last_value FROM counter) AS counter,
             (SELECT count(*) FROM pg_largeobject_metadata) AS objects, (SELECT count(*) FROM pg_class WHERE relpersistence = 'p') AS tables,
             pg_conf_load_time() AS loaded`,
        )
        return JSON.stringify(found)
      },
    })
  })
})

it('is the same for the same seed', () => {
  const [one, other] = [1, 1].map((seed) => statements('mysql', 'x', mulberry32(seed)))
  expect(Array.from({ length: 5 }, () => one?.())).toEqual(
    Array.from({ length: 5 }, () => other?.()),
  )
})
