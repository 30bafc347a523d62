/**
 * What Debian's MariaDB cannot show: the logins of MySQL 8, greetings of other servers, and servers that
 * lack what we set up. The other end is scripted, packet by packet.
 */

import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { mysql } from '../../../src/checkers/mysql/index.ts'
import { runCheck } from '../../../src/engine/checks/run-check.ts'
import { silentLogger } from '../../../src/logger.ts'
import { check } from '../../support/check.ts'
import { patientClock } from '../../support/patient-clock.ts'
import { packet } from '../../support/hostile/mysql.ts'
import type { Peer } from '../../support/hostile/peer.ts'
import { listen } from '../../support/hostile/rig.ts'

const SALT = 'abcdefghijklmnopqrst'
const OK = Buffer.of(0, 0, 0, 2, 0, 0, 0)
const SSL = 0x0800

const text = (latin1: string): Buffer => Buffer.from(latin1, 'latin1')

const failure = (errno: number, message: string): Buffer =>
  Buffer.concat([Buffer.of(0xff, errno & 0xff, errno >> 8), text(message)])

function greeting({
  version = '8.4.3',
  plugin = 'caching_sha2_password',
  tls = false,
} = {}): Buffer {
  const flags = Buffer.alloc(2)
  flags.writeUInt16LE(0x0001 | 0x0008 | 0x0200 | 0x8000 | (tls ? SSL : 0))
  return packet(
    0,
    Buffer.concat([
      text(`\x0a${version}\0\x07\0\0\0${SALT.slice(0, 8)}\0`),
      flags,
      Buffer.of(0xff, 0x02, 0x00, 0x0f, 0x00, 21),
      Buffer.alloc(10),
      text(`${SALT.slice(8)}\0${plugin}\0`),
    ]),
  )
}

interface Heard {
  readonly number: number
  readonly payload: Buffer
}

async function hear(peer: Peer): Promise<Heard> {
  const head = await peer.hearBytes(4)
  return { number: head[3] ?? -1, payload: await peer.hearBytes(head.readUIntLE(0, 3)) }
}

const login = { host: '127.0.0.1', user: 'u', pass: 'sesame-open' } as const

async function scripted(script: (peer: Peer) => Promise<void>): Promise<{ readonly port: number }> {
  const server = await listen(script)
  onTestFinished(async () => {
    await server.close()
    expect(server.faults()).toEqual([])
  })
  return server
}

const COM_QUIT = 1
const COM_QUERY = 3
const COM_PING = 14

/** Answers every command: an error to statements that match `lacks`, one row to SELECT, OK to the rest. */
async function obey(peer: Peer, said: string[], lacks = /(?!)/): Promise<void> {
  for (;;) {
    const { number, payload } = await hear(peer)
    expect(number).toBe(0)
    const sql = payload.toString('latin1', 1)
    said.push(payload[0] === COM_QUERY ? sql : `command ${payload[0]}`)
    if (payload[0] === COM_QUIT) {
      peer.close()
      return
    }
    if (lacks.test(sql)) await peer.say(packet(1, failure(1193, '#HY000Unknown system variable')))
    else if (sql.startsWith('SELECT')) await peer.say(ONE_ROW)
    else await peer.say(packet(1, OK))
  }
}

const COLUMN = Buffer.concat([
  text('\x03def\0\0\0\x01a\0\x0c'),
  Buffer.of(0x21, 0, 20, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0),
])
const END = Buffer.of(0xfe, 0, 0, 2, 0)
const ONE_ROW = Buffer.concat([
  packet(1, Buffer.of(1)),
  packet(2, COLUMN),
  packet(3, END),
  packet(4, text('\x011')),
  packet(5, END),
])

const switchTo = (plugin: string): Buffer => text(`\xfe${plugin}\0${SALT}\0`)

/** The server's side of TLS: the wish for it and the login behind it. */
async function secured(peer: Peer): Promise<{ readonly peer: Peer; readonly login: Heard }> {
  await peer.say(greeting({ tls: true }))
  const wish = await hear(peer)
  expect(wish.number).toBe(1)
  expect(wish.payload).toHaveLength(32)
  const secure = await peer.secure()
  const heard = await hear(secure)
  expect(heard.number).toBe(2)
  // A server may go by either of them.
  expect(heard.payload.subarray(0, 32)).toEqual(wish.payload)
  expect(wish.payload.readUInt32LE() & SSL).toBe(SSL)
  return { peer: secure, login: heard }
}

