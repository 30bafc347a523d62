/** One gRPC call on one connection: what is asked, and what is made of any answer. Real sockets, simulated time. */
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { callUnary } from '../../../src/net/http/grpc-call.ts'
import type { Call } from '../../../src/net/http/grpc-call.ts'
import type { Connection } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'
import { frame } from '../../support/hostile/http2.ts'
import { listening } from '../../support/listening.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { failed } from './rules.ts'

type Script = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => unknown

/** A call on a connection to this port. */
async function calling(port: number, of: Partial<Call> = {}, tls: object | null = null) {
  const clock = simulatedClock()
  const stop = createStop()
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const connection = { socket, tls } as unknown as Connection
  const call = () =>
    callUnary(connection, {
      ...{ scheme: 'http', authority: 'shop.example:50051', path: '/grpc.health.v1.Health/Check' },
      ...{ metadata: [], message: Buffer.from('ask'), timeout_ms: 1500, signal: stop, clock },
      turns: createTurns(systemClock),
      ...of,
    })
  return { clock, stop, socket, call, ended: () => call().catch(failed) }
}

/** A server of HTTP/2 whose streams play the script. */
async function serving(script: Script) {
  const server = createServer()
  const settings: unknown[] = []
  server.on('session', (session) => {
    session.on('error', () => undefined)
    session.on('remoteSettings', (their) => settings.push(their))
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    script(stream, headers)
  })
  const running = await listening(server)
  onTestFinished(() => running[Symbol.asyncDispose]())
  return { port: running.port, settings }
}

const ended = async (script: Script) => (await calling((await serving(script)).port)).ended()

const HEAD = { ':status': 200, 'content-type': 'application/grpc' }
const message = (text: string) =>
  Buffer.concat([Buffer.of(0, 0, 0, text.length >> 8, text.length & 0xff), Buffer.from(text)])

/** An answer of these bytes, with these trailers. */
const answering =
  (bytes: Uint8Array, trailers: Record<string, string>, head: object = HEAD): Script =>
  (stream) => {
    stream.respond({ ...head }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(bytes)
  }
const OK = { 'grpc-status': '0' }
const good = { status: 0, said: '', message: Buffer.from('told') }
const strange = (what: string) => ({
  ...{ code: 'protocol_error', message: `The server ${what}`, phase: undefined },
})
const closed = (what: string) => ({ code: 'closed_early', message: what, phase: undefined })
const ENDLESS = 'The server sends frames of HTTP/2 without end'

describe('a call', () => {
  it('is a POST of one message, with its time', async () => {
    const heard: { headers: IncomingHttpHeaders; body: Buffer }[] = []
    const { port, settings } = await serving((stream, headers) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        heard.push({ headers, body: Buffer.concat(chunks) })
        answering(message('told'), OK)(stream, headers)
      })
    })
    const metadata = [
      ...[['X-Own', 'a'] as const, ['Host', 'b'] as const, ['Content-Type', 'c'] as const],
      ...[['GRPC-Timeout', 'd'] as const, ['grpc-', 'e'] as const, ['xhost', 'f'] as const],
      ...[['hosts', 'g'] as const, ['x-grpc-a', 'h'] as const, ['content-types', 'i'] as const],
    ]
    const { call, socket, clock } = await calling(port, { metadata })
    expect(await call()).toEqual(good)
    expect(Object.fromEntries(Object.entries(heard[0]?.headers ?? {}))).toEqual({
      ...{ ':method': 'POST', ':scheme': 'http', ':authority': 'shop.example:50051' },
      ...{ ':path': '/grpc.health.v1.Health/Check', 'content-type': 'application/grpc' },
      ...{ te: 'trailers', 'grpc-timeout': '1500m' },
      ...{ 'x-own': 'a', xhost: 'f', hosts: 'g', 'x-grpc-a': 'h', 'content-types': 'i' },
    })
    expect(heard[0]?.body).toEqual(message('ask'))
    expect(settings[0]).toMatchObject({ enablePush: false, maxHeaderListSize: 16_384 })
    // The connection ends with the call, and no timer is left.
    expect(clock.pending).toBe(0)
    if (!socket.closed) await once(socket, 'close')
  })

  it.each([
    [0.5, '1m'],
    [2.9, '2m'],
  ])('has whole milliseconds: %d ms are %s', async (timeout_ms, shown) => {
    let heard: unknown
    const { port } = await serving((stream, headers) => {
      heard = headers['grpc-timeout']
      answering(message('told'), OK)(stream, headers)
    })
    await (await calling(port, { timeout_ms, scheme: 'https' }, { alpn: 'h2' })).call()
    expect(heard).toBe(shown)
  })

  it('needs HTTP/2 in the TLS handshake', async () => {
    const { port } = await serving(answering(message('told'), OK))
    for (const alpn of ['http/1.1', null])
      expect(await (await calling(port, {}, { alpn })).ended()).toEqual(
        strange('does not offer HTTP/2 in the TLS handshake'),
      )
  })

  it('is not made once the check has ended, nor on a connection that has', async () => {
    const { port } = await serving(answering(message('told'), OK))
    const stopped = await calling(port)
    stopped.stop.abort(new Error('enough'))
    expect(await stopped.ended()).toEqual(new Error('enough'))
    const gone = await calling(port)
    gone.socket.destroy()
    expect(await gone.ended()).toEqual(
      closed('The connection was closed before the call was answered'),
    )
  })

  it('ends with the check', async () => {
    const { stop, ended, clock, socket } = await calling(
      (
        await serving(() => {
          stop.abort(new Error('enough'))
        })
      ).port,
    )
    expect(await ended()).toEqual(new Error('enough'))
    expect(clock.pending).toBe(0)
    if (!socket.closed) await once(socket, 'close')
  })
})

