import { describe, expect, it, vi } from 'vitest'
import { SHARED_CAUSES } from '../../../src/checkers/causes.ts'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { hostileTo } from '../../support/hostile/farm.ts'
import type { HostileServer } from '../../support/hostile/farm.ts'
import { MYSQL_COLUMNS, MYSQL_INTERRUPTED, mysqlRows } from '../../support/hostile/mysql.ts'

const SHORTEST_MS = 400
/** Some of these servers keep the whole process busy, and a machine under load is slow. */
const GRACE_MS = 8000

const CHECKERS = { mysql: mysql(), postgres: postgres() } as const
type Type = keyof typeof CHECKERS

const login = { user: 'somebody', pass: 'a-secret-of-ours' } as const

/** Sockets of this process, ours and those of the hostile servers. */
const sockets = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

function meet(type: Type, server: HostileServer, more: object) {
  return withDeadline(SHORTEST_MS, (timeout_ms) => tryOnce(type, server, { more, timeout_ms }))
}

interface Meeting {
  readonly more: object
  readonly timeout_ms: number
}

async function tryOnce(type: Type, server: HostileServer, { more, timeout_ms }: Meeting) {
  const checker = CHECKERS[type]
  const hostile = await server.start()
  const complaints = [vi.spyOn(console, 'error'), vi.spyOn(console, 'log')]
  try {
    const input = { host: '127.0.0.1', port: hostile.port, ...login, ...more }
    const outcome = await check(checker, input, { timeout_ms })
    expect(hostile.faults()).toEqual([])
    for (const complaint of complaints) expect(complaint).not.toHaveBeenCalled()
    expect(outcome.duration_ms).toBeLessThan(timeout_ms + GRACE_MS)
    expect(JSON.stringify(outcome)).not.toContain(login.pass)
    // More than is read is no fault of the server's.
    const verdict = outcome.cause_code === 'too_long' ? 'unknown' : 'fail'
    expect(outcome).toMatchObject({ verdict, phase: expect.any(String) })
    expect(Object.keys({ ...SHARED_CAUSES, ...checker.causes })).toContain(outcome.cause_code)
    expect(rightOf(type, server, more)).toContain(outcome.cause_code)
  } finally {
    vi.restoreAllMocks()
    await hostile.close()
  }
  await expect.poll(sockets, { interval: 5 }).toBe(0)
}

const OWN: Readonly<Record<string, string>> = {
  'mysql: is too busy (1040)': 'db_too_many_connections',
  'mysql: does not want this host (1130)': 'db_host_denied',
  'mysql: refuses the login (1045)': 'auth_failed',
  'mysql: wants a login nobody knows': 'auth_unsupported',
  'mysql: wants the password in the clear': 'auth_unsupported',
  'mysql: wants the login of MySQL 3': 'auth_unsupported',
  'mysql: sends an error of 60 KB': 'auth_failed',
  'postgres: is starting up (57P03)': 'db_starting_up',
  'postgres: is too busy (53300)': 'db_too_many_connections',
  'postgres: is ended by its operator (57P01)': 'db_shutting_down',
  'postgres: wants a login nobody knows (99)': 'auth_unsupported',
  'postgres: wants the password in the clear': 'auth_unsupported',
  'postgres: wants SASL by a mechanism nobody knows': 'auth_unsupported',
  'postgres: wants SASL by no mechanism': 'auth_unsupported',
  'postgres: answers the wish for TLS with an error': 'tls_unsupported',
  'postgres: answers the wish for TLS with an error of PostgreSQL 7': 'tls_unsupported',
}

/** Waiting for more is right where no more than the beginning of an answer comes. */
const GENERAL = ['protocol_error', 'too_long', 'closed_early', 'banner_timeout', 'query_timeout']

function rightOf(type: Type, { name, expect: causes }: HostileServer, more: object) {
  const own = OWN[name]
  if (own !== undefined) return [own]
  // The handshake has begun, so its end is one of the handshake.
  if (/after its consent to TLS/.test(name)) return ['tls_handshake', 'connect_reset']
  // A MySQL server speaks first, so that these wait for a client that waits as well.
  if (type === 'mysql' && /after the first bytes of the client/.test(name))
    return ['banner_timeout']
  if (/declines TLS/.test(name) && 'tls' in more) return ['tls_unsupported']
  if (/goes silent behind the handshake|declines TLS and goes silent/.test(name))
    return ['auth_timeout']
  if (/answers the query with an error/.test(name)) return ['db_query_failed', 'query_timeout']
  // In writes of a few bytes, which leave us no turn before the deadline.
  if (/(?:parameters|notices) without end/.test(name)) return ['too_long', 'auth_timeout']
  // A PostgreSQL client asks for TLS first; one of 256 random bytes is the letter that declines it.
  if (type === 'postgres' && /random bytes/.test(name)) return [...GENERAL, 'tls_unsupported']
  return causes ?? GENERAL
}

it('a query that a MySQL server has ended by its time limit is no query with too few rows', async () => {
  const server = await MYSQL_INTERRUPTED.start()
  const input = { host: '127.0.0.1', port: server.port, ...login, query: 'SELECT 1' }
  // Nothing here waits for the deadline.
  const outcome = await check(
    CHECKERS.mysql,
    { ...input, expect_rows_min: 3 },
    { timeout_ms: 30_000 },
  )
  await server.close()
  expect(outcome).toMatchObject({
    verdict: 'fail',
    cause_code: 'query_timeout',
    cause_text: 'The server ended the query at its time limit of 1 ms',
  })
})

describe('the answer of a MySQL server to the query, without end', () => {
  /** Nothing here waits for the deadline. */
  async function asked(hostile: HostileServer) {
    const server = await hostile.start()
    const input = { host: '127.0.0.1', port: server.port, ...login, query: 'SELECT 1' }
    const most = { ...input, expect_rows_min: 1000 }
    const outcome = await check(CHECKERS.mysql, most, { timeout_ms: 60_000 })
    await server.close()
    return outcome
  }

  it.each([
    ['long rows', mysqlRows(60_000), 'The server sent more than 4096 KiB'],
    ['columns', MYSQL_COLUMNS, 'The server sent more than 10000 messages'],
  ])('is unknown by its size, not by time: %s', async (_, server, cause_text) => {
    const too_long = { verdict: 'unknown', cause_code: 'too_long', cause_text, phase: 'query' }
    expect(await asked(server)).toMatchObject(too_long)
  })

  it('is read up to the rows that are wanted', async () => {
    expect(await asked(mysqlRows(1))).toMatchObject({ verdict: 'ok', details: { rows: 1000 } })
  })
})

describe.each(Object.keys(CHECKERS) as Type[])('%s', (type) => {
  const servers = hostileTo('any', type).map((server) => [server.name, server] as const)

  it.each(servers)('with a ping meets %s', async (_, server) => {
    await meet(type, server, {})
  })

  it.each(servers)('with a query meets %s', async (_, server) => {
    await meet(type, server, { query: 'SELECT 1', expect_rows_min: 3 })
  })

  it.each(servers.filter(([name]) => /TLS|greeting/.test(name)))(
    'with TLS required meets %s',
    async (_, server) => {
      await meet(type, server, { tls: 'verify' })
    },
  )
})
