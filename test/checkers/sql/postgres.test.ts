import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { patientClock } from '../../support/patient-clock.ts'
import { closedPort } from '../../support/scripted-server.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'
import type { PostgresOptions, PostgresServer } from '../../support/servers/postgres.ts'
import { postgresServer, startPostgres } from '../../support/servers/postgres.ts'

const checker = postgres()
const login = { user: 'u', pass: 'secret', database: 'app' } as const
const host = '127.0.0.1'

const on = ({ ports }: PostgresServer) => ({ host, port: ports.postgres, ...login })

/** Rows of a statement, by the driver alone. */
async function ask(server: PostgresServer, sql: string): Promise<unknown[]> {
  const { ports } = server
  const client = new pg.Client({ host, port: ports.postgres, user: 'postgres', database: 'app' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

const SLEEPING =
  "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'"

describeWithServer(postgresServer, 'a PostgreSQL that is well', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({
      settings: ['log_statement=all', 'log_connections=on', 'log_disconnections=on'],
      sql: ['CREATE TABLE notes (note text)', 'GRANT ALL ON notes TO u'],
    })
  })
  afterAll(() => server.stop())

  it('lets us in and answers a ping; version and phases are told', async () => {
    const outcome = await check(checker, on(server))
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, remote_ip: host })
    expect(outcome.details['server_version']).toMatch(/^\d+\.\d+/)
    expect(outcome.details).not.toHaveProperty('rows')
    expect(Object.keys(outcome.phases)).toEqual([
      'connect_ms',
      'greeting_ms',
      'starttls_ms',
      'auth_ms',
      'query_ms',
    ])
  })

  it.each(['prefer', 'require', 'verify', true] as const)(
    'speaks TLS with tls=%s, held against an address and against a name',
    async (tls) => {
      for (const name of [host, 'db.example.test']) {
        const input = { ...on(server), host: name, tls: tls as never }
        const outcome = await check(checker, input, { hosts: { 'db.example.test': [host] } })
        expect(outcome).toMatchObject({
          verdict: 'ok',
          details: { tls: { protocol: 'TLSv1.3', authorized: true } },
        })
      }
    },
  )

  it.each(['off', false] as const)('speaks in clear with tls=%s', async (tls) => {
    const outcome = await check(checker, { ...on(server), tls: tls as never })
    expect(outcome.verdict).toBe('ok')
    expect(Object.keys(outcome.phases)).toEqual(['connect_ms', 'auth_ms', 'query_ms'])
  })

  it('counts rows up to what is expected and no further', async () => {
    const query = 'SELECT * FROM items'
    for (const [expect_rows_min, rows] of [
      [undefined, 1],
      [0, 1],
      [2, 2],
      [3, 3],
    ] as const) {
      const input = { ...on(server), query, expect_rows_min: expect_rows_min ?? null }
      expect(await check(checker, input)).toMatchObject({ verdict: 'ok', details: { rows } })
    }
  })

  it('returns too few rows', async () => {
    const input = { ...on(server), query: 'SELECT * FROM items', expect_rows_min: 4 }
    expect(await check(checker, input)).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_rows_too_few',
      cause_text: 'The query returned 3 rows, at least 4 expected',
      phase: 'query',
      details: { rows: 3 },
    })
  })

  it('makes no more rows than are wanted', async () => {
    const query = 'SELECT i FROM generate_series(1, 1000000000) AS i LIMIT 900000000'
    const input = { ...on(server), query, expect_rows_min: 1000 }
    const outcome = await check(checker, {
      ...input,
      query: 'SELECT generate_series(1, 1000000000)',
    })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { rows: 1000 } })
  })

  it('sends one value that is larger than we take', async () => {
    const query = `SELECT repeat('x', ${5 * 1024 * 1024})`
    expect(await check(checker, { ...on(server), query })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'too_long',
      phase: 'query',
    })
  })

  it.each(['SELECT * FROM items WHERE id > 3', 'SELECT 1 WHERE false;'])(
    'takes a query without rows: %s',
    async (query) => {
      const input = { ...on(server), query, expect_rows_min: 0 }
      expect(await check(checker, input)).toMatchObject({ verdict: 'ok', details: { rows: 0 } })
    },
  )

  it('counts a row without columns', async () => {
    const input = { ...on(server), query: 'SELECT', expect_rows_min: 1 }
    expect(await check(checker, input)).toMatchObject({ verdict: 'ok', details: { rows: 1 } })
  })

  it.each([
    ['SELECT * FROM nothing', '42P01'],
    ['SELECT nothing FROM notes', '42703'],
    ['SELECT $1::int', '08P01'],
    ['SELECT FROM WHERE', '42601'],
  ])('refuses %s', async (query, sqlstate) => {
    expect(await check(checker, { ...on(server), query })).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_query_failed',
      cause_text: expect.stringContaining(`(SQLSTATE ${sqlstate})`),
      phase: 'query',
      details: { sqlstate },
    })
    expect(await ask(server, 'SELECT * FROM notes')).toEqual([])
  })

  it.each([
    [{ pass: 'wrong-password' }, 'auth_failed'],
    [{ pass: '' }, 'auth_failed'],
    [{ user: 'nobody-of-them' }, 'auth_failed'],
    [{ database: 'nowhere' }, 'db_database_missing'],
    [{ database: null }, 'db_database_missing'],
  ])('refuses %j as %s', async (more, cause_code) => {
    const outcome = await check(checker, { ...on(server), ...more })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'auth' })
    expect(JSON.stringify(outcome)).not.toContain('wrong-password')
  })

  it('is left in order: the transaction is rolled back, and the goodbye is said', async () => {
    const before = server.log().length
    const log = (): string => server.log().slice(before)
    // A server that does not answer a goodbye soon is left without one.
    const clock = patientClock
    for (const tls of ['off', 'verify'] as const) {
      await check(checker, { ...on(server), tls }, { clock })
      await check(checker, { ...on(server), tls, query: 'SELECT 42 AS left_in_order' }, { clock })
    }
    const lines = (pattern: RegExp) =>
      log()
        .split('\n')
        .filter((line) => pattern.test(line))
    await expect.poll(() => lines(/left_in_order/)).toHaveLength(2)
    await expect.poll(() => lines(/statement: ROLLBACK/)).toHaveLength(2)
    await expect.poll(() => lines(/disconnection:/)).toHaveLength(4)
    expect(log()).not.toMatch(/unexpected EOF|could not receive data/)
  })

  it('stops a statement itself when the deadline passes', async () => {
    const input = { ...on(server), query: 'SELECT pg_sleep(30)' }
    await withDeadline(600, async (timeout_ms) => {
      const outcome = await check(checker, input, { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'query_timeout', phase: 'query' })
    })
    await expect.poll(() => ask(server, SLEEPING)).toEqual([])
  })

  it('is left at once when the check is stopped', async () => {
    const stop = new AbortController()
    const input = { ...on(server), query: 'SELECT pg_sleep(30)' }
    const checked = check(checker, input, { signal: stop.signal, timeout_ms: 30_000 })
    await expect.poll(() => ask(server, SLEEPING)).toHaveLength(1)
    stop.abort(new DOMException('enough', 'AbortError'))
    expect(await checked).toMatchObject({ verdict: 'unknown', cause_code: 'probe_stopped' })
  })

  it('ends our session from its side', async () => {
    const input = { ...on(server), query: 'SELECT pg_sleep(31)' }
    const checked = check(checker, input, { timeout_ms: 30_000 })
    await expect.poll(() => ask(server, SLEEPING.replace('%', '(31)%'))).toHaveLength(1)
    await ask(server, `SELECT pg_terminate_backend(pid) FROM (${SLEEPING}) AS s`)
    expect(await checked).toMatchObject({
      cause_code: 'db_shutting_down',
      phase: 'query',
      details: { sqlstate: '57P01' },
    })
  })

  it('is asked ten times at once without a mix-up', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        check(
          checker,
          {
            ...on(server),
            query: `SELECT generate_series(0, ${n})`,
            expect_rows_min: 20,
          },
          { timeout_ms: 30_000 },
        ),
      ),
    )
    expect(outcomes.map(({ details }) => details['rows'])).toEqual(
      Array.from({ length: 10 }, (_, n) => n + 1),
    )
  })

  it('is asked with the settings alone, whatever the environment says', async () => {
    vi.stubEnv('PGPASSWORD', 'secret')
    vi.stubEnv('PGOPTIONS', '-c nonsense=1')
    vi.stubEnv('PGSSLMODE', 'verify-full')
    vi.stubEnv('PGSSLNEGOTIATION', 'direct')
    vi.stubEnv('PGDATABASE', 'nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await check(checker, { ...on(server), tls: 'off' })).toMatchObject({ verdict: 'ok' })
    const without = await check(checker, { ...on(server), pass: '' })
    expect(without).toMatchObject({
      cause_code: 'auth_failed',
      cause_text: 'The server asks for a password, and none is set',
    })
  })
})