describe('an answer', () => {
  it.each<[string, Script, object]>([
    ['a message', answering(message('told'), OK), good],
    ['an empty message', answering(message(''), OK), { ...good, message: Buffer.alloc(0) }],
    [
      'a status and its text',
      answering(message('x'), { 'grpc-status': '5', 'grpc-message': 'caf%C3%A9' }),
      { status: 5, said: 'caf\u00c3\u00a9', message: undefined },
    ],
    [
      'a text that cannot be decoded',
      answering(Buffer.of(), { 'grpc-status': '999', 'grpc-message': '%' }),
      { status: 999, said: '%', message: undefined },
    ],
    [
      'its status among the headers',
      (stream) => {
        stream.respond({ ...HEAD, 'grpc-status': '12' }, { endStream: true })
      },
      { status: 12, said: '', message: undefined },
    ],
    [
      'a status, whatever HTTP says',
      (stream) => {
        stream.respond({ ':status': 503, 'grpc-status': '14' }, { endStream: true })
      },
      { status: 14, said: '', message: undefined },
    ],
    [
      'a type of its encoding',
      answering(message('told'), OK, { ...HEAD, 'content-type': 'application/grpc+proto' }),
      good,
    ],
  ])('may have %s', async (_, script, wanted) => {
    expect(await ended(script)).toEqual(wanted)
  })

  const HTTP = (status: number) => `answered over HTTP with the status ${status} and not with gRPC`
  const NONE = 'gave the call no status'
  const SEVERAL = 'sent no message, or more than one'

  it.each<[string, Script, string]>([
    ['is a page', answering(Buffer.of(1), {}, { ...HEAD, ':status': 404 }), HTTP(404)],
    ['has another type', answering(Buffer.of(1), {}, { 'content-type': 'text/html' }), HTTP(200)],
    [
      'has a type amiss',
      answering(Buffer.of(1), {}, { 'content-type': 'x/application/grpc' }),
      HTTP(200),
    ],
    ['has no type', answering(Buffer.of(1), {}, {}), HTTP(200)],
    ['has no status', answering(message('told'), {}), NONE],
    [
      'has headers alone',
      (stream) => {
        stream.respond(HEAD, { endStream: true })
      },
      NONE,
    ],
    ['has no number', answering(message('told'), { 'grpc-status': 'x' }), NONE],
    ['has a number and more', answering(message('told'), { 'grpc-status': '0x' }), NONE],
    ['has a number behind', answering(message('told'), { 'grpc-status': '-0' }), NONE],
    ['has a large number', answering(message('told'), { 'grpc-status': '1000' }), NONE],
    ['has no message', answering(Buffer.of(), OK), SEVERAL],
    ['has four bytes', answering(Buffer.alloc(4), OK), SEVERAL],
    ['has half a message', answering(message('told').subarray(0, -1), OK), SEVERAL],
    ['has a byte more', answering(Buffer.concat([message('told'), Buffer.of(0)]), OK), SEVERAL],
    [
      'is compressed',
      answering(Buffer.concat([Buffer.of(1), message('told').subarray(1)]), OK),
      'compressed its message, which was not offered',
    ],
  ])('that %s is none', async (_, script, what) => {
    expect(await ended(script)).toEqual(strange(what))
  })

  it('has 16 KiB at most', async () => {
    const text = 'x'.repeat(16 * 1024 - 5)
    expect(await ended(answering(message(text), OK))).toMatchObject({ message: Buffer.from(text) })
    expect(await ended(answering(message(`${text}x`), OK))).toEqual({
      ...{ code: 'too_long', message: 'The server sent more than 16384 bytes', phase: undefined },
    })
  })

  it('has 128 header fields at most', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, '1']))
    const head = (count: number) => ({ ...HEAD, ...fields(count) })
    expect(await ended(answering(message('told'), OK, head(100)))).toEqual(good)
    expect(await ended(answering(message('told'), OK, head(200)))).toMatchObject({
      code: 'closed_early',
    })
  })

  it('comes behind 64 interim ones at most', async () => {
    const hints =
      (count: number): Script =>
      (stream, headers) => {
        for (let n = 0; n < count; n++) stream.additionalHeaders({ ':status': 103 })
        answering(message('told'), OK)(stream, headers)
      }
    expect(await ended(hints(64))).toEqual(good)
    expect(await ended(hints(65))).toEqual({
      ...{ code: 'too_long', message: ENDLESS, phase: undefined },
    })
  })
})

