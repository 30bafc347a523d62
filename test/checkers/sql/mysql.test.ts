import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { withDeadline } from '../../support/deadlines.ts'
import type { MariadbOptions, MariadbServer } from '../../support/servers/mariadb.ts'
import { mariadbServer, startMariadb } from '../../support/servers/mariadb.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'
import { check } from '../../support/check.ts'
import { patientClock } from '../../support/patient-clock.ts'
import { closedPort } from '../../support/scripted-server.ts'

const checker = mysql()
const login = { user: 'u', pass: 'secret' } as const
const host = '127.0.0.1'

const on = ({ ports }: MariadbServer) => ({ host, port: ports.mysql, ...login })

/** Rows of a statement, by the driver alone. */
async function ask(server: MariadbServer, sql: string): Promise<Record<string, unknown>[]> {
  const connection = await createConnection({
    host,
    port: server.ports.mysql,
    user: 'u',
    password: 'secret',
  })
  try {
    const [rows] = await connection.query(sql)
    return rows as Record<string, unknown>[]
  } finally {
    await connection.end()
  }
}

describeWithServer(mariadbServer, 'a MariaDB that is well', () => {
  let server: MariadbServer
  beforeAll(async () => {
    server = await startMariadb({
      sql: [
        'CREATE TABLE IF NOT EXISTS app.notes (id INT PRIMARY KEY AUTO_INCREMENT, note TEXT)',
        "GRANT ALL ON app.* TO 'u'@'%'",
      ],
    })
  })
  afterAll(() => server.stop())

  it('lets us in and answers a ping; version and phases are told', async () => {
    const outcome = await check(checker, on(server))
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, remote_ip: host })
    expect(outcome.details['server_version']).toMatch(/^10\.\d+\.\d+-MariaDB|^11\./)
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
    expect(outcome.details).not.toHaveProperty('tls')
    expect(outcome.phases).not.toHaveProperty('starttls_ms')
  })

  it('counts rows up to what is expected and no further', async () => {
    const query = 'SELECT * FROM app.items'
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
    const input = { ...on(server), query: 'SELECT * FROM app.items', expect_rows_min: 4 }
    expect(await check(checker, input)).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_rows_too_few',
      cause_text: 'The query returned 3 rows, at least 4 expected',
      phase: 'query',
      details: { rows: 3 },
    })
  })

  it('is not waited for where a LIMIT of the query asks for more rows than are wanted', async () => {
    const query =
      'WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n LIMIT 5000'
    const input = { ...on(server), query, expect_rows_min: 1000 }
    expect(await check(checker, input)).toMatchObject({ verdict: 'ok', details: { rows: 1000 } })
  })

  it('sends one value that is larger than we take', async () => {
    const query = `SELECT REPEAT('x', ${5 * 1024 * 1024})`
    expect(await check(checker, { ...on(server), query })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'too_long',
      phase: 'query',
    })
  })

  it('takes a query without rows', async () => {
    const query = 'SELECT * FROM app.items WHERE id > 3;'
    const input = { ...on(server), query, expect_rows_min: 0 }
    expect(await check(checker, input)).toMatchObject({ verdict: 'ok', details: { rows: 0 } })
  })

  it.each([
    ['SELECT * FROM app.nothing', 1146],
    ['SELECT nothing FROM app.notes', 1054],
    ['SELECT FROM', 1064],
    ['SHOW NOTHING', 1064],
  ])('refuses %s', async (query, errno) => {
    expect(await check(checker, { ...on(server), query })).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_query_failed',
      cause_text: expect.stringContaining(`(${errno}, SQLSTATE `),
      phase: 'query',
      details: { errno, sqlstate: expect.stringMatching(/^\w{5}$/) },
    })
    expect(await ask(server, 'SELECT * FROM app.notes')).toEqual([])
  })

  it.each([
    [{ pass: 'wrong-password' }, 'auth_failed'],
    [{ pass: '' }, 'auth_failed'],
    [{ user: 'nobody-of-them' }, 'auth_failed'],
    [{ database: 'nowhere' }, 'db_database_missing'],
  ])('refuses %j as %s', async (more, cause_code) => {
    const outcome = await check(checker, { ...on(server), ...more })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'auth' })
    expect(JSON.stringify(outcome)).not.toContain('wrong-password')
  })

  it('is left in order: no connection counts as aborted', async () => {
    const aborted = async (): Promise<unknown> =>
      (await ask(server, "SHOW GLOBAL STATUS LIKE 'Aborted_clients'"))[0]?.['Value']
    const before = await aborted()
    // A server that does not answer a goodbye soon is left without one.
    const clock = patientClock
    for (const tls of ['off', 'verify'] as const) {
      await check(checker, { ...on(server), tls }, { clock })
      await check(checker, { ...on(server), tls, query: 'SELECT * FROM app.items' }, { clock })
      await check(checker, { ...on(server), tls, query: 'SELECT FROM' }, { clock })
    }
    await expect.poll(() => ask(server, 'SHOW PROCESSLIST')).toHaveLength(1)
    expect(await aborted()).toBe(before)
  })

  it('stops a statement itself when the deadline passes', async () => {
    const input = { ...on(server), query: 'SELECT SLEEP(30)' }
    await withDeadline(600, async (timeout_ms) => {
      const outcome = await check(checker, input, { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'query_timeout', phase: 'query' })
    })
    const running = "SELECT * FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"
    await expect.poll(() => ask(server, running)).toEqual([])
  })

  it('is left at once when the check is stopped', async () => {
    const stop = new AbortController()
    const input = { ...on(server), query: 'SELECT SLEEP(30)' }
    const checked = check(checker, input, { signal: stop.signal, timeout_ms: 30_000 })
    const running = "SELECT * FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"
    await expect.poll(() => ask(server, running)).toHaveLength(1)
    stop.abort(new DOMException('enough', 'AbortError'))
    expect(await checked).toMatchObject({ verdict: 'unknown', cause_code: 'probe_stopped' })
  })

  it('is asked twenty times at once without a mix-up', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        check(
          checker,
          {
            ...on(server),
            database: 'app',
            query: `SELECT seq FROM seq_1_to_${n + 1}`,
            expect_rows_min: 20,
          },
          { timeout_ms: 30_000 },
        ),
      ),
    )
    expect(outcomes.map(({ details }) => details['rows'])).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    )
  })
})

