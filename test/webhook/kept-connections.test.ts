/** Deliveries over connections that are kept, and receivers that make a trap of them. */

import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../src/clock.ts'
import { slackContact } from '../../src/contacts/slack.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createIdleConnections } from '../../src/net/connection/idle-connections.ts'
import type { IdleConnections, IdleLimits } from '../../src/net/connection/idle-connections.ts'
import type { Resolver } from '../../src/net/resolve/resolver.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { certificates } from '../support/certificates.ts'
import { withDeadline } from '../support/deadlines.ts'
import { serve } from '../support/http-exchange.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import type { ScriptedOptions } from '../support/scripted-server.ts'
import { httpProxy, socksProxy } from '../support/test-proxies.ts'
import { rig, status } from './rig.ts'
import { freePort } from '../support/servers/ports.ts'

const OK = status(200)
const delivered = { class: 'delivered', http_status: 200, answer: 'ok' }

type Reply = (socket: Socket, nth: number) => unknown

/** Replies to every whole request; `nth` counts those of its connection. */
async function receiver(reply: Reply, options?: ScriptedOptions) {
  let requests = 0
  const server = await scriptedServer((socket) => {
    let text = ''
    let nth = 0
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      const body = text.indexOf('\r\n\r\n') + 4
      const end = body + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
      if (body < 4 || text.length < end) return
      text = text.slice(end)
      requests += 1
      reply(socket, ++nth)
    })
  }, options)
  const scheme = options?.tls === undefined ? 'http' : 'https'
  return {
    server,
    url: `${scheme}://127.0.0.1:${server.port}/hook`,
    get requests() {
      return requests
    },
  }
}

const ok: Reply = (socket) => socket.write(OK)

/** On a clock that stands still none ends by waiting: a busy machine may take the 4 s between two attempts. */
function idleConnections(limits?: IdleLimits, clock: Clock = simulatedClock()): IdleConnections {
  const idle = createIdleConnections(clock, limits)
  onTestFinished(() => idle.close())
  return idle
}