interface Break {
  readonly server: PostgresOptions
  readonly input?: object
  readonly cause_code: string | null
  readonly phase?: string
}

const BREAKS: readonly Break[] = [
  { server: { auth: 'reject' }, cause_code: 'db_host_denied', phase: 'auth' },
  { server: { auth: 'none' }, cause_code: 'db_host_denied', phase: 'auth' },
  { server: { auth: 'trust', userLocked: true }, cause_code: 'auth_failed', phase: 'auth' },
  { server: { auth: 'trust' }, input: { pass: '' }, cause_code: null },
  { server: { auth: 'md5' }, cause_code: null },
  { server: { auth: 'password' }, cause_code: null },
  {
    server: { auth: 'password' },
    input: { tls: 'off' },
    cause_code: 'auth_unsupported',
    phase: 'auth',
  },
  { server: { startingUp: true }, cause_code: 'db_starting_up', phase: 'auth' },
  {
    server: { withoutRights: true },
    input: { query: 'SELECT * FROM items' },
    cause_code: 'db_query_failed',
    phase: 'query',
  },
  {
    server: { statementTimeoutMs: 200 },
    input: { query: 'SELECT pg_sleep(20)' },
    cause_code: 'query_timeout',
    phase: 'query',
  },
  { server: { readOnly: true }, input: { query: 'SELECT * FROM items' }, cause_code: null },
  {
    server: { tls: 'off' },
    input: { tls: 'require' },
    cause_code: 'tls_unsupported',
    phase: 'starttls',
  },
  { server: { tls: 'off' }, cause_code: null },
  {
    server: { tls: 'required' },
    input: { tls: 'off' },
    cause_code: 'db_host_denied',
    phase: 'auth',
  },
  { server: { tls: 'required' }, cause_code: null },
  { server: { certificate: 'selfSigned' }, input: { tls: 'require' }, cause_code: null },
  {
    server: { certificate: 'selfSigned' },
    input: { tls: 'verify' },
    cause_code: 'tls_self_signed',
    phase: 'starttls',
  },
  {
    server: { certificate: 'expired' },
    input: { tls: 'verify' },
    cause_code: 'tls_expired',
    phase: 'starttls',
  },
  {
    server: { certificate: 'wrongHost' },
    input: { tls: 'verify' },
    cause_code: 'tls_name_mismatch',
    phase: 'starttls',
  },
]

