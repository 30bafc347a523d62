/**
 * What a real PostgreSQL does not show: poolers in front of one, and servers that lack what we set up.
 * The other end is scripted, message by message.
 */

import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { postgres } from '../../../src/checkers/postgres/index.ts'
import { check } from '../../support/check.ts'
import { patientClock } from '../../support/patient-clock.ts'
import type { Peer } from '../../support/hostile/peer.ts'
import { message } from '../../support/hostile/postgres.ts'
import { listen } from '../../support/hostile/rig.ts'

const login = { host: '127.0.0.1', user: 'u', pass: 'sesame-open', database: 'app' } as const
const query = { query: 'SELECT 1', expect_rows_min: 1 } as const

const failure = (code: string, text: string): Buffer =>
  message('E', `SERROR\0VERROR\0C${code}\0M${text}\0\0`)

const LOGGED_IN = Buffer.concat([
  message('R', Buffer.alloc(4)),
  message('S', 'server_version\x001.24.1/bouncer\0'),
  message('Z', 'I'),
])
const DONE = Buffer.concat([message('C', 'DONE\0'), message('Z', 'T')])
const ONE_ROW = Buffer.concat([
  message('1', ''),
  message('2', ''),
  message('D', Buffer.of(0, 1, 0, 0, 0, 1, 0x31)),
  message('s', ''),
  message('Z', 'T'),
])

async function scripted(script: (peer: Peer) => Promise<void>): Promise<{ readonly port: number }> {
  const server = await listen(script)
  onTestFinished(async () => {
    await server.close()
    expect(server.faults()).toEqual([])
  })
  return server
}

async function hearStartup(peer: Peer): Promise<Buffer> {
  const length = (await peer.hearBytes(4)).readUInt32BE()
  return peer.hearBytes(length - 4)
}

/** Up to the login, without TLS; returns what the client has to say for itself. */
async function greet(peer: Peer): Promise<Buffer> {
  expect((await hearStartup(peer)).readUInt32BE()).toBe(80877103)
  await peer.say('N')
  return hearStartup(peer)
}

/** Answers simple queries with OK, or with an error where they match `lacks`, and Sync with one row. */
async function obey(peer: Peer, said: string[], lacks = /(?!)/): Promise<void> {
  for (;;) {
    const head = await peer.hearBytes(5)
    const letter = String.fromCharCode(head[0] ?? 0)
    const length = head.readUInt32BE(1) - 4
    const body = length === 0 ? '' : (await peer.hearBytes(length)).toString('latin1')
    said.push(letter + body.replaceAll('\0', ''))
    if (letter === 'X') {
      peer.close()
      return
    }
    if (letter === 'S') await peer.say(ONE_ROW)
    if (letter !== 'Q') continue
    if (lacks.test(body)) await peer.say(Buffer.concat([failure('0A000', 'no'), message('Z', 'E')]))
    else await peer.say(DONE)
  }
}

describe('a pooler', () => {
  it('hears of user and database and of nothing else, whatever the environment says', async () => {
    vi.stubEnv('PGAPPNAME', 'somebody else')
    vi.stubEnv('PGOPTIONS', '-c statement_timeout=1')
    vi.stubEnv('PGREPLICATION', 'true')
    onTestFinished(() => void vi.unstubAllEnvs())
    const startups: string[] = []
    const { port } = await scripted(async (peer) => {
      startups.push((await greet(peer)).toString('latin1'))
      await peer.say(LOGGED_IN)
      await obey(peer, [])
    })
    expect(await check(postgres(), { ...login, port })).toMatchObject({
      verdict: 'ok',
      details: { server_version: '1.24.1/bouncer' },
    })
    expect(startups).toEqual(['\0\x03\0\0user\0u\0database\0app\0\0'])
  })

  it('gets its server side back as it was: nothing is set for the session, and all is rolled back', async () => {
    const said: string[] = []
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(LOGGED_IN)
      await obey(peer, said)
    })
    const outcome = await check(postgres(), { ...login, ...query, port }, { clock: patientClock })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { rows: 1 } })
    expect(outcome.details).not.toHaveProperty('read_only')
    await expect.poll(() => said.at(-1)).toBe('X')
    expect(said.map((each) => each.slice(0, 40))).toEqual([
      expect.stringMatching(/^QBEGIN READ ONLY; SELECT set_config/),
      'PSELECT 1',
      expect.stringMatching(/^B/),
      'E\x01',
      'S',
      expect.stringMatching(/^QSELECT pg_catalog.set_config\('statement/),
      'QROLLBACK',
      'X',
    ])
  })

  it.each([
    ['08P01', 'no more connections allowed (max_client_conn)', 'db_too_many_connections'],
    ['08P01', 'no such database: app', 'db_database_missing'],
    ['08P01', 'no such user: u', 'auth_failed'],
    ['08P01', 'the pooler is shutting down', 'db_shutting_down'],
    ['08P01', 'unsupported startup parameter: x', 'protocol_error'],
    ['3D000', 'no such database: app', 'db_database_missing'],
    ['57P03', 'the database system is shutting down', 'db_shutting_down'],
    ['57P03', 'the database system is starting up', 'db_starting_up'],
    ['28000', 'kein Eintrag in pg_hba.conf', 'db_host_denied'],
    ['28000', 'role "u" does not exist', 'auth_failed'],
    ['42501', 'permission denied for database "app"', 'auth_failed'],
    ['53300', 'sorry', 'db_too_many_connections'],
  ])('that refuses with %s, %s, means %s', async (sqlstate, text, cause_code) => {
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(failure(sqlstate, text))
      peer.close()
    })
    expect(await check(postgres(), { ...login, port })).toMatchObject({
      verdict: 'fail',
      cause_code,
      cause_text: expect.stringContaining(`"${text}" (SQLSTATE ${sqlstate})`),
      phase: 'auth',
      details: { sqlstate },
    })
  })

  it('that is full says so even in place of the answer about TLS', async () => {
    const { port } = await scripted(async (peer) => {
      await hearStartup(peer)
      await peer.say(failure('53300', 'sorry, too many clients already'))
      peer.close()
    })
    expect(await check(postgres(), { ...login, port })).toMatchObject({
      cause_code: 'db_too_many_connections',
      phase: 'greeting',
    })
  })
})