interface Break {
  readonly server: MariadbOptions
  readonly input?: object
  readonly cause_code: string | null
  readonly phase?: string
}

const BREAKS: readonly Break[] = [
  { server: { userLocked: true }, cause_code: 'auth_failed', phase: 'auth' },
  { server: { userHost: '192.0.2.%' }, cause_code: 'db_host_denied', phase: 'greeting' },
  {
    server: { passwordExpired: true },
    input: { query: 'SELECT 1' },
    cause_code: 'auth_failed',
    phase: 'query',
  },
  {
    server: { withoutRights: true },
    input: { query: 'SELECT * FROM app.items' },
    cause_code: 'db_query_failed',
    phase: 'query',
  },
  {
    server: { maxStatementSec: 1 },
    input: { query: 'SELECT SLEEP(20)' },
    cause_code: 'query_timeout',
    phase: 'query',
  },
  {
    server: { tls: 'off' },
    input: { tls: 'require' },
    cause_code: 'tls_unsupported',
    phase: 'starttls',
  },
  { server: { tls: 'off' }, cause_code: null },
  { server: { tls: 'required' }, input: { tls: 'off' }, cause_code: 'auth_failed', phase: 'auth' },
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

describeWithServer(mariadbServer, 'a MariaDB with', () => {
  it.each(BREAKS)('$server and $input ends as $cause_code', async (broken) => {
    const server = await forThisTest(startMariadb(broken.server))
    const outcome = await check(checker, { ...on(server), ...broken.input })
    expect(outcome).toMatchObject({
      verdict: broken.cause_code === null ? 'ok' : 'fail',
      cause_code: broken.cause_code,
      phase: broken.phase ?? null,
    })
    expect(outcome.cause_text ?? '').not.toContain('secret')
  })

  it.each([
    [{ maxConnections: 10 }, 10],
    [{ maxUserConnections: 1 }, 1],
  ] as const)('%j and as many clients has no connection left', async (options, clients) => {
    const server = await forThisTest(startMariadb(options))
    const { port, user, pass: password } = on(server)
    const connect = async () => {
      const connection = await createConnection({ host, port, user, password })
      onTestFinished(() => connection.destroy())
    }
    for (let n = 0; n < clients; n++) {
      // The place of whoever looked whether the server is ready may not be free yet.
      await expect.poll(() => connect().then(() => 'in', String)).toBe('in')
    }
    expect(await check(checker, on(server))).toMatchObject({
      verdict: 'fail',
      cause_code: 'db_too_many_connections',
      phase: 'auth',
    })
  })
})

describeWithServer(mariadbServer, 'a MariaDB that goes away', () => {
  it('refuses the connection when it is down, and is well again after a restart', async () => {
    const server = await forThisTest(startMariadb())
    await server.halt()
    expect(await check(checker, on(server))).toMatchObject({ cause_code: 'connect_refused' })
    await server.restart()
    expect(await check(checker, on(server))).toMatchObject({ verdict: 'ok' })
  })

  it('and stands still, does not greet', async () => {
    const server = await forThisTest(startMariadb())
    server.signal('SIGSTOP')
    onTestFinished(() => server.signal('SIGCONT'))
    await withDeadline(500, async (timeout_ms) => {
      const outcome = await check(checker, on(server), { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'banner_timeout', phase: 'greeting' })
    })
  })

  it.each(['halt', 'kill9'] as const)('by %s during a query ends it', async (how) => {
    const server = await forThisTest(startMariadb())
    const input = { ...on(server), query: 'SELECT SLEEP(30)' }
    const checked = check(checker, input, { timeout_ms: 30_000 })
    const running = "SELECT * FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%'"
    await expect.poll(() => ask(server, running)).toHaveLength(1)
    await server[how]()
    const outcome = await checked
    expect(outcome).toMatchObject({ verdict: 'fail', phase: 'query' })
    const right = how === 'halt' ? ['db_shutting_down', 'closed_early'] : ['closed_early']
    expect(right).toContain(outcome.cause_code)
  })
})

describe('a port where nobody listens', () => {
  it('refuses the connection', async () => {
    const outcome = await check(checker, { host, port: await closedPort(), ...login })
    expect(outcome).toMatchObject({ cause_code: 'connect_refused', phase: 'connect' })
  })
})
