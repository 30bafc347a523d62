/** One exchange over HTTP/2 on one connection: what is asked, and the limits of any answer. Real sockets, simulated time. */
import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { HopOptions } from '../../../src/net/http/answer.ts'
import type { HopRequest } from '../../../src/net/http/headers.ts'
import { exchangeHttp2 } from '../../../src/net/http/http2.ts'
import type { Connection } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { createTrace } from '../../../src/net/timing/trace.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'
import { frame } from '../../support/hostile/http2.ts'
import { listening } from '../../support/listening.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { failed } from './rules.ts'

const turn = () => new Promise((resolve) => void setImmediate(resolve))

const KIB = 1024
const MIB = 1024 * KIB

type Script = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => unknown

async function asking(port: number, of: Partial<HopRequest> = {}, how: Partial<HopOptions> = {}) {
  const clock = simulatedClock()
  const stop = createStop()
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const connection = { socket, tls: null, close: () => void socket.destroy() }
  const exchange = () =>
    exchangeHttp2(
      connection as unknown as Connection,
      {
        ...{ url: new URL('http://shop.example/a?b=c'), method: 'GET', headers: [['X-A', '1']] },
        ...{ body: undefined, identity: undefined, ...of },
      },
      {
        ...{ trace: createTrace(clock), signal: stop, clock, bodyLimit: 4 * MIB },
        ...{
          wantsBody: () => true,
          inTurns: () => Promise.reject(new Error('no reader')),
          turns: createTurns(systemClock),
        },
        ...how,
      },
    )
  return { clock, stop, socket, exchange, ended: () => exchange().catch(failed) }
}

/** A server of HTTP/2 whose streams play the script. */
async function serving(script: Script) {
  const server = createServer()
  const sessions: ServerHttp2Session[] = []
  const settings: unknown[] = []
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => undefined)
    session.on('remoteSettings', (their) => settings.push(their))
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    script(stream, headers)
  })
  const running = await listening(server)
  onTestFinished(() => running[Symbol.asyncDispose]())
  return { port: running.port, settings, sessions }
}

const CONNECTION = { stream: 0 }
/** The end of a header section, and of a stream. */
const [END_HEADERS, END_STREAM] = [4, 1]
const ACK = 1
/** `:status: 200` is the eighth entry of the table of headers (RFC 7541, A). */
const headers = (...fields: readonly Buffer[]) =>
  frame('headers', Buffer.concat([Buffer.of(0x88), ...fields]), { flags: END_HEADERS })
const data = (text: string, flags = 0) => frame('data', Buffer.from(text), { flags })
const reset = (code: number) => frame('reset', Buffer.of(0, 0, 0, code))
/** Streams up to the first may still be answered. */
const goodbye = frame('goaway', Buffer.of(0, 0, 0, 1, 0, 0, 0, 0), CONNECTION)

/** What comes of an answer in these frames. */
async function framed(...frames: readonly Buffer[]) {
  const { port } = await scriptedServer((socket) => {
    socket.write(frame('settings', undefined, CONNECTION))
    // With the acknowledgement, the window is the one that was asked for.
    const agreed = frame('settings', undefined, { ...CONNECTION, flags: ACK })
    socket.once('data', () => socket.write(Buffer.concat([agreed, ...frames])))
  })
  return inTurns(await asking(port))
}

/** The end of an exchange that leaves others their turn. */
async function inTurns({ ended, clock }: Awaited<ReturnType<typeof asking>>) {
  const state = { over: false }
  onTestFinished(() => void (state.over = true))
  const end = ended().finally(() => (state.over = true))
  while (!state.over) {
    await clock.advance(0)
    await turn()
  }
  return end
}

const ask = async (script: Script, of: Partial<HopRequest> = {}) =>
  asking((await serving(script)).port, of)
const ended = async (script: Script) => (await ask(script)).ended()
const ok: Script = (stream) => {
  stream.respond({ ':status': 200, 'x-b': '2' })
  stream.end('told')
}
const textOf = (answer: object) => String((answer as { body?: { body: Buffer } }).body?.body)
const ENDLESS = { code: 'too_long', message: 'The server sends frames of HTTP/2 without end' }

