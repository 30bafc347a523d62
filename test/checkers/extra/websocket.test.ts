import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { websocket } from '../../../src/checkers/extra/websocket/index.ts'
import { http } from '../../../src/checkers/http/index.ts'
import { certificates } from '../../support/certificates.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import { startWebSockets, websocketServer } from '../../support/servers/python.ts'
import type { PythonServer } from '../../support/servers/python.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'

const checker = websocket()

describeWithServer(websocketServer, 'a real server', () => {
  let server: PythonServer
  beforeAll(async () => void (server = await startWebSockets()))
  afterAll(() => server.stop())

  const at = (path: string) => `ws://127.0.0.1:${server.ports.plain}${path}`

  it('is up when it switches and answers a ping, and is left in order', async () => {
    const outcome = await check(checker, { url: at('/') })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({
      verdict: 'ok',
      details: { pong_ms: expect.any(Number) as number },
    })
    expect(Object.keys(outcome.phases)).toEqual(['connect_ms', 'first_byte_ms', 'query_ms'])
    expect(server.log()).not.toMatch(/Traceback|ConnectionClosedError/)
  })

  it('speaks TLS, with a valid certificate unless errors are ignored', async () => {
    const secure = `wss://localhost:${server.ports.secure}/`
    expect(await check(checker, { url: secure })).toMatchObject({
      verdict: 'ok',
      details: { tls: { authorized: true } },
    })
    const ca = certificates().selfSigned.cert
    expect(await check(checker, { url: secure }, { ca })).toMatchObject({
      cause_code: expect.stringMatching(/^tls_/) as string,
    })
    const settings = { url: secure, ignore_tls_errors: true }
    expect(await check(checker, settings, { ca })).toMatchObject({ verdict: 'ok' })
  })

  it.each([
    ['/', 'hello there', '^hello there$'],
    ['/hello', undefined, '^one$'],
    ['/hello', undefined, 'three ✓'],
    ['/hello', undefined, 'two\\x{ff}$'],
  ])('at %s with %j a message matches %s', async (path, send, message_regex) => {
    const outcome = await check(checker, { url: at(path), send, message_regex })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ verdict: 'ok' })
    expect(outcome.details).not.toHaveProperty('pong_ms')
  })

  it('a message of several sizes comes back whole', async () => {
    for (const length of [125, 126, 4000]) {
      const settings = { url: at('/'), send: 'x'.repeat(length), message_regex: `^x{100}x+$` }
      expect(await check(checker, settings)).toMatchObject({ verdict: 'ok' })
    }
  })

  it('that says something else meets the deadline, with the last message', async () => {
    await withDeadline(400, async (timeout_ms) => {
      const settings = { url: at('/hello'), message_regex: '^four$' }
      expect(await check(checker, settings, { timeout_ms })).toMatchObject({
        verdict: 'fail',
        cause_code: 'banner_timeout',
        phase: 'greeting',
        details: { messages: 3, message: 'three \\xe2\\x9c\\x93' },
      })
    })
  })

  it('chooses a subprotocol, or the check says that it has none', async () => {
    const chosen = await check(checker, { url: at('/'), subprotocols: ['chat.v1', 'other'] })
    expect(chosen).toMatchObject({ verdict: 'ok', details: { subprotocol: 'chat.v1' } })
    expect(await check(checker, { url: at('/'), subprotocols: ['other'] })).toMatchObject({
      cause_code: 'websocket_subprotocol',
      cause_text: 'The server chose none of other',
    })
  })

  it('that closes says why', async () => {
    expect(await check(checker, { url: at('/bye') })).toMatchObject({
      cause_code: 'websocket_closed',
      cause_text: 'The server closed the WebSocket with the code 4000: "not today"',
    })
  })

  it('that asks for a login gets it from the headers', async () => {
    const url = at('/private')
    expect(await check(checker, { url })).toMatchObject({
      cause_code: 'websocket_refused',
      cause_text: 'The server answered with the status 401',
    })
    const headers = { Authorization: 'Bearer right' }
    expect(await check(checker, { url, headers })).toMatchObject({ verdict: 'ok' })
  })

  it('with ping off the handshake is enough', async () => {
    const outcome = await check(checker, { url: at('/'), ping: false })
    expect(outcome).toMatchObject({ verdict: 'ok', details: {} })
  })
})

