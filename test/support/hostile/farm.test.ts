import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { dnsQuery, framed } from '../servers/dns-bytes.ts'
import { helloUdp } from '../servers/hello.ts'
import { SSL_REQUEST, startupMessage } from '../servers/postgres.ts'
import type { HostileProtocol, HostileServer, RunningHostile } from './farm.ts'
import { FARM, hostileTo } from './farm.ts'
import { frame } from './http2.ts'
import { packet } from './mysql.ts'
import { message } from './postgres.ts'

const HTTP_REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** Everything a client would say up to the point where the servers of a protocol misbehave, at once. */
const WORDS: Record<HostileProtocol, string | Buffer> = {
  any: HTTP_REQUEST,
  tls: HTTP_REQUEST,
  http: HTTP_REQUEST,
  http2: Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame('headers', Buffer.of(0x82, 0x86, 0x84), { flags: 5 }),
  ]),
  smtp: 'EHLO a\r\nSTARTTLS\r\n',
  imap: 'a1 CAPABILITY\r\na2 STARTTLS\r\n',
  pop3: 'CAPA\r\nSTLS\r\n',
  ftp: 'AUTH TLS\r\n',
  mysql: Buffer.concat([packet(1, Buffer.alloc(40, 1)), packet(0, Buffer.from('\x03SELECT 1'))]),
  postgres: Buffer.concat([startupMessage({ user: 'u' }), message('Q', 'SELECT 1\0')]),
  dns: framed(dnsQuery('example.test')),
}

interface Client {
  readonly socket: Socket
  /** How the server ended it, once it has. */
  readonly ended: Promise<'closes' | 'resets'>
}

function talkTo({ protocol, secure }: HostileServer, port: number): Client {
  const where = { port, host: '127.0.0.1' }
  const tls = secure === true || protocol === 'tls'
  const socket = tls ? connectTls({ ...where, rejectUnauthorized: false }) : connect(where)
  const ended = new Promise<'closes' | 'resets'>((resolve) => {
    let reset = false
    socket.on('error', (error: NodeJS.ErrnoException) => (reset = isReset(error)))
    socket.on('close', () => resolve(reset ? 'resets' : 'closes'))
  })
  socket.resume()
  socket.write(WORDS[protocol])
  return { socket, ended }
}

/** Node says the same code for a FIN during its handshake; only the message differs. */
function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' && error.syscall !== undefined
}

/** Sockets, listeners and timers of this process, by kind. */
function handles(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) {
    if (/TCP|UDP|TLS|Timeout/.test(kind)) counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Turns of the event loop, without a timer that would count among the handles. */
async function until(done: () => boolean): Promise<void> {
  const deadline = systemClock.monotonic() + 20_000
  while (!done() && systemClock.monotonic() < deadline) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Kinds of which there are more than before; the test runner's own timers come and go. */
function leaked(before: Record<string, number>): string[] {
  return Object.entries(handles())
    .filter(([kind, count]) => count > (before[kind] ?? 0))
    .map(([kind, count]) => `${kind} ${count}`)
}

describe('the hostile farm', () => {
  it.each(FARM.map((server) => [server.name, server] as const))('%s', async (_, server) => {
    const before = handles()
    const running = await server.start()
    const client = talkTo(server, running.port)
    try {
      await until(() => running.accepted() > 0)
      expect(running.accepted()).toBe(1)
      if (server.ends !== undefined) expect(await client.ended).toBe(server.ends)
    } finally {
      client.socket.destroy()
      await running.close()
    }
    await client.ended
    await until(() => running.open() === 0 && leaked(before).length === 0)
    expect(running.open()).toBe(0)
    expect(running.faults()).toEqual([])
    expect(leaked(before)).toEqual([])
  })

  it('can be left by its owner while clients are connected', async () => {
    for (const server of [hostileTo('any')[0]!, hostileTo('dns')[0]!]) {
      const running = await server.start()
      const client = talkTo(server, running.port)
      await until(() => running.accepted() > 0)
      await running.close()
      await client.ended
      expect(running.open()).toBe(0)
    }
  })

  it('has at least forty servers, no two of one name', () => {
    expect(FARM.length).toBeGreaterThan(40)
    expect(new Set(FARM.map(({ name }) => name)).size).toBe(FARM.length)
  })

  it('answers every name server question over UDP or says nothing by intent', async () => {
    for (const server of hostileTo('dns')) {
      const running = await server.start()
      try {
        if (/says nothing/.test(server.name)) continue
        const answer = await helloUdp(running.port, dnsQuery('example.test'))
        if (!/empty/.test(server.name)) expect(answer.length).toBeGreaterThan(4)
      } finally {
        await running.close()
      }
    }
  })
})

async function startOne(name: string): Promise<RunningHostile> {
  const server = FARM.find((candidate) => candidate.name === name)
  if (server === undefined) throw new Error(`no ${name} in the farm`)
  const running = await server.start()
  onTestFinished(() => running.close())
  return running
}

async function queryMysql(port: number): Promise<unknown> {
  const connection = await createConnection({ port, host: '127.0.0.1', user: 'u', password: 'x' })
  try {
    return (await connection.query('SELECT 1'))[0]
  } finally {
    connection.destroy()
  }
}

async function queryPostgres(port: number): Promise<unknown> {
  const client = new pg.Client({ port, host: '127.0.0.1', user: 'u', password: 'x' })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query('SELECT 1')).rows
  } finally {
    void client.end().catch(() => {})
  }
}