describe('a request', () => {
  it('is one stream with our limits, and ends its connection', async () => {
    const heard: IncomingHttpHeaders[] = []
    const { port, settings, sessions } = await serving((stream, headers) => {
      heard.push(headers)
      ok(stream, headers)
    })
    const { exchange, socket, clock } = await asking(port)
    const over = once(socket, 'close')
    const answer = await exchange()
    expect(answer).toMatchObject({
      ...{ status: 200, http_version: '2', first_byte_ms: 0, transfer_ms: 0 },
      headers: expect.arrayContaining([['x-b', '2']]) as unknown,
      body: { body: Buffer.from('told'), body_bytes: 4, body_cut: false },
    })
    expect(answer.headers.map(([name]) => name)).not.toContain(':status')
    expect(heard[0]).toMatchObject({
      ...{ ':method': 'GET', ':path': '/a?b=c', ':authority': 'shop.example', 'x-a': '1' },
    })
    expect(settings[0]).toMatchObject({
      ...{ enablePush: false, initialWindowSize: MIB, maxHeaderListSize: 64 * KIB },
    })
    expect(sessions).toHaveLength(1)
    await over
    expect(clock.pending).toBe(0)
  })

  it('has room for a megabyte before it is read', async () => {
    let room: number | undefined
    const { exchange } = await ask((stream, headers) => {
      room = stream.session?.state.remoteWindowSize
      ok(stream, headers)
    })
    await exchange()
    expect(room).toBe(MIB)
  })

  it('has its body, and none ends with its headers', async () => {
    const bodies: [string, boolean][] = []
    const listen: Script = (stream, headers) => {
      let text = ''
      const { endAfterHeaders } = stream
      stream.on('data', (chunk: Buffer) => (text += String(chunk)))
      stream.on('end', () => {
        bodies.push([text, endAfterHeaders])
        ok(stream, headers)
      })
    }
    await (await ask(listen, { method: 'POST', body: 'asked' })).exchange()
    await (await ask(listen)).exchange()
    await (await ask(listen, { method: 'POST' })).exchange()
    expect(bodies).toEqual([
      ['asked', false],
      ['', true],
      ['', true],
    ])
  })

  it('that is none of HTTP fails, and its connection ends', async () => {
    const { ended, socket } = await ask(ok, { headers: [['X A', 'a']] })
    expect(await ended()).toMatchObject({
      code: expect.stringMatching(/INVALID_HTTP_TOKEN|http_/) as string,
    })
    expect(socket.destroyed).toBe(true)
  })

  it('is not sent on a connection that is gone', async () => {
    const { ended, socket } = await ask(ok)
    socket.destroy()
    expect(await ended()).toMatchObject({ code: 'closed_early', phase: 'first_byte' })
  })

  it('ends with the check', async () => {
    const { ended, stop, socket } = await ask(() => {
      stop.abort(new Error('enough'))
      socket.destroy()
    })
    expect(await ended()).toEqual(new Error('enough'))
  })
})