describe('settings', () => {
  it.each([
    [{ url: 'https://example.com/' }, { url: 'invalid: a ws:// or wss:// address is expected' }],
    [
      { url: 'ws://example.com/', subprotocols: ['a b'] },
      { subprotocols: 'invalid: a name has no spaces and no separators' },
    ],
  ])('%j is refused', async (settings, fields) => {
    await expect(check(checker, settings)).rejects.toMatchObject({ fields })
  })
})

/** Switches, whatever it is asked, and goes on with these bytes. */
function switching(then: (socket: Socket) => unknown, headers = '') {
  return (socket: Socket) => {
    socket.once('data', (request: Buffer) => {
      const key = /Sec-WebSocket-Key: (\S+)/i.exec(request.toString('latin1'))?.[1] ?? ''
      const accept = createHash('sha1')
        .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64')
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${headers}\r\n`,
      )
      then(socket)
    })
  }
}

/** The head of a frame of the server, and its payload. */
function frame(first: number, payload: string | Uint8Array, length?: bigint): Buffer {
  const bytes = Buffer.from(payload as string, 'latin1')
  if (length === undefined && bytes.length < 126) {
    return Buffer.concat([Buffer.of(first, bytes.length), bytes])
  }
  const head = Buffer.alloc(10)
  head[0] = first
  head[1] = 127
  head.writeBigUInt64BE(length ?? BigInt(bytes.length), 2)
  return Buffer.concat([head, bytes])
}

describe('a hostile server', () => {
  const url = (port: number) => `ws://127.0.0.1:${port}/?token=hidden`

  it.each<[string, string, string]>([
    ['another status', 'HTTP/1.1 503 Down\r\n\r\n', 'websocket_refused'],
    ['a redirect', 'HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n', 'websocket_refused'],
    ['no HTTP', 'SSH-2.0-Test\r\n', 'http_protocol_error'],
    ['half an answer', 'HTTP/1.1 101 Sw', 'closed_early'],
    ['a wrong key', switched('Sec-WebSocket-Accept: eA==\r\n'), 'protocol_error'],
    ['no key', switched(''), 'protocol_error'],
    [
      'another protocol',
      'HTTP/1.1 101 X\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n',
      'protocol_error',
    ],
  ])('that answers with %s', async (_, answer, cause_code) => {
    const { port } = await scriptedServer((socket) => {
      socket.once('data', () => socket.end(answer, 'latin1'))
    })
    const outcome = await check(checker, { url: url(port) })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ verdict: 'fail', cause_code })
    expect(JSON.stringify(outcome)).not.toContain('hidden')
  })

  it.each<[string, Buffer, string]>([
    ['a masked frame', Buffer.of(0x81, 0x81, 1, 2, 3, 4, 5), 'protocol_error'],
    ['an unknown opcode', frame(0x83, ''), 'protocol_error'],
    ['a compressed frame', frame(0xc1, 'x'), 'protocol_error'],
    ['a long ping', frame(0x89, 'x'.repeat(126)), 'protocol_error'],
    ['a fragmented ping', frame(0x09, 'x'), 'protocol_error'],
    ['a part of nothing', frame(0x80, 'x'), 'protocol_error'],
    [
      'a message within a message',
      Buffer.concat([frame(0x01, 'x'), frame(0x81, 'y')]),
      'protocol_error',
    ],
    ['text that is not UTF-8', frame(0x81, '\xff'), 'protocol_error'],
    ['half a close code', frame(0x88, '\x03'), 'protocol_error'],
    ['a frame of exabytes', frame(0x82, 'x', 2n ** 62n), 'too_long'],
    ['a large frame', frame(0x82, 'x'.repeat(70_000)), 'too_long'],
    [
      'a message of many parts',
      Buffer.concat(
        Array.from({ length: 3 }, (_, n) => frame(n === 0 ? 0x02 : 0x00, 'x'.repeat(30_000))),
      ),
      'too_long',
    ],
    ['a reason in colours', frame(0x88, '\x03\xe8\x1b[31m'), 'websocket_closed'],
  ])('that sends %s', async (_, bytes, cause_code) => {
    const { port } = await scriptedServer(switching((socket) => socket.end(bytes)))
    const outcome = await check(checker, { url: url(port) })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ cause_code })

    expect(outcome.cause_text).not.toMatch(/[\u0000-\u001f]/)
  })

  it('that uses an extension or subprotocol nobody offered', async () => {
    for (const header of ['Extensions: permessage-deflate', 'Protocol: chat']) {
      const script = switching(() => undefined, `Sec-WebSocket-${header}\r\n`)
      const { port } = await scriptedServer(script)
      expect(await check(checker, { url: url(port) })).toMatchObject({
        cause_code: 'protocol_error',
      })
    }
  })

  it('that floods with small frames is left after a while, and no turn is long', async () => {
    const flood = Buffer.concat(Array.from({ length: 20_000 }, () => frame(0x81, 'x')))
    const { port } = await scriptedServer(switching((socket) => socket.write(flood)))
    const { value, longest_ms } = await leastOf(
      3,
      () => measureTurns(() => check(checker, { url: url(port) })),
      250,
    )
    expect(value).toMatchObject({ verdict: 'unknown', cause_code: 'too_long' })
    expect(longest_ms).toBeLessThan(250)
  })

  it('that floods with interim answers is left after a while, and no turn is long', async () => {
    const flood = 'HTTP/1.1 103 E\r\n\r\n'.repeat(200_000)
    const { port } = await scriptedServer((socket) => {
      socket.once('data', () => void socket.write(flood, 'latin1'))
    })
    const { value, longest_ms } = await leastOf(
      3,
      () => measureTurns(() => check(checker, { url: url(port) })),
      50,
    )
    expect(value).toMatchObject({ verdict: 'unknown', cause_code: 'http_header_limit' })
    expect(longest_ms).toBeLessThan(50)
  })

  it('that sends more headers than are read is unknown, as for http', async () => {
    const { port } = await scriptedServer((socket) => {
      socket.once('data', () => void socket.write(`HTTP/1.1 101 X\r\nA: ${'a'.repeat(70_000)}`))
    })
    const own = await check(checker, { url: url(port) })
    expect(own).toMatchObject({ verdict: 'unknown', cause_code: 'http_header_limit' })
    const { verdict, cause_code, cause_text } = await check(http(), {
      url: `http://127.0.0.1:${port}/`,
    })
    expect(own).toMatchObject({ verdict, cause_code, cause_text })
  })

  it.each<[string, (socket: Socket) => unknown, string, string]>([
    ['never answers', () => undefined, 'http_response_timeout', 'first_byte'],
    [
      'never ends its handshake',
      (socket) => socket.write('HTTP/1.1 101 X\r\nA: '),
      'http_response_timeout',
      'first_byte',
    ],
    ['ignores the ping', switching(() => undefined), 'query_timeout', 'query'],
    [
      'begins a frame',
      switching((socket) => socket.write(Buffer.of(0x82, 100, 1))),
      'query_timeout',
      'query',
    ],
  ])('that %s meets the deadline', async (_, script, cause_code, phase) => {
    const server = await scriptedServer(script)
    await withDeadline(300, async (timeout_ms) => {
      const outcome = await check(checker, { url: url(server.port) }, { timeout_ms })
      expect(outcome).toMatchObject({ verdict: 'fail', cause_code, phase })
    })
    await server.idle()
  })

  it('never sees a connection that the policy refuses', async () => {
    const server = await scriptedServer(() => undefined)
    const policy = () => 'private'
    const outcome = await check(checker, { url: url(server.port) }, { policy })
    expect(outcome).toMatchObject({ cause_code: 'connect_blocked' })
    expect(server.connections).toBe(0)
  })
})

function switched(header: string): string {
  return `HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${header}\r\n`
}
