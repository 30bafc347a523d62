/** One exchange over HTTP/1.1 on one connection: what is asked, and the limits of any answer. Real sockets. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { HopAnswer, HopOptions } from '../../../src/net/http/answer.ts'
import type { HopRequest } from '../../../src/net/http/headers.ts'
import { exchangeHttp1 } from '../../../src/net/http/http1.ts'
import type { Connection } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { createTrace } from '../../../src/net/timing/trace.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { failed } from './rules.ts'

const KIB = 1024

/** A server that says this when a request has come. */
async function asked(
  reply: string | ((socket: Socket) => unknown),
  of: Partial<HopRequest> = {},
  how: Partial<HopOptions> = {},
) {
  const server = await scriptedServer((socket) => {
    socket.once('data', () => {
      if (typeof reply === 'function') reply(socket)
      else socket.write(reply)
    })
  })
  const clock = simulatedClock()
  const stop = createStop()
  const socket = connect({ port: server.port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let closes = 0
  const connection = {
    socket,
    close() {
      closes += 1
      socket.destroy()
    },
  } as unknown as Connection
  const exchange = () =>
    exchangeHttp1(
      connection,
      {
        ...{ url: new URL('http://shop.example/a?b=c'), method: 'POST', headers: [['X-A', '1']] },
        ...{ body: 'zoë', identity: undefined, ...of },
      },
      {
        ...{ trace: createTrace(clock), signal: stop, clock, bodyLimit: 1024 * KIB },
        ...{
          wantsBody: () => true,
          inTurns: () => Promise.reject(new Error('no reader')),
          turns: createTurns(systemClock),
        },
        ...how,
      },
    )
  return {
    server,
    socket,
    stop,
    exchange,
    closes: () => closes,
    ended: () => exchange().catch(failed),
  }
}

const ended = async (reply: string | ((socket: Socket) => unknown)) => (await asked(reply)).ended()
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntold'
const told = { status: 200, http_version: '1.1', body: { body: Buffer.from('told') } }

describe('a request over HTTP/1.1', () => {
  it('is sent as it is given, and ends its connection', async () => {
    const { exchange, server, closes, socket } = await asked(OK)
    const over = once(socket, 'close')
    expect(await exchange()).toMatchObject({
      ...told,
      headers: [['Content-Length', '4']],
    })
    expect(server.received).toBe(
      [
        ...['POST /a?b=c HTTP/1.1', 'host: shop.example', 'connection: close', 'X-A: 1'],
        ...['content-length: 4', '', Buffer.from('zoë').toString('latin1')],
      ].join('\r\n'),
    )
    expect(closes()).toBe(1)
    await over
    // Nothing listens any more but for errors.
    expect(socket.listenerCount('close')).toBeLessThanOrEqual(1)
  })

  it('has the whole address where a proxy is asked', async () => {
    const { exchange, server } = await asked(OK, { absolute: true })
    await exchange()
    expect(server.received).toMatch(/^POST http:\/\/shop\.example\/a\?b=c HTTP/)
  })

  it('is not sent on a connection that is gone', async () => {
    const { ended, socket, server } = await asked(OK)
    socket.destroy()
    await once(socket, 'close')
    expect(await ended()).toMatchObject({ code: 'closed_early', phase: 'first_byte' })
    expect(server.received).toBe('')
  })

  it('ends with the check', async () => {
    const { ended, stop, socket } = await asked(() => {
      stop.abort(new Error('enough'))
      socket.destroy()
    })
    expect(await ended()).toEqual(new Error('enough'))
  })
})

describe('an answer over HTTP/1.1', () => {
  it('has any number of header fields, of 64 KiB', async () => {
    const many = Array.from({ length: 2500 }, (_, n) => `X: ${n}`).join('\r\n')
    const answer = await ended(`HTTP/1.1 200 OK\r\n${many}\r\nContent-Length: 4\r\n\r\ntold`)
    expect(answer).toMatchObject(told)
    expect((answer as HopAnswer).headers).toHaveLength(2501)
    const sized = (bytes: number) =>
      ended(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(bytes)}\r\nContent-Length: 4\r\n\r\ntold`)
    expect(await sized(60 * KIB)).toMatchObject(told)
    expect(await sized(65 * KIB)).toMatchObject({ code: 'http_header_limit' })
  })

  it('that is malformed is none', async () => {
    expect(await ended('HTTP/1.1 200 OK\r\nX: a\x01b\r\n\r\n')).toMatchObject({
      ...{ code: 'http_protocol_error', phase: 'first_byte' },
    })
  })

  it('comes behind a hundred interim ones at most', async () => {
    const hints = (count: number) => 'HTTP/1.1 103 X\r\n\r\n'.repeat(count) + OK
    expect(await ended(hints(100))).toMatchObject(told)
    const { ended: end, socket } = await asked(hints(101))
    expect(await end()).toMatchObject({
      message: 'No final answer within 100 interim answers',
    })
    expect(socket.destroyed).toBe(true)
  })

  it.each([
    ['with a name', 'HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nmore'],
    ['without', 'HTTP/1.1 101 X\r\n\r\n'],
  ])('does not switch to another protocol, %s', async (_, text) => {
    const { ended: end, socket } = await asked(text)
    expect(await end()).toEqual({
      ...{ code: 'http_protocol_error', phase: 'first_byte' },
      message: 'The server switched protocols (101) without being asked',
    })
    expect(socket.destroyed).toBe(true)
  })

  it('that does not come is told by how the connection ended', async () => {
    expect(await ended((peer) => peer.end())).toMatchObject({ code: 'closed_early' })
    expect(await ended((peer) => peer.resetAndDestroy())).toMatchObject({ code: 'connect_reset' })
  })

  it('that breaks off is not whole, and one with more behind it is', async () => {
    expect(await ended((peer) => peer.end(OK.slice(0, -1)))).toEqual({
      ...{ code: 'http_truncated', phase: 'transfer' },
      message: 'The body ended after 3 of 4 bytes',
    })
    expect(await ended(`${OK}more`)).toMatchObject(told)
  })

  it('may be long, and is read in large pieces', async () => {
    const body = Buffer.alloc(512 * KIB, 'x')
    const answer = await ended((peer) =>
      peer.write(
        Buffer.concat([
          Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`),
          body,
        ]),
      ),
    )
    expect((answer as HopAnswer).body?.body.equals(body)).toBe(true)
  })
})