describe('an answer', () => {
  it('that is reset before it came has not come', async () => {
    expect(await ended((stream) => stream.close(7))).toEqual({
      ...{ code: 'closed_early', phase: 'first_byte' },
      message: 'The server ended the request before an answer came: REFUSED_STREAM',
    })
  })

  it.each([
    [0, 'NO_ERROR'],
    [8, 'CANCEL'],
  ])('that is reset amid its body with %i is not whole', async (code, name) => {
    const { port } = await scriptedServer((socket) => {
      socket.write(frame('settings', undefined, CONNECTION))
      // The body has been read when the answer to what follows it comes.
      const ping = (flags = 0) => frame('ping', Buffer.from('was read'), { ...CONNECTION, flags })
      const half = Buffer.concat([headers(), data('half'), ping()])
      socket.once('data', () => socket.write(half))
      let heard = Buffer.alloc(0)
      socket.on('data', (bytes: Buffer) => {
        heard = Buffer.concat([heard, bytes])
        if (heard.includes(ping(ACK))) socket.write(reset(code))
      })
    })
    expect(await inTurns(await asking(port))).toEqual({
      ...{ code: 'http_truncated', phase: 'transfer' },
      message: `The body broke off after 4 bytes: ${name}`,
    })
    // All at once, the reset comes before the body is passed on.
    expect(await framed(headers(), data('half'), reset(code))).toMatchObject({
      code: 'http_truncated',
      message: expect.stringContaining(name) as string,
    })
  })

  it('whose connection ends amid its body is not whole', async () => {
    const half: Script = (stream) => {
      stream.respond({ ':status': 200, 'content-length': '9' })
      stream.write('half', () => stream.session?.destroy())
    }
    expect(await ended(half)).toMatchObject({
      code: 'http_truncated',
      message: expect.stringContaining('The body ended after 4 of 9 bytes') as string,
    })
  })

  it('of many frames that are short is the same', async () => {
    const text = Array.from({ length: 300 }, (_, n) => String.fromCharCode(97 + (n % 26)))
    const exchange = await ask(async (stream) => {
      stream.respond({ ':status': 200 })
      for (const letter of text) await new Promise((resolve) => void stream.write(letter, resolve))
      stream.end()
    })
    expect(textOf(await inTurns(exchange))).toBe(text.join(''))
  })

  it('of short frames is passed on though it has no end yet', async () => {
    const { port } = await scriptedServer((socket) => {
      socket.write(frame('settings', undefined, CONNECTION))
      const letters = Array.from({ length: 65 }, () => data('x'))
      socket.once('data', () => socket.write(Buffer.concat([headers(), ...letters])))
    })
    // The last letter, which shows that there is more, is the only one that waits to be passed on with others.
    const answer = await inTurns(await asking(port, {}, { bodyLimit: 64 }))
    expect(answer).toMatchObject({
      body: { body: Buffer.from('x'.repeat(64)), body_cut: true },
    })
  })

  it('may have any number of frames of 17 bytes, and 8192 of one', async () => {
    const frames = (count: number, text: string) => [
      ...Array.from({ length: count - 1 }, () => data(text)),
      data(text, END_STREAM),
    ]
    const long = await framed(headers(), ...frames(8300, 'seventeen letters'))
    expect(textOf(long) === 'seventeen letters'.repeat(8300)).toBe(true)
    const short = await framed(headers(), ...frames(8192, 'x'))
    expect(textOf(short) === 'x'.repeat(8192)).toBe(true)
    expect(await framed(headers(), ...frames(8193, 'x'))).toMatchObject(ENDLESS)
  })

  it('that has come is whole though its connection ends before all of it has been read', async () => {
    // The reader rests after 4096 pieces, here until the clock moves.
    const text = 'seventeen letters'
    const { port } = await scriptedServer((socket) => {
      socket.write(frame('settings', undefined, CONNECTION))
      const agreed = frame('settings', undefined, { ...CONNECTION, flags: ACK })
      const body = [...Array<Buffer>(4999).fill(data(text)), data(text, END_STREAM)]
      socket.once('data', () => socket.end(Buffer.concat([agreed, headers(), ...body])))
    })
    const { ended, socket, clock } = await asking(port)
    const answer = ended()
    await once(socket, 'close')
    await clock.advance(0)
    expect(textOf(await answer) === text.repeat(5000)).toBe(true)
  })

  it('may be long', async () => {
    const size = 8 * MIB
    const { port } = await serving((stream) => {
      stream.respond({ ':status': 200 })
      stream.write(Buffer.alloc(size))
    })
    const { exchange, socket, clock } = await asking(port, {}, { bodyLimit: 2 * size })
    let failure: unknown
    exchange().catch((error: unknown) => (failure = error))
    await expect.poll(() => socket.bytesRead).toBeGreaterThan(size)
    await clock.advance(100)
    await turn()
    expect([failure, socket.destroyed]).toEqual([undefined, false])
    socket.destroy()
    await expect.poll(() => failure).toBeDefined()
  })

  it('has 64 KiB of headers at most', async () => {
    // A field of 4000 bytes that is named in one byte from then on (RFC 7541, 6.2.1 and 6.1).
    const first = Buffer.concat([Buffer.from('4001617fa11e', 'hex'), Buffer.alloc(4000, 'x')])
    const fifteen = Buffer.alloc(15, 0xbe)
    const sized = (bytes: number) => {
      const rest = bytes - ':status200'.length - 16 * 'a'.padEnd(4001).length - 'b'.length
      const last = Buffer.concat([
        ...[Buffer.of(0, 1, 0x62, 0x7f, ((rest - 127) & 127) | 128, (rest - 127) >> 7)],
        Buffer.alloc(rest, 'x'),
      ])
      return framed(headers(first, fifteen, last), data('told', END_STREAM))
    }
    expect(textOf(await sized(64 * KIB))).toBe('told')
    expect(await sized(64 * KIB + 1)).toMatchObject({ code: 'http_header_limit' })
  })

  it('has some thousand header fields', async () => {
    const many =
      (count: number): Script =>
      (stream) => {
        const own = Array.from({ length: count }, (_, n) => [`x${n.toString(36)}`, ''])
        stream.respond({ ':status': 200, ...(Object.fromEntries(own) as object) })
        stream.end('told')
      }
    expect(await ended(many(1500))).toMatchObject({ status: 200 })
  })
})