describe('a connection is kept', () => {
  it.each([
    ['http', {}],
    ['https', { tls: certificates().good }],
  ] as const)('for the next delivery: %s', async (_, options) => {
    const { server, url } = await receiver(ok, options)
    const { attempt } = rig({ idle: idleConnections().of(1) })
    for (let n = 0; n < 4; n++) expect(await attempt({ url })).toMatchObject(delivered)
    expect(server.connections).toBe(1)
    expect(server.received).toMatch(/\r\nconnection: keep-alive\r\n/i)
  })

  it.each([
    ['of chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'],
    ['after interim ones', `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${OK}`],
    ['that says for how long', status(200, 'Keep-Alive: timeout=5, max=100')],
    ['that is none', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['that is no success', status(503)],
  ])('after an answer %s', async (_, answer) => {
    const { server, url } = await receiver((socket) => socket.write(answer))
    const { attempt } = rig({ idle: idleConnections().of(1) })
    const first = await attempt({ url })
    expect(first.http_status).not.toBeNull()
    expect((await attempt({ url })).http_status).toBe(first.http_status)
    expect(server.connections).toBe(1)
  })

  it('for one account only, and for one place', async () => {
    const { server, url } = await receiver(ok)
    const idle = idleConnections()
    const hosts = { 'hook.example': ['127.0.0.1'] }
    const first = rig({ hosts, idle: idle.of(1) })
    const second = rig({ hosts, idle: idle.of(2) })
    await first.attempt({ url })
    await second.attempt({ url })
    expect(server.connections).toBe(2)
    await first.attempt({ url: url.replace('127.0.0.1', 'hook.example') })
    expect(server.connections).toBe(3)
    await first.attempt({ url })
    await second.attempt({ url })
    expect(server.connections).toBe(3)
  })

  it.each([
    ['http', httpProxy],
    ['socks5', socksProxy],
  ] as const)('through a proxy, for its login only: %s', async (_, start) => {
    await using proxy = await start({ login: 'u:secret' })
    const { server, url } = await receiver(ok, { tls: certificates().good })
    const idle = idleConnections().of(1)
    const auth = { user: 'u', pass: 'secret' }
    const { attempt } = rig({ idle, proxy: { url: proxy.url, auth } })
    for (let n = 0; n < 3; n++) expect(await attempt({ url })).toMatchObject(delivered)
    expect([proxy.asked.length, server.connections]).toEqual([1, 1])
    const stranger = rig({ idle, proxy: { url: proxy.url, auth: { user: 'u', pass: 'other' } } })
    expect(await stranger.attempt({ url })).toMatchObject({ error: 'proxy_auth' })
    expect(server.connections).toBe(1)
  })

  it('for 4 s, for a minute in all, and shorter where the receiver says so', async () => {
    const clock = simulatedClock()
    let answer = OK
    const { server, url } = await receiver((socket) => socket.write(answer))
    const { attempt } = rig({ clock, idle: idleConnections({}, clock).of(1) })
    await attempt({ url })
    await clock.advance(3999)
    await attempt({ url })
    expect(server.connections).toBe(1)
    await clock.advance(4000)
    await server.idle()
    answer = status(200, 'Keep-Alive: timeout=3')
    await attempt({ url })
    await clock.advance(2000)
    await server.idle()
    answer = status(200, 'Keep-Alive: timeout=1')
    await attempt({ url })
    await server.idle()
    answer = OK
    for (let seconds = 0; seconds < 60; seconds += 3) {
      await attempt({ url })
      await clock.advance(3000)
    }
    expect(server.connections).toBe(4)
    await server.idle()
  })

  it('up to a number for each place, and in all', async () => {
    const replies: (() => void)[] = []
    const { server, url } = await receiver((socket) => replies.push(() => socket.write(OK)))
    const other = await receiver(ok)
    const idle = idleConnections({ perDestination: 2, total: 3 })
    const { attempt } = rig({ idle: idle.of(1) })
    const all = [attempt({ url }), attempt({ url }), attempt({ url })]
    await expect.poll(() => replies.length).toBe(3)
    for (const reply of replies) reply()
    await Promise.all(all)
    await expect.poll(() => server.open).toBe(2)
    await attempt({ url: other.url })
    expect([server.open, other.server.open]).toEqual([2, 1])
    await rig({ idle: idle.of(2) }).attempt({ url: other.url })
    await expect.poll(() => server.open).toBe(1)
    expect(other.server.open).toBe(2)
  })
})

describe('the address', () => {
  it('is judged at every attempt: a connection is used while its address is among those allowed', async () => {
    let addresses = ['127.0.0.1']
    const resolver = {
      resolve: () => Promise.resolve(addresses.map((address) => ({ address, family: 4 as const }))),
    }
    const { server } = await receiver(ok, { port: await freePort() })
    const elsewhere = await receiver(ok, { host: '127.0.0.2', port: server.port })
    const guard = { allowCidrs: ['127.0.0.0/8'] }
    const { attempt } = rig({ idle: idleConnections().of(1), resolver, guard })
    const url = `http://hook.example:${server.port}/`
    expect(await attempt({ url })).toMatchObject(delivered)
    addresses = ['127.0.0.2', '127.0.0.1']
    expect(await attempt({ url })).toMatchObject(delivered)
    expect([server.connections, elsewhere.requests]).toEqual([1, 0])
    addresses = ['127.0.0.2']
    expect(await attempt({ url })).toMatchObject(delivered)
    expect(elsewhere.requests).toBe(1)
    const before = server.received
    addresses = ['127.0.0.1', '10.0.0.1']
    expect(await attempt({ url })).toMatchObject({ class: 'failed', error: 'blocked' })
    expect([server.received, elsewhere.requests]).toEqual([before, 1])
  })
})

describe('a connection is not kept after an answer', () => {
  const half = 'HTTP/1.1 200 OK\r\nContent-Le'
  const rows: readonly (readonly [string, Reply])[] = [
    ['with a byte more', (socket) => socket.write(`${OK}x`)],
    ['with a line end more', (socket) => socket.write(`${OK}\r\n`)],
    ['and another one', (socket) => socket.write(OK + OK)],
    ['and half of another one', (socket) => socket.write(OK + half)],
    ['and an interim one', (socket) => socket.write(`${OK}HTTP/1.1 100 Continue\r\n\r\n`)],
    ['of chunks and more', (socket) => socket.write(`${CHUNKED}${half}`)],
    ['without a body, with one', (socket) => socket.write('HTTP/1.1 204 No\r\n\r\nok')],
    ['and, later, another one', (socket) => void socket.write(OK, () => later(socket, OK))],
    ['and, later, a byte', (socket) => void socket.write(OK, () => later(socket, 'x'))],
    ['that says so', (socket) => socket.write(status(200, 'Connection: close'))],
    ['of HTTP/1.0', (socket) => socket.write(OK.replace('1.1', '1.0'))],
    ['that ends with the connection', (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nok')],
    ['longer than the log wants', (socket) => socket.write(longer(100))],
    ['that breaks off', (socket) => socket.end(longer(100).slice(0, -10))],
    ['that halts', (socket) => socket.write(longer(100).slice(0, -90))],
    ['that switches protocols', (socket) => socket.write('HTTP/1.1 101 Switching\r\n\r\n')],
  ]

  it.each(rows)('%s', async (_, reply) => {
    const { server, url } = await receiver((socket) =>
      server.connections === 1 ? reply(socket, 1) : socket.write(OK),
    )
    const idle = idleConnections().of(1)
    const { attempt } = rig({ answerBytes: 50, answerMs: 100, idle })
    expect((await attempt({ url })).http_status).not.toBeNull()
    await server.idle()
    expect(await attempt({ url })).toMatchObject(delivered)
    expect(server.connections).toBe(2)
  })

  it('that came before the request was read', async () => {
    const server = await scriptedServer((socket) => socket.pause().write(status(413)))
    const { attempt } = rig({ idle: idleConnections().of(1) })
    const url = `http://127.0.0.1:${server.port}/`
    const body = Buffer.alloc(16 * 2 ** 20, 'x')
    expect(await attempt({ url }, { body })).toMatchObject({ class: 'failed', http_status: 413 })
    await attempt({ url }, { body })
    expect(server.connections).toBe(2)
  })
})

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'

function longer(bytes: number): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`
}

function later(socket: Socket, text: string): void {
  setTimeout(() => socket.write(text), 5)
}

describe('a receiver that closed the connection', () => {
  it.each([
    ['before the request came', (socket: Socket) => socket.end()],
    ['with a reset', (socket: Socket) => socket.resetAndDestroy()],
  ])('%s gets it once more on another one, in the same attempt', async (_, close) => {
    const all = await receiver((socket, nth) => (nth === 1 ? socket.write(OK) : close(socket)))
    const { attempt } = rig({ idle: idleConnections().of(1) })
    await attempt({ url: all.url })
    expect(await attempt({ url: all.url })).toMatchObject({ ...delivered, error: null })
    expect([all.requests, all.server.connections]).toEqual([3, 2])
  })

  it('while it waited, does not get the request on it', async () => {
    const { server, url } = await receiver((socket) => socket.end(OK))
    const { attempt } = rig({ idle: idleConnections().of(1) })
    for (let n = 0; n < 3; n++) expect(await attempt({ url })).toMatchObject(delivered)
    expect(server.connections).toBe(3)
  })

  it('leaves the other connection what is left of the time', async () => {
    const within: (number | undefined)[] = []
    const resolver: Resolver = {
      resolve: (_host, _family, { within_ms }) => {
        within.push(within_ms)
        return Promise.resolve([{ address: '127.0.0.1', family: 4 }])
      },
    }
    const clock = simulatedClock()
    const sockets: Socket[] = []
    const { server } = await receiver((socket, nth) =>
      nth === 1 ? socket.write(OK) : sockets.push(socket),
    )
    const { attempt } = rig({ clock, resolver, idle: idleConnections({}, clock).of(1) })
    const url = `http://hook.example:${server.port}/`
    await attempt({ url })
    const second = attempt({ url })
    await expect.poll(() => sockets.length).toBe(1)
    await clock.advance(4000)
    sockets[0]?.end()
    expect(await second).toMatchObject(delivered)
    expect(within).toEqual([10_000, 10_000, 6000])
  })

  it('has the request sent on a new connection, not on another one that waits', async () => {
    const replies: (() => void)[] = []
    const { server, url } = await receiver((socket, nth) =>
      nth === 1 ? replies.push(() => socket.write(OK)) : socket.end(),
    )
    const { attempt } = rig({ idle: idleConnections().of(1) })
    const both = [attempt({ url }), attempt({ url })]
    await expect.poll(() => replies.length).toBe(2)
    for (const reply of replies.splice(0)) reply()
    await Promise.all(both)
    const third = attempt({ url })
    await expect.poll(() => replies.length).toBe(1)
    for (const reply of replies) reply()
    expect(await third).toMatchObject(delivered)
    expect(server.connections).toBe(3)
  })

  it('that had served none does not get it again', async () => {
    const { server, url } = await receiver((socket) => socket.end())
    const { attempt } = rig({ idle: idleConnections().of(1) })
    expect(await attempt({ url })).toMatchObject({ class: 'temporary', error: 'closed_early' })
    expect(server.connections).toBe(1)
  })

  it('gets it once more only: the second end is the end of the attempt', async () => {
    const { server, url } = await receiver((socket) =>
      server.received.split('POST /hook').length === 2 ? socket.write(OK) : socket.end(),
    )
    const { attempt } = rig({ idle: idleConnections().of(1) })
    await attempt({ url })
    expect(await attempt({ url })).toMatchObject({ class: 'temporary', error: 'closed_early' })
    expect(server.connections).toBe(2)
  })
})

