/** One request of a webhook, below the contact: where it goes, what is told of it, and what it leaves behind. */
import { getEventListeners } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { createIdleConnections } from '../../src/net/connection/idle-connections.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import { createResolver } from '../../src/net/resolve/resolver.ts'
import type { Resolver } from '../../src/net/resolve/resolver.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { httpTransport } from '../../src/webhook/transport.ts'
import type { TransportOptions, WebhookRequest } from '../../src/webhook/transport.ts'
import { certificates } from '../support/certificates.ts'
import { hostsFile } from '../support/hosts-file.ts'
import { closedPort, scriptedServer } from '../support/scripted-server.ts'
import { httpProxy } from '../support/test-proxies.ts'
import { answering, status } from './rig.ts'

interface Given extends TransportOptions {
  readonly hosts?: Readonly<Record<string, readonly string[]>>
  readonly proxy?: string
  readonly clock?: typeof systemClock
  readonly signal?: AbortSignal
  /** Instead of hosts. */
  readonly resolver?: Resolver
}

/** Sends one POST, unless the test says otherwise. */
async function send(
  url: string,
  { hosts = {}, proxy, clock = systemClock, signal, resolver, ...options }: Given = {},
  of: Partial<WebhookRequest> = {},
) {
  const nameservers = ['127.0.0.1:9']
  const network = createNetwork({
    clock,
    policy: targetPolicy('open'),
    ca: certificates().ca,
    resolver: resolver ?? createResolver({ hostsFile: hostsFile(hosts), nameservers }),
    ...(proxy === undefined ? {} : { proxy: { url: proxy } }),
  })
  const context = { network, clock, signal: signal ?? new AbortController().signal }
  const request = { url, method: 'POST', headers: [], body: Buffer.from('{}'), ...of } as const
  return httpTransport(options).send(request, context)
}

describe('the place of a request', () => {
  it.each([
    ['http://hook.example/a?b=1', 'http://hook.example/a?b=1'],
    ['http://hook.example:8080/', 'http://hook.example:8080/'],
    ['https://hook.example/', 'CONNECT hook.example:443'],
    ['https://hook.example:8443/', 'CONNECT hook.example:8443'],
  ])('%s is asked of a proxy as %s', async (url, asked) => {
    await using proxy = await httpProxy()
    await send(url, { proxy: proxy.url, hosts: { 'hook.example': ['127.0.0.1'] } })
    expect(proxy.asked).toEqual([asked])
  })

  it.each([
    ['http', {}],
    ['https', { tls: certificates().good }],
  ])('may be an address of IPv6: %s', async (scheme, options) => {
    const server = await scriptedServer(answering(status(200)), { host: '::1', ...options })
    expect(await send(`${scheme}://[::1]:${server.port}/`)).toMatchObject({ http_status: 200 })
    expect(server.received).toContain(`\r\nhost: [::1]:${server.port}\r\n`)
  })

  it('may be an address of IPv6 only with a certificate of that address', async () => {
    const { wrongHost: tls } = certificates()
    const server = await scriptedServer(answering(status(200)), { host: '::1', tls })
    const answer = await send(`https://[::1]:${server.port}/`)
    expect(answer).toMatchObject({ error: 'tls_name_mismatch' })
  })

  it('with the dot of the root has the certificate of its name', async () => {
    const server = await scriptedServer(answering(status(200)), { tls: certificates().good })
    const hosts = { 'example.test': ['127.0.0.1'] }
    const answer = await send(`https://example.test.:${server.port}/`, { hosts })
    expect(answer).toMatchObject({ http_status: 200, error: null })
  })

  it('is named in the handshake without that dot, and asked for HTTP/1.1', async () => {
    const sockets: TLSSocket[] = []
    const reply = answering(status(200))
    const server = await scriptedServer(
      (socket) => {
        sockets.push(socket as TLSSocket)
        reply(socket)
      },
      { tls: certificates().good, alpn: ['http/1.1'] },
    )
    const hosts = { 'example.test': ['127.0.0.1'] }
    await send(`https://example.test.:${server.port}/`, { hosts })
    expect(sockets.map(({ servername, alpnProtocol }) => [servername, alpnProtocol])).toEqual([
      ['example.test', 'http/1.1'],
    ])
  })
})