describe('caching_sha2_password', () => {
  it('gets the password over TLS where the server has it not at hand', async () => {
    const said: string[] = []
    const { port } = await scripted(async (plain) => {
      const { peer } = await secured(plain)
      await peer.say(packet(3, switchTo('caching_sha2_password')))
      expect((await hear(peer)).payload).toHaveLength(32)
      await peer.say(packet(5, Buffer.of(1, 4)))
      const { number, payload } = await hear(peer)
      expect([number, payload.toString()]).toEqual([6, `${login.pass}\0`])
      await peer.say(packet(7, OK))
      await obey(peer, said)
    })
    expect(await check(mysql(), { ...login, port })).toMatchObject({
      verdict: 'ok',
      details: { server_version: '8.4.3', tls: { protocol: 'TLSv1.3' } },
    })
    expect(said[0]).toBe(`command ${COM_PING}`)
  })

  it('gets it encrypted with a key of the server where TLS is off by choice', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting())
      expect((await hear(peer)).payload.includes('caching_sha2_password')).toBe(true)
      await peer.say(packet(2, Buffer.of(1, 4)))
      expect((await hear(peer)).payload).toEqual(Buffer.of(2))
      const key = publicKey.export({ type: 'spki', format: 'pem' })
      await peer.say(packet(4, text(`\x01${key.toString()}`)))
      const { payload } = await hear(peer)
      const padding = constants.RSA_PKCS1_OAEP_PADDING
      const masked = privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, payload)
      const plain = masked.map((byte, at) => byte ^ SALT.charCodeAt(at % SALT.length))
      expect(plain.toString()).toBe(`${login.pass}\0`)
      await peer.say(packet(6, OK))
      await obey(peer, [])
    })
    const outcome = await check(mysql(), { ...login, tls: 'off', port })
    expect(outcome).toMatchObject({ verdict: 'ok' })
  })

  it('is accepted without TLS where the server knows the password already', async () => {
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting())
      await hear(peer)
      await peer.say(packet(2, switchTo('caching_sha2_password')))
      expect((await hear(peer)).payload).toHaveLength(32)
      await peer.say(packet(4, Buffer.of(1, 3)))
      await peer.say(packet(5, OK))
      await obey(peer, [])
    })
    expect(await check(mysql(), { ...login, port })).toMatchObject({ verdict: 'ok' })
  })
})

describe('a server that has no TLS, or somebody in between', () => {
  const asks: [string, (peer: Peer) => Promise<void>][] = [
    [
      'caching_sha2_password',
      async (peer) => {
        await peer.say(packet(2, switchTo('caching_sha2_password')))
        expect((await hear(peer)).payload).toHaveLength(32)
        await peer.say(packet(4, Buffer.of(1, 4)))
      },
    ],
    ['sha256_password', (peer) => peer.say(packet(2, switchTo('sha256_password')))],
  ]
  it.each(asks)('%s is not told the password by a key of its own', async (_, ask) => {
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting())
      await hear(peer)
      await ask(peer)
    })
    expect(await check(mysql(), { ...login, port })).toMatchObject({
      verdict: 'fail',
      cause_code: 'auth_unsupported',
      cause_text: expect.stringContaining('set tls to off'),
      phase: 'auth',
    })
  })
})

describe('other logins', () => {
  it.each(['sha256_password', 'mysql_clear_password'])(
    '%s gets the password over TLS',
    async (plugin) => {
      const { port } = await scripted(async (plain) => {
        const { peer } = await secured(plain)
        await peer.say(packet(3, switchTo(plugin)))
        expect((await hear(peer)).payload.toString()).toBe(`${login.pass}\0`)
        await peer.say(packet(5, OK))
        await obey(peer, [])
      })
      expect(await check(mysql(), { ...login, port })).toMatchObject({ verdict: 'ok' })
    },
  )

  it.each(['client_ed25519', 'dialog', 'auth_gssapi_client'])(
    '%s is one that the driver does not have',
    async (plugin) => {
      const { port } = await scripted(async (peer) => {
        await peer.say(greeting({ plugin: 'mysql_native_password' }))
        await hear(peer)
        await peer.say(packet(2, switchTo(plugin)))
      })
      expect(await check(mysql(), { ...login, port })).toMatchObject({
        verdict: 'fail',
        cause_code: 'auth_unsupported',
        cause_text: `The server asks for a login of the kind "${plugin}", which the driver does not have`,
        phase: 'auth',
      })
    },
  )
})

describe('in place of a greeting', () => {
  it.each([
    [1040, '#08004Too many connections', 'db_too_many_connections', '08004'],
    [1129, "Host 'x' is blocked because of many connection errors", 'db_host_blocked', undefined],
    [1130, "Host 'x' is not allowed to connect", 'db_host_denied', undefined],
    [1053, '#08S01Server shutdown in progress', 'db_shutting_down', '08S01'],
  ])('error %i means its cause', async (errno, message, cause_code, sqlstate) => {
    const { port } = await scripted(async (peer) => {
      await peer.say(packet(0, failure(errno, message)))
      peer.close()
    })
    const outcome = await check(mysql(), { ...login, port })
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase: 'greeting' })
    expect(outcome.cause_text).toContain(message.replace(/^#\w{5}/, ''))
    expect(outcome.details).toMatchObject({ errno, ...(sqlstate ? { sqlstate } : {}) })
  })
})