describeWithServer(postgresServer, 'a PostgreSQL with', () => {
  it.each(BREAKS)('$server and $input ends as $cause_code', async (broken) => {
    const server = await forThisTest(startPostgres(broken.server))
    const outcome = await check(checker, { ...on(server), ...broken.input })
    expect(outcome).toMatchObject({
      verdict: broken.cause_code === null ? 'ok' : 'fail',
      cause_code: broken.cause_code,
      phase: broken.phase ?? null,
    })
    expect(outcome.cause_text ?? '').not.toContain('secret')
  })

  it('as many clients as it takes has no connection left', async () => {
    const server = await forThisTest(startPostgres({ maxConnections: 1 }))
    const { port, user, pass: password, database } = on(server)
    const client = new pg.Client({ host, port, user, password, database })
    onTestFinished(() => client.end())
    await client.connect()
    expect(await check(checker, on(server))).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_too_many_connections',
      phase: 'auth',
      details: { sqlstate: '53300' },
    })
  })
})

describeWithServer(postgresServer, 'a PostgreSQL that goes away', () => {
  it('refuses the connection when it is down, and is well again after a restart', async () => {
    const server = await forThisTest(startPostgres())
    await server.halt()
    expect(await check(checker, on(server))).toMatchObject({ cause_code: 'connect_refused' })
    await server.restart()
    expect(await check(checker, on(server))).toMatchObject({ verdict: 'ok' })
  })

  it('and stands still, does not answer', async () => {
    const server = await forThisTest(startPostgres())
    server.signal('SIGSTOP')
    onTestFinished(() => server.signal('SIGCONT'))
    await withDeadline(500, async (timeout_ms) => {
      const outcome = await check(checker, on(server), { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'banner_timeout', phase: 'greeting' })
    })
  })

  it.each(['halt', 'kill9'] as const)('by %s during a query ends it', async (how) => {
    const server = await forThisTest(startPostgres())
    const input = { ...on(server), query: 'SELECT pg_sleep(30)' }
    const checked = check(checker, input, { timeout_ms: 30_000 })
    await expect.poll(() => ask(server, SLEEPING)).toHaveLength(1)
    await server[how]()
    const outcome = await checked
    expect(outcome).toMatchObject({ verdict: 'fail', phase: 'query' })
    // After a kill the other processes notice at their own time, and say so or not.
    const right = how === 'halt' ? ['db_shutting_down'] : ['closed_early', 'db_shutting_down']
    expect(right).toContain(outcome.cause_code)
  })
})

describe('a port where nobody listens', () => {
  it('refuses the connection', async () => {
    const outcome = await check(checker, { host, port: await closedPort(), ...login })
    expect(outcome).toMatchObject({ cause_code: 'connect_refused', phase: 'connect' })
  })
})
