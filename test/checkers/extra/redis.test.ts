import { afterAll, beforeAll, expect, it, describe } from 'vitest'
import { redis } from '../../../src/checkers/extra/redis.ts'
import { ValidationError } from '../../../src/errors.ts'
import { certificates } from '../../support/certificates.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import { redisServer, startRedis } from '../../support/servers/redis.ts'
import type { RedisServer } from '../../support/servers/redis.ts'
import { hello } from '../../support/servers/hello.ts'

const checker = redis()
const host = '127.0.0.1'

describeWithServer(redisServer, 'a real server', () => {
  let open: RedisServer
  let locked: RedisServer
  let orphan: RedisServer

  beforeAll(async () => {
    ;[open, locked, orphan] = await Promise.all([
      startRedis(),
      startRedis({ password: 'right' }),
      startRedis({ orphanedReplica: true }),
    ])
    const user = 'AUTH right\r\nACL SETUSER monitor on >word +ping +info\r\n'
    await hello(locked.ports.redis, { send: user, until: /OK\r\n\+OK/ })
  })
  afterAll(() => Promise.all([open, locked, orphan].map((server) => server.stop())))

  it('is up when it answers PING, and nothing is read or written', async () => {
    const { port } = { port: open.ports.redis }
    expect(await check(checker, { host, port })).toMatchObject({
      verdict: 'ok',
      details: { ping_ms: expect.any(Number) as number },
    })
    const stats = await hello(port, { send: 'INFO commandstats\r\n', until: /\r\n\r\n/ })
    expect(stats).toContain('cmdstat_ping:')
    expect(stats).not.toMatch(/cmdstat_(?!ping|info|command)/)
  })

  it.each([
    [{ pass: 'right' }, null],
    [{ user: 'monitor', pass: 'word' }, null],
    [{ user: 'monitor', pass: 'word', expected_role: 'master' }, null],
    [{ pass: 'a wrong word' }, 'redis_auth_failed'],
    [{ user: 'nobody', pass: 'word' }, 'redis_auth_failed'],
    [{}, 'redis_auth_failed'],
  ] as const)('with a password: %j', async (login, cause_code) => {
    const outcome = await check(checker, { host, port: locked.ports.redis, ...login })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code })
    expect(JSON.stringify(outcome)).not.toContain('a wrong word')
  })

  it('has a role, and a master has replicas', async () => {
    const { port } = { port: open.ports.redis }
    expect(await check(checker, { host, port, expected_role: 'master' })).toMatchObject({
      verdict: 'ok',
      details: { role: 'master', replicas: 0 },
    })
    expect(await check(checker, { host, port, expected_role: 'replica' })).toMatchObject({
      verdict: 'fail',
      cause_code: 'redis_role_mismatch',
      cause_text: 'The server is a master, not a replica',
    })
    expect(await check(checker, { host, port, replicas_min: 1 })).toMatchObject({
      cause_code: 'redis_replicas_too_few',
      cause_text: 'The server has 0 replicas, and at least 1 are expected',
    })
  })

  it('counts the replicas of a master, and a replica has its link', async () => {
    const replica = await startRedis()
    try {
      const send = `REPLICAOF 127.0.0.1 ${open.ports.redis}\r\n`
      await hello(replica.ports.redis, { send })
      const there = { host, port: replica.ports.redis, expected_role: 'replica' } as const
      await expect
        .poll(async () => (await check(checker, there)).verdict, {
          timeout: 300_000,
          interval: 200,
        })
        .toBe('ok')
      const here = { host, port: open.ports.redis, replicas_min: 1 }
      expect(await check(checker, here)).toMatchObject({ verdict: 'ok', details: { replicas: 1 } })
    } finally {
      await replica.stop()
    }
  })

  it('of a replica without its master is not ready', async () => {
    const settings = { host, port: orphan.ports.redis }
    expect(await check(checker, settings)).toMatchObject({ cause_code: 'redis_not_ready' })
  })
})

describe('expected_role', () => {
  it('replica fails while the link to the master is down', async () => {
    const info = 'role:slave\r\nmaster_link_status:down\r\nconnected_slaves:0\r\n'
    const answers = ['+PONG\r\n', `$${info.length}\r\n${info}\r\n`]
    const { port } = await scriptedServer((socket) =>
      socket.on('data', () => socket.write(answers.shift() ?? '')),
    )
    expect(await check(checker, { host, port, expected_role: 'replica' })).toMatchObject({
      cause_code: 'redis_master_link_down',
      details: { role: 'replica', master_link: 'down' },
    })
  })
})

describe('settings', () => {
  it('a user needs a password', async () => {
    await expect(check(checker, { host, port: 1, user: 'me' })).rejects.toThrow(ValidationError)
  })
})

describe('tls', () => {
  it('is spoken where it is set, with a valid certificate unless errors are ignored', async () => {
    const answer = (socket: NodeJS.ReadWriteStream) =>
      socket.on('data', () => socket.write('+PONG\r\n'))
    const good = await scriptedServer(answer, { tls: certificates().good })
    const own = await scriptedServer(answer, { tls: certificates().selfSigned })
    const at = ({ port }: { port: number }) => ({ host: 'localhost', port, tls: true })
    expect(await check(checker, at(good))).toMatchObject({
      verdict: 'ok',
      details: { tls: { authorized: true } },
    })
    expect(await check(checker, at(own))).toMatchObject({ cause_code: 'tls_self_signed' })
    const settings = { ...at(own), ignore_tls_errors: true }
    expect(await check(checker, settings)).toMatchObject({ verdict: 'ok' })
  })
})

describe('a hostile server', () => {
  it.each([
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\n', 'protocol_error'],
    ['an array', '*1\r\n+PONG\r\n', 'protocol_error'],
    ['another word', '+GNOP\r\n', 'protocol_error'],
    ['a bomb', '$900000000\r\n', 'too_long'],
    ['a length of many digits', `$${'9'.repeat(40)}\r\n`, 'protocol_error'],
    ['a negative length', '$-1\r\n', 'protocol_error'],
    ['a line without end', `+${'x'.repeat(10_000)}`, 'too_long'],
    ['half a bulk', '$4\r\nPO', 'closed_early'],
    ['nothing', '', 'closed_early'],
    ['an error', '-ERR max number of clients reached\r\n', 'redis_error'],
    ['control characters', '-ERR \x1b[31mred\x07\r\n', 'redis_error'],
  ])('that answers with %s', async (_, answer, cause_code) => {
    const { port } = await scriptedServer((socket) => {
      socket.on('data', () => socket.end(answer, 'latin1'))
    })
    const outcome = await check(checker, { host, port })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code })

    expect(outcome.cause_text).not.toMatch(/[\u0000-\u001f]/)
  })

  it('that drips a bulk meets the deadline', async () => {
    const server = await scriptedServer((socket) => void socket.write('$4\r\nP'))
    await withDeadline(300, async (timeout_ms) => {
      const outcome = await check(checker, { host, port: server.port }, { timeout_ms })
      expect(outcome).toMatchObject({ cause_code: 'query_timeout', phase: 'query' })
    })
    await server.idle()
  })
})