describe('a server', () => {
  it('without read-only transactions is asked all the same, and that is told', async () => {
    const said: string[] = []
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(LOGGED_IN)
      await obey(peer, said, /^BEGIN/)
    })
    expect(await check(postgres(), { ...login, ...query, port })).toMatchObject({
      verdict: 'ok',
      details: { rows: 1, read_only: false },
    })
    expect(said[1]).toBe('QROLLBACK')
  })

  it('that does not take its leave is not waited for long', async () => {
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(LOGGED_IN)
      await peer.hear(/BEGIN[^]*\0/)
      await peer.say(DONE)
      await peer.hear(/S\0\0\0\x04/)
      await peer.say(ONE_ROW)
    })
    const outcome = await check(postgres(), { ...login, ...query, port }, { timeout_ms: 20_000 })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { rows: 1 } })
  })

  it('that talks without end before the login is done is cut off', async () => {
    const notices = Buffer.concat(Array<Buffer>(2000).fill(message('N', 'SNOTICE\0Mhello\0\0')))
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(message('R', Buffer.alloc(4)))
      await peer.flood(notices)
    })
    expect(await check(postgres(), { ...login, port }, { timeout_ms: 20_000 })).toMatchObject({
      cause_code: 'too_long',
      phase: 'auth',
    })
  })

  it('that is ready again and has not ended the query speaks another protocol', async () => {
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(LOGGED_IN)
      await peer.hear(/BEGIN[^]*\0/)
      await peer.say(DONE)
      await peer.hear(/S\0\0\0\x04/)
      await peer.say(message('Z', 'T'))
    })
    const input = { ...login, ...query, port, expect_rows_min: 2 }
    expect(await check(postgres(), input)).toMatchObject({
      verdict: 'fail',
      cause_code: 'protocol_error',
      phase: 'query',
    })
  })

  it.each([
    ['large messages', message('N', `SNOTICE\0M${'x'.repeat(20_000)}\0\0`)],
    ['tiny messages', Buffer.concat(Array<Buffer>(2000).fill(message('s', '')))],
  ])('that answers a query in %s without end is cut off', async (_, talk) => {
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(LOGGED_IN)
      await peer.hear(/BEGIN[^]*\0/)
      await peer.say(DONE)
      await peer.hear(/S\0\0\0\x04/)
      for (let n = 0; n < 300; n++) await peer.say(talk)
    })
    const outcome = await check(postgres(), { ...login, ...query, port }, { timeout_ms: 20_000 })
    expect(outcome).toMatchObject({ cause_code: 'too_long', phase: 'query' })
  })

  it('that waits for data to copy does not get any', async () => {
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(LOGGED_IN)
      await peer.hear(/BEGIN[^]*\0/)
      await peer.say(DONE)
      await peer.hear(/S\0\0\0\x04/)
      await peer.say(message('G', Buffer.of(0, 0, 0)))
    })
    expect(await check(postgres(), { ...login, ...query, port })).toMatchObject({
      cause_code: 'db_query_failed',
      cause_text: 'The query waits for data to copy',
    })
  })

  it.each([
    [2, 'Kerberos'],
    [7, 'GSSAPI'],
    [9, 'SSPI'],
  ])('that asks for a login of kind %i asks for %s', async (kind, name) => {
    const { port } = await scripted(async (peer) => {
      await greet(peer)
      await peer.say(message('R', Buffer.of(0, 0, 0, kind)))
    })
    expect(await check(postgres(), { ...login, port })).toMatchObject({
      cause_code: 'auth_unsupported',
      cause_text: `The server asks for a login by ${name}`,
    })
  })
})