describe('what is told of a request', () => {
  it('is the answer, whose body is kept up to a limit', async () => {
    const server = await scriptedServer(answering(status(503, 'Retry-After: 45')))
    const url = `http://127.0.0.1:${server.port}/`
    const answer = await send(url)
    expect(answer).toEqual({
      ...{ http_status: 503, error: null, retry_after: '45', answer: 'ok', written: true },
      duration_ms: expect.any(Number) as number,
    })
    expect(answer.duration_ms).toBeGreaterThan(0)
    expect(await send(url, { answerBytes: 1 })).toMatchObject({ answer: 'o' })
    expect(await send(url, { answerBytes: 0 })).toMatchObject({ answer: '', http_status: 503 })
  })

  it.each<[string, () => Promise<string>, string]>([
    ['nobody listens', async () => `http://127.0.0.1:${await closedPort()}/`, 'connect_refused'],
    ['the address is none', () => Promise.resolve('nowhere'), 'internal_error'],
  ])('is that nothing was written where %s', async (_, urlOf, error) => {
    const answer = await send(await urlOf())
    expect(answer).toMatchObject({ error, written: false, http_status: null, answer: null })
    expect(answer.retry_after).toBeUndefined()
  })

  it('is that it may have arrived where the answer did not come', async () => {
    const server = await scriptedServer((socket) => void socket.once('data', () => socket.end()))
    const answer = await send(`http://127.0.0.1:${server.port}/`)
    expect(answer).toMatchObject({ error: 'closed_early', written: true })
  })

  it.each<[string, Partial<WebhookRequest>]>([
    ['a value with a line break', { headers: [['X-A', 'a\nb']] }],
    ['a name with a space', { headers: [['X A', 'a']] }],
    ['a method that is none', { method: 'PO ST' as never }],
  ])('is invalid_request for %s', async (_, of) => {
    const server = await scriptedServer(answering(status(200)))
    const answer = await send(`http://127.0.0.1:${server.port}/`, {}, of)
    expect(answer).toMatchObject({ error: 'invalid_request', http_status: null })
    expect(server.received).toBe('')
  })

  it('is in which phase the system gave up waiting', async () => {
    const late = Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })
    const resolver = { resolve: () => Promise.reject(late) }
    const answer = await send('http://hook.example/', { resolver })
    expect(answer).toMatchObject({ error: 'dns_timeout', written: false })
  })

  it.each([
    ['http', 'http://169.254.169.254/'],
    ['https', 'https://169.254.169.254/'],
  ])('is blocked where the policy refuses the address: %s', async (_, url) => {
    expect(await send(url)).toMatchObject({ error: 'blocked', written: false })
  })
})

describe('a request that has ended', () => {
  it.each<[string, string, object]>([
    ['with an answer', status(200), { http_status: 200 }],
    ['without one', '', { error: 'closed_early' }],
  ])('%s leaves no timer and no listener behind', async (_, text, expected) => {
    const server = await scriptedServer(answering(text))
    const clock = simulatedClock()
    const { signal } = new AbortController()
    const answer = await send(`http://127.0.0.1:${server.port}/`, { clock, signal })
    expect(answer).toMatchObject(expected)
    expect(clock.pending).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    await server.idle()
  })

  it('is stopped by the engine before it begins and while it waits', async () => {
    const server = await scriptedServer(() => undefined)
    const url = `http://127.0.0.1:${server.port}/`
    const before = new AbortController()
    before.abort(new Error('stops'))
    expect(await send(url, { signal: before.signal })).toMatchObject({
      ...{ error: 'stopped', written: false },
    })
    expect(server.connections).toBe(0)
    const during = new AbortController()
    const waiting = send(url, { signal: during.signal })
    await expect.poll(() => server.received).not.toBe('')
    during.abort(new Error('stops'))
    expect(await waiting).toMatchObject({ error: 'stopped', written: true })
    await server.idle()
  })

  it('has an answer that halts for so long only', async () => {
    const server = await scriptedServer(
      (socket) =>
        void socket.once('data', () =>
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf'),
        ),
    )
    const clock = simulatedClock()
    const waiting = send(`http://127.0.0.1:${server.port}/`, { clock, answerMs: 700 })
    let isOver = false
    void waiting.then(() => (isOver = true))
    // The deadline, and the time for the answer.
    await expect.poll(() => clock.pending).toBe(2)
    await clock.advance(699)
    expect(isOver).toBe(false)
    await clock.advance(1)
    expect(await waiting).toMatchObject({ http_status: 200, answer: 'half', duration_ms: 700 })
  })
})

describe('a connection that the receiver closes after a while', () => {
  /** Whether the second of two requests so far apart goes over the connection of the first. */
  const isKept = async (header: string, ms: number) => {
    const clock = simulatedClock()
    const idle = createIdleConnections(clock)
    onTestFinished(() => idle.close())
    const server = await scriptedServer(
      (socket) => void socket.on('data', () => socket.write(status(200, header))),
    )
    const network = createNetwork({ clock, policy: targetPolicy('open') })
    const context = { network, clock, signal: new AbortController().signal, idle: idle.of(1) }
    const url = `http://127.0.0.1:${server.port}/`
    const request = { url, method: 'POST', headers: [], body: Buffer.from('{}') } as const
    await httpTransport().send(request, context)
    await clock.advance(ms)
    await httpTransport().send(request, context)
    return server.connections === 1
  }

  it.each([
    ['Keep-Alive: timeout=3', 2000],
    ['Keep-Alive: max=9, timeout=3', 2000],
    ['Keep-Alive: max=9,TIMEOUT=2', 1000],
    ['Keep-Alive: timeout=10', 4000],
    ['Keep-Alive: xtimeout=2', 4000],
    ['Keep-Alive: timeout=soon', 4000],
    ['X-A: timeout=2', 4000],
  ])('is kept for as long, less a second for the way: %s', async (header, ms) => {
    expect([await isKept(header, ms - 1), await isKept(header, ms)]).toEqual([true, false])
  })
})