describe('a server', () => {
  const NO_STATUS = 'The server ended the call without a status'
  const AWAY = 'The server closed the HTTP/2 session (GOAWAY, '

  it.each<[string, Script, string]>([
    ['resets the call', (stream) => stream.close(7), `${NO_STATUS} (REFUSED_STREAM)`],
    ['resets it without a reason', (stream) => stream.close(0), NO_STATUS],
    ['resets it for one of tomorrow', (stream) => stream.close(99), `${NO_STATUS} (code 99)`],
    ['leaves', (stream) => stream.session?.goaway(11), `${AWAY}ENHANCE_YOUR_CALM)`],
    [
      'leaves without a reason, and ends',
      (stream) => {
        stream.session?.goaway(0)
        setTimeout(() => stream.session?.destroy(), 5)
      },
      `${AWAY}NO_ERROR)`,
    ],
  ])('that %s is told by that', async (_, script, text) => {
    expect(await ended(script)).toEqual(closed(text))
  })

  it('that leaves without a reason, on a connection that then fails, has left', async () => {
    let fail = (): void => undefined
    const { port } = await scriptedServer((peer) => {
      const own = { stream: 0 }
      const goodbye = frame('goaway', Buffer.of(0, 0, 0, 1, 0, 0, 0, 0), own)
      const ping = (flags = 0) => frame('ping', Buffer.from('was read'), { ...own, flags })
      peer.write(frame('settings', undefined, own))
      peer.once('data', () => peer.write(Buffer.concat([goodbye, ping()])))
      peer.on('data', (bytes: Buffer) => bytes.includes(ping(1)) && fail())
    })
    const { ended, socket } = await calling(port)
    fail = () => void socket.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }))
    expect(await ended()).toEqual(closed(`${AWAY}NO_ERROR)`))
  })

  it('that leaves without a reason may answer', async () => {
    const leaving: Script = (stream, headers) => {
      stream.session?.goaway(0)
      setTimeout(() => answering(message('told'), OK)(stream, headers), 5)
    }
    expect(await ended(leaving)).toEqual(good)
  })

  it('that ends the connection has not answered', async () => {
    const { port } = await scriptedServer((socket) => void socket.once('data', () => socket.end()))
    expect(await (await calling(port)).ended()).toMatchObject({ code: 'closed_early' })
  })

  it('that resets the connection is told by that', async () => {
    const { port } = await scriptedServer(
      (socket) => void socket.once('data', () => socket.resetAndDestroy()),
    )
    expect(await (await calling(port)).ended()).toMatchObject({ code: 'ECONNRESET' })
  })

  it('that speaks something else is told so', async () => {
    const { port } = await scriptedServer((socket) => socket.write('SSH-2.0-x\r\n'))
    const { call } = await calling(port)
    const failure = await call().catch((error: unknown) => error as Error)
    expect(failed(failure)).toMatchObject({
      ...{ code: 'protocol_error' },
      message: expect.stringMatching(/^The server does not speak HTTP\/2: ./) as string,
    })
    expect((failure as Error).cause).toMatchObject({
      code: expect.stringMatching(/^ERR_HTTP2_/) as string,
    })
  })

  it('that sends more than 512 KiB without an answer is left', async () => {
    /** Unknown frames, which are ignored, up to so many bytes in all. */
    const sending = (bytes: number) =>
      scriptedServer((socket) => {
        const settings = frame('settings', undefined, { stream: 0 })
        const size = 9 + 1000
        socket.write(settings)
        for (let left = bytes - settings.length; left > 0; left -= size)
          socket.write(frame('unknown', Buffer.alloc(Math.min(left, size) - 9), { stream: 0 }))
      })
    const most = 512 * 1024
    const few = await calling((await sending(most)).port)
    let answer: unknown
    const waiting = few.ended().then((how) => (answer = how))
    await expect.poll(() => few.socket.bytesRead).toBe(most)
    await few.clock.advance(200)
    await setImmediate()
    expect(answer).toBeUndefined()
    few.socket.destroy()
    await waiting

    const many = await calling((await sending(most + 1009)).port)
    const left = many.ended()
    await expect.poll(() => many.socket.bytesRead).toBe(most + 1009)
    await many.clock.advance(49)
    expect(many.socket.destroyed).toBe(false)
    await many.clock.advance(1)
    expect(await left).toEqual({ code: 'too_long', message: ENDLESS, phase: undefined })
    expect([many.socket.destroyed, many.clock.pending]).toEqual([true, 0])
  })
})