describe('a session', () => {
  const session = (said: string[], version: string, lacks?: RegExp) =>
    scripted(async (peer) => {
      await peer.say(greeting({ version, plugin: 'mysql_native_password' }))
      await hear(peer)
      await peer.say(packet(2, OK))
      await obey(peer, said, lacks)
    })
  const query = { query: 'SELECT 1', expect_rows_min: 1 } as const

  it.each([
    ['8.4.3', '8.4.3', 'max_execution_time'],
    ['5.5.5-10.6.18-MariaDB-log', '10.6.18-MariaDB-log', 'max_statement_time'],
    ['11.4.2-MariaDB', '11.4.2-MariaDB', 'max_statement_time'],
  ])('of %s is limited in rows and time and may not write', async (sent, shown, variable) => {
    const said: string[] = []
    const { port } = await session(said, sent)
    const outcome = await check(mysql(), { ...login, ...query, port }, { clock: patientClock })
    expect(outcome).toMatchObject({ verdict: 'ok', details: { rows: 1, server_version: shown } })
    expect(outcome.details).not.toHaveProperty('read_only')
    await expect.poll(() => said).toHaveLength(7)
    expect(said).toEqual([
      expect.stringMatching(new RegExp(`^SET SESSION sql_select_limit = 1, ${variable} = `)),
      'SET SESSION TRANSACTION READ ONLY',
      'START TRANSACTION READ ONLY',
      'SELECT 1',
      'SHOW GRANTS',
      'ROLLBACK',
      `command ${COM_QUIT}`,
    ])
  })

  it('is used where the server has neither the limits nor read-only transactions, and that is told', async () => {
    const said: string[] = []
    const { port } = await session(said, '5.1.73', /^SET/)
    const outcome = await check(mysql(), { ...login, ...query, port })
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: {
        rows: 1,
        read_only: false,
        read_only_why: ['the server has no read-only transactions'],
      },
    })
    expect(said).not.toContain('ROLLBACK')
  })

  it('that the server ends unasked is closed for the reason it gives', async () => {
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting({ plugin: 'mysql_native_password' }))
      await hear(peer)
      await peer.say(packet(2, OK))
      await hear(peer)
      // Not the number that is due.
      await peer.say(packet(0, failure(1053, '#08S01Server shutdown in progress')))
      peer.close()
    })
    expect(await check(mysql(), { ...login, port })).toMatchObject({
      cause_code: 'db_shutting_down',
      phase: 'query',
    })
  })

  it('in which the server numbers its packets wrongly is broken off', async () => {
    const complaint = vi.spyOn(console, 'error')
    onTestFinished(() => complaint.mockRestore())
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting({ plugin: 'mysql_native_password' }))
      await hear(peer)
      await peer.say(packet(2, OK))
      await hear(peer)
      await peer.say(packet(5, OK))
    })
    expect(await check(mysql(), { ...login, port })).toMatchObject({
      cause_code: 'protocol_error',
      phase: 'query',
    })
    expect(complaint).not.toHaveBeenCalled()
  })

  it('whose server does not take its leave is over all the same', async () => {
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting({ plugin: 'mysql_native_password' }))
      await hear(peer)
      await peer.say(packet(2, OK))
      await hear(peer)
      await peer.say(packet(1, OK))
      peer.deafen()
    })
    expect(await check(mysql(), { ...login, port })).toMatchObject({ verdict: 'ok' })
  })
})

describe('a length that is none', () => {
  const TWO_COLUMNS = [
    packet(1, Buffer.of(2)),
    packet(2, COLUMN),
    packet(3, COLUMN),
    packet(4, END),
  ]
  const ROW = packet(5, Buffer.concat([text('\x011'), Buffer.of(0xff, 1)]))

  it.each([
    ['in a row', [...TWO_COLUMNS, ROW, packet(6, END)]],
    ['in a column', [packet(1, Buffer.of(1)), packet(2, text('\x03def\xff\x01a\0\x0c'))]],
    ['of the rows that a statement changed', [packet(1, Buffer.of(0, 0xff, 0, 2, 0, 0, 0))]],
    ['behind the end of the packet', [packet(1, Buffer.of(0))]],
  ])('%s is a cause and a line of the logger, and nothing is printed', async (_what, answer) => {
    const { port } = await scripted(async (peer) => {
      await peer.say(greeting({ plugin: 'mysql_native_password' }))
      await hear(peer)
      await peer.say(packet(2, OK))
      await hear(peer)
      await peer.say(Buffer.concat(answer))
      await peer.hearBytes(1).catch(() => undefined)
    })
    const printed = (['log', 'error', 'warn', 'trace', 'info', 'debug'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => undefined),
    )
    const written = ([process.stdout, process.stderr] as const).map((stream) =>
      vi.spyOn(stream, 'write').mockReturnValue(true),
    )
    const said: string[] = []
    const logger = {
      ...silentLogger,
      debug: (_fields: object, line: string) => void said.push(line),
    }
    try {
      const settings = { ...login, port, tls: 'off', query: 'SELECT 1' } as const
      const outcome = await runCheck(mysql(), settings, { logger, timeout_ms: 30_000 })
      expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'protocol_error' })
      for (const spy of [...printed, ...written]) expect(spy).not.toHaveBeenCalled()
      expect(said).toEqual(['a MySQL server sent a length that is none'])
    } finally {
      vi.restoreAllMocks()
    }
  })
})