describe('at the second request of a connection', () => {
  const flood = `HTTP/1.1 103 Early Hints\r\nLink: </${'x'.repeat(2000)}>\r\n\r\n`.repeat(200)
  const rows: readonly (readonly [string, Reply, object])[] = [
    ['stalls', () => undefined, { class: 'temporary', error: 'timeout' }],
    [
      'closes halfway',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'),
      { class: 'temporary', error: 'closed_early' },
    ],
    ['hints without end', (socket) => socket.write(flood), { error: 'http_header_limit' }],
    [
      'sends endless headers',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${'X: yyyyyyyy\r\n'.repeat(10_000)}`),
      { error: 'http_header_limit' },
    ],
    [
      'is no HTTP server',
      (socket) => socket.write('SSH-2.0-x\r\n'),
      { error: 'http_protocol_error' },
    ],
    [
      'sends an endless body',
      (socket) => {
        const more = (): void => void (socket.writable && socket.write('x'.repeat(65_536), more))
        socket.write('HTTP/1.1 200 OK\r\n\r\n', more)
      },
      { class: 'delivered', answer: 'x'.repeat(16_384) },
    ],
    [
      'drips its headers',
      (socket) => {
        const timer = setInterval(() => void (socket.writable && socket.write('X: y\r\n')), 20)
        socket.write('HTTP/1.1 200 OK\r\n')
        socket.on('close', () => clearInterval(timer))
      },
      { class: 'temporary', error: 'timeout' },
    ],
  ]

  it.each(rows)('a receiver that %s is one attempt, within its deadline', async (_, reply, end) => {
    const isTimeout = 'error' in end && end.error === 'timeout'
    const attempts = async (deadlineMs: number): Promise<void> => {
      const all = await receiver((socket, nth) =>
        nth === 1 ? socket.write(OK) : reply(socket, nth),
      )
      const idle = idleConnections().of(1)
      const { attempt } = rig({ deadlineMs: 8000, idle })
      const { url, server } = all
      expect(await attempt({ url })).toMatchObject(delivered)
      const second = await rig({ deadlineMs, answerMs: 8000, idle }).attempt({ url })
      expect(second).toMatchObject(end)
      if (isTimeout) expect(second.duration_ms).toBeLessThan(10 * deadlineMs)
      await server.idle()
      expect([all.requests, server.connections]).toEqual([2, 1])
      expect(await attempt({ url })).toMatchObject(delivered)
    }
    await (isTimeout ? withDeadline(400, attempts) : attempts(8000))
  })
})

describe('an engine', () => {
  it('keeps the connections of its contacts for their account, and closes them when it stops', async () => {
    const hooks: (string | undefined)[] = []
    await using server = await serve((request, response) => {
      hooks.push(request.url)
      request.resume().on('end', () => response.end('ok'))
    }, certificates().good)
    const guard = { allowCidrs: ['127.0.0.1/32'] }
    const engine = createEngine({
      store: memoryStore(),
      checkers: [],
      contacts: [webhookContact({ guard }), slackContact({ guard })],
      ca: certificates().ca,
      logger: false,
    })
    onTestFinished(() => engine.stop({ drainMs: 0 }))
    await engine.start()
    const hook = `${server.origin}/services/T0/B0/abcdefghijklmnop`
    const other = await engine.accounts.create({ name: 'Other' })
    for (const { contacts } of [engine, engine.account(other.id)]) {
      for (const kind of ['webhook', 'slack']) {
        const { id } = await contacts.create({ kind, name: kind, url: hook } as never)
        for (let n = 0; n < 2; n++)
          expect(await contacts.test(id)).toMatchObject({ status: 'sent' })
      }
    }
    expect([hooks.length, server.accepted, server.open]).toEqual([8, 2, 2])
    await engine.stop()
    await expect.poll(() => server.open).toBe(0)
  })
})