// What a server says before it misbehaves has to be right, or no client gets as far as the misbehaviour.
describe('real clients get as far as they should with', () => {
  it.each([
    ['mysql: is too busy (1040)', 'ER_CON_COUNT_ERROR'],
    ['mysql: refuses the login (1045)', 'ER_ACCESS_DENIED_ERROR'],
    ['mysql: answers the query with an error (1064)', 'ER_PARSE_ERROR'],
  ])('%s', async (name, code) => {
    const { port } = await startOne(name)
    await expect(queryMysql(port)).rejects.toMatchObject({ code })
  })

  it.each([
    ['postgres: is starting up (57P03)', { code: '57P03' }],
    ['postgres: is ended by its operator (57P01)', { code: '57P01' }],
    [
      'postgres: accepts SCRAM without proof that it knows the password',
      { message: expect.stringContaining('signature') as string },
    ],
    [
      'postgres: answers SCRAM under another nonce',
      { message: expect.stringContaining('nonce') as string },
    ],
  ])('%s', async (name, error) => {
    const { port } = await startOne(name)
    await expect(queryPostgres(port)).rejects.toMatchObject(error)
  })

  it('http: redirects to a file', async () => {
    const { port } = await startOne('http: redirects to a file')
    const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
    expect(answer.statusCode).toBe(302)
    expect(answer.headers.location).toBe('file:///etc/passwd')
    answer.destroy()
  })

  it('http: sends a gzip bomb (128 MiB in 130 KB)', async () => {
    const { port } = await startOne('http: sends a gzip bomb (128 MiB in 130 KB)')
    const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
    expect(Number(answer.headers['content-length'])).toBeLessThan(150_000)
    answer.destroy()
  })

  it('smtp: injects plain text behind its consent to TLS (CVE-2011-0411)', async () => {
    const { port } = await startOne(
      'smtp: injects plain text behind its consent to TLS (CVE-2011-0411)',
    )
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'data')
    socket.write('STARTTLS\r\n')
    const [consent] = (await once(socket, 'data')) as [Buffer]
    expect(consent.toString('latin1')).toMatch(/^220 .*\r\n250-/)
  })

  it('postgres: consents to TLS and goes on in plain text (CVE-2021-23222)', async () => {
    const { port } = await startOne(
      'postgres: consents to TLS and goes on in plain text (CVE-2021-23222)',
    )
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write(SSL_REQUEST)
    const [consent] = (await once(socket, 'data')) as [Buffer]
    expect(consent.toString('latin1')).toMatch(/^SR/)
  })
})