describe('what comes before an answer', () => {
  const hints =
    (count: number): Script =>
    (stream, headers) => {
      for (let n = 0; n < count; n++) stream.additionalHeaders({ ':status': 103, link: '</a>' })
      ok(stream, headers)
    }

  it('is a hundred interim ones at most', async () => {
    expect(textOf(await ended(hints(100)))).toBe('told')
    const { ended: end, socket } = await ask(hints(101))
    expect(await end()).toEqual({
      ...{ code: 'http_header_limit', phase: 'first_byte' },
      message: 'No final answer within 100 interim answers',
    })
    expect(socket.destroyed).toBe(true)
  })

  it('is 256 KiB of them at most', async () => {
    const long =
      (count: number, length: number): Script =>
      (stream, headers) => {
        for (let n = 0; n < count; n++)
          stream.additionalHeaders({ ':status': 103, 'x-a': 'x'.repeat(length) })
        ok(stream, headers)
      }
    expect(textOf(await ended(long(100, 2580)))).toBe('told')
    expect(await ended(long(20, 15_000))).toMatchObject({
      message: 'No final answer within 256 KiB of interim answers',
    })
  })

  it('is sixteen goodbyes at most', async () => {
    const leaving = (count: number) =>
      framed(...Array(count).fill(goodbye), headers(), data('told', END_STREAM))
    expect(textOf(await leaving(16))).toBe('told')
    expect(await leaving(17)).toMatchObject(ENDLESS)
  })
})

describe('a server', () => {
  /** Sends this much in frames that nobody knows, behind what is given. */
  const flooding = (bytes: number) => (socket: Socket) => {
    const size = 9 + 16_000
    socket.write(frame('settings', undefined, { stream: 0 }))
    for (let left = bytes - 9; left > 0; left -= size)
      socket.write(frame('unknown', Buffer.alloc(Math.min(left, size) - 9), { stream: 0 }))
  }

  it('that sends more than 2 MiB of anything else is left', async () => {
    const few = await asking((await scriptedServer(flooding(2 * MIB))).port)
    let answer: unknown
    const waiting = few.ended().then((how) => (answer = how))
    await expect.poll(() => few.socket.bytesRead).toBe(2 * MIB)
    await few.clock.advance(200)
    await turn()
    expect(answer).toBeUndefined()
    few.socket.destroy()
    await waiting
    expect(few.clock.pending).toBe(0)

    const many = await asking((await scriptedServer(flooding(2 * MIB + 100))).port)
    const left = many.ended()
    await expect.poll(() => many.socket.bytesRead).toBe(2 * MIB + 100)
    await many.clock.advance(49)
    expect(many.socket.destroyed).toBe(false)
    await many.clock.advance(1)
    expect(await left).toMatchObject(ENDLESS)
    expect([many.socket.destroyed, many.clock.pending]).toEqual([true, 0])
  })

  it('that sends its body byte by byte is left after 8192 frames', async () => {
    const crumbs =
      (count: number): Script =>
      (stream) => {
        stream.respond({ ':status': 200 })
        let left = count
        const more = (): void => {
          if (left-- > 0) stream.write('x', more)
          else stream.end()
        }
        more()
      }
    expect(await inTurns(await ask(crumbs(8193)))).toMatchObject(ENDLESS)
  })

  it('that speaks something else is told so', async () => {
    const { port } = await scriptedServer((socket) => socket.write('SSH-2.0-x\r\n'))
    expect(await (await asking(port)).ended()).toMatchObject({ code: 'http_protocol_error' })
  })
})
