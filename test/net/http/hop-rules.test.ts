/** What is asked of the network for each hop, and how hops follow each other: real sockets, whatever address is asked for. */
import { once } from 'node:events'
import { createServer } from 'node:http2'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { CheckFailure } from '../../../src/net/failure.ts'
import { firstRequest, httpExchange } from '../../../src/net/http/exchange.ts'
import type { ConnectOptions, Connection, HttpRequest } from '../../../src/net/net.ts'
import { createStop } from '../../../src/net/timing/stop.ts'
import { createTurns } from '../../../src/net/timing/turns.ts'
import { createTrace } from '../../../src/net/timing/trace.ts'
import { simulatedClock } from '../../../src/testing/simulated-clock.ts'
import { listening } from '../../support/listening.ts'
import { scriptedServer } from '../../support/scripted-server.ts'
import { failed } from './rules.ts'

interface Given {
  /** What each connection is answered, in order; an error keeps it from being made. */
  readonly answers?: readonly (string | Buffer | Error)[]
  /** Of every connection. */
  readonly tls?: object | null
  /** Instead of a server that gives these answers. */
  readonly port?: number
  /** How long each phase of connecting takes. */
  readonly phases_ms?: Readonly<Partial<Record<'resolve' | 'connect' | 'proxy' | 'tls', number>>>
}

const OK =
  'HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=koi8-r\r\nContent-Length: 1\r\n\r\n\xc0'
const to = (location: string, more = '') =>
  `HTTP/1.1 302 Found\r\nLocation: ${location}\r\n${more}Content-Length: 4\r\n\r\nmore`

async function exchanging({ answers = [OK], tls = null, port, phases_ms = {} }: Given = {}) {
  const clock = simulatedClock()
  const trace = createTrace(clock)
  await clock.advance(1000)
  const stop = createStop()
  const asked: ConnectOptions[] = []
  let nth = 0
  const server = await scriptedServer((socket) => {
    const answer = answers[nth++] ?? OK
    socket.once('data', () => void socket.write(answer as string, 'latin1'))
  })
  const net = {
    async connect(options: ConnectOptions): Promise<Connection> {
      asked.push(options)
      for (const [name, ms] of Object.entries(phases_ms))
        await trace.phase(name, () => clock.advance(ms))
      const answer = answers[nth]
      if (answer instanceof Error) {
        nth += 1
        throw answer
      }
      const socket = connect({ host: '127.0.0.1', port: port ?? server.port })
      socket.on('error', () => undefined)
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      const remote = { address: '192.0.2.1', port: 80 }
      return { socket, tls, remote, close: () => socket.destroy() } as unknown as Connection
    },
  }
  const exchange = (request: Partial<HttpRequest> = {}) =>
    httpExchange(
      net,
      trace,
      { url: 'http://shop.example/', ...request },
      {
        ...{ signal: stop, clock, firstOf: firstRequest },
        inTurns: () => Promise.reject(new Error('no reader')),
        turns: createTurns(systemClock),
      },
    )
  return {
    ...{ asked, server, stop, exchange, clock },
    failure: (request?: Partial<HttpRequest>) => exchange(request).then(() => 'none', failed),
    /** The first line of each request, and a header of it. */
    lines: () => server.received.match(/^[A-Z]+ \S+ HTTP\/1\.1/gm),
  }
}

describe('a connection', () => {
  const asked = async (url: string, request: Partial<HttpRequest> = {}, given: Given = {}) => {
    const all = await exchanging(given)
    await all.exchange({ url, ...request })
    return all.asked[0]
  }
  const tls = { verify: true, alpn: ['http/1.1'], identity: undefined }

  it('leads to the host and port of the address', async () => {
    expect(await asked('http://shop.example/')).toEqual({ host: 'shop.example', port: 80 })
    expect(await asked('http://shop.example:8080/')).toEqual({ host: 'shop.example', port: 8080 })
    expect(await asked('http://[2001:db8::1]/')).toEqual({ host: '2001:db8::1', port: 80 })
    expect(await asked('https://shop.example/')).toEqual({ host: 'shop.example', port: 443, tls })
    expect(await asked('https://shop.example.:8443/')).toEqual({
      ...{ host: 'shop.example.', port: 8443, tls: { ...tls, servername: 'shop.example' } },
    })
  })

  it('is made as the request says', async () => {
    const identity = {} as NonNullable<HttpRequest['identity']>
    expect(
      await asked('https://shop.example/', { ip_family: 'ipv6', verify: false, identity }),
    ).toEqual({
      ...{ host: 'shop.example', port: 443, ip_family: 'ipv6' },
      tls: { ...tls, verify: false, identity },
    })
    const proxy = { url: 'http://proxy.example:3128' }
    expect(await asked('https://shop.example/', { proxy })).toEqual({
      ...{ host: 'shop.example', port: 443, proxy, forward: false, tls },
    })
    const offers = async (http_version: 'auto' | '1.1') =>
      (await asked('https://shop.example/', { http_version }))?.tls?.alpn
    expect([await offers('auto'), await offers('1.1')]).toEqual([['h2', 'http/1.1'], ['http/1.1']])
  })

  it('to a proxy that forwards has its login, and the whole address', async () => {
    const proxy = { url: 'http://proxy.example:3128', auth: { user: 'u', pass: 'p' } }
    const all = await exchanging()
    await all.exchange({ url: 'http://shop.example/a?b', proxy })
    expect(all.asked[0]).toMatchObject({ host: 'shop.example', proxy, forward: true })
    expect(all.lines()).toEqual(['GET http://shop.example/a?b HTTP/1.1'])
    expect(all.server.received).toMatch(/\r\nproxy-authorization: Basic dTpw\r\n/i)
    const refused = await exchanging({
      answers: ['HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n'],
    })
    expect(await refused.failure({ proxy })).toMatchObject({ code: 'proxy_auth' })
    const marked = 'HTTP/1.1 502 X\r\nX-Squid-Error: ERR_DNS_FAIL 0\r\nContent-Length: 0\r\n\r\n'
    expect(await (await exchanging({ answers: [marked] })).failure({ proxy })).toMatchObject({
      code: expect.stringMatching(/^proxy_/) as string,
    })
    // The same from the target itself is its answer, also behind the proxy.
    const own = await exchanging({
      answers: ['HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n'],
    })
    expect(await own.exchange({ url: 'https://shop.example/', proxy })).toMatchObject({
      status: 407,
    })
    expect(await (await exchanging({ answers: [marked] })).exchange()).toMatchObject({
      status: 502,
    })
  })
})

describe('the version of HTTP', () => {
  const UNSUPPORTED = new CheckFailure('http_version_unsupported', 'x')
  const alpnOf = ({ tls }: ConnectOptions) => tls?.alpn
  const URL = { url: 'https://shop.example:8443/' }

  it('is 1.1 where a server that was offered both wants it', async () => {
    const { exchange, asked } = await exchanging({ answers: [UNSUPPORTED] })
    expect(await exchange({ ...URL, http_version: 'auto' })).toMatchObject({ http_version: '1.1' })
    expect(asked.map(alpnOf)).toEqual([['h2', 'http/1.1'], ['http/1.1']])
  })

  it('is not tried again after another failure, nor where there was no choice', async () => {
    for (const error of [new CheckFailure('connect_refused', 'x'), new Error('a defect')]) {
      const { exchange, asked } = await exchanging({ answers: [error] })
      await expect(exchange({ ...URL, http_version: 'auto' })).rejects.toBe(error)
      expect(asked).toHaveLength(1)
    }
    for (const http_version of ['1.1', '2', undefined] as const) {
      const { exchange, asked } = await exchanging({ answers: [UNSUPPORTED] })
      await expect(exchange({ ...URL, http_version })).rejects.toBe(UNSUPPORTED)
      expect(asked).toHaveLength(1)
    }
  })

  it('is not 2 where the server does not offer it', async () => {
    const NONE = {
      ...{ code: 'http_version_unsupported', phase: 'tls' },
      message: 'shop.example:8443 does not offer HTTP/2',
    }
    const other = await exchanging({ tls: { alpn: null } })
    expect(await other.failure({ ...URL, http_version: '2' })).toEqual(NONE)
    expect(other.asked.map(alpnOf)).toEqual([['h2']])
    const alert = Object.assign(new Error('alert'), {
      code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL',
    })
    const refused = new CheckFailure('tls_handshake', 'x', { cause: alert })
    const refusing = await exchanging({ answers: [refused] })
    const failure = await refusing
      .exchange({ ...URL, http_version: '2' })
      .catch((error: unknown) => error as Error)
    expect([failed(failure), (failure as Error).cause]).toEqual([NONE, refused])
    for (const error of [new CheckFailure('tls_handshake', 'x', { cause: new Error() }), refused]) {
      const { exchange } = await exchanging({ answers: [error] })
      const http_version = error === refused ? '1.1' : '2'
      await expect(exchange({ ...URL, http_version })).rejects.toBe(error)
    }
    // A server that ignores what it is offered speaks the older version.
    const ignoring = await exchanging({ tls: { alpn: null } })
    expect(await ignoring.exchange({ ...URL, http_version: 'auto' })).toMatchObject({
      http_version: '1.1',
    })
  })

  it('is 2 where the handshake says so, and over plain TCP where it is asked for', async () => {
    const http2 = createServer((_request, response) => response.end('told'))
    const running = await listening(http2)
    onTestFinished(() => running[Symbol.asyncDispose]())
    const { port } = running
    const secured = await exchanging({ port, tls: { alpn: 'h2' } })
    for (const http_version of ['auto', '2'] as const)
      expect(await secured.exchange({ ...URL, http_version })).toMatchObject({ http_version: '2' })
    const plain = await exchanging({ port })
    expect(await plain.exchange({ http_version: '2' })).toMatchObject({ http_version: '2' })
    const old = await exchanging()
    expect(await old.exchange({ http_version: 'auto' })).toMatchObject({ http_version: '1.1' })
  })
})

describe('what is told of an exchange', () => {
  it('is its answer, with the TLS of its connection', async () => {
    const tls = { alpn: null }
    const { exchange } = await exchanging({ tls })
    const answer = await exchange({ url: 'https://shop.example/' })
    expect(answer).toMatchObject({
      ...{ status: 200, http_version: '1.1', final_url: 'https://shop.example/', elapsed_ms: 0 },
      headers: { 'content-type': 'text/plain; charset=koi8-r', 'content-length': '1' },
      ...{ decoded_bytes: 1, body_cut: false, body_bytes: 1 },
    })
    expect(answer.tls).toBe(tls)
    expect(answer.text()).toBe('ю')
    expect(answer.textSteps().next()).toEqual({ done: true, value: 'ю' })
    // A proxy behind TLS is not the target.
    expect((await (await exchanging({ tls })).exchange()).tls).toBe(null)
  })

  it('is how long each hop took', async () => {
    const { exchange } = await exchanging({
      answers: [to('https://www.shop.example/')],
      phases_ms: { resolve: 1, connect: 20, proxy: 300, tls: 4000 },
    })
    const { hops, elapsed_ms } = await exchange()
    const times = {
      ...{ resolve_ms: 1, connect_ms: 320, tls_ms: 4000, first_byte_ms: 0, transfer_ms: 0 },
      remote_ip: '192.0.2.1',
    }
    expect(hops).toEqual([
      { url: 'http://shop.example/', status: 302, ...times },
      { url: 'https://www.shop.example/', status: 200, ...times },
    ])
    expect(elapsed_ms).toBe(2 * 4321)
  })

  it('is the beginning of a body of more than 4 MiB, or than the limit', async () => {
    const long = (bytes: number) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`
      return [Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 'x')])]
    }
    const limit = 4 * 1024 * 1024
    const cut = async (bytes: number, request: Partial<HttpRequest> = {}) => {
      const { exchange } = await exchanging({ answers: long(bytes) })
      const { body_cut, decoded_bytes } = await exchange(request)
      return [body_cut, decoded_bytes]
    }
    expect(await cut(limit)).toEqual([false, limit])
    expect(await cut(limit + 1)).toEqual([true, limit])
    expect(await cut(11, { bodyLimit: 10 })).toEqual([true, 10])
    const { exchange } = await exchanging()
    expect(await exchange({ keepBody: false })).toMatchObject({
      decoded_bytes: 1,
      body: Buffer.alloc(0),
    })
  })

  it('is nothing where the check has ended', async () => {
    const { exchange, stop, asked } = await exchanging()
    stop.abort(new Error('enough'))
    await expect(exchange()).rejects.toThrow('enough')
    expect(asked).toEqual([])
  })
})

describe('redirects', () => {
  const chain = (length: number) => Array.from({ length }, (_, n) => to(`/${n}`))

  it('are followed without their bodies, ten unless the request says otherwise', async () => {
    const ten = await exchanging({ answers: chain(10) })
    const { hops, status, final_url } = await ten.exchange()
    expect([hops.length, status, final_url]).toEqual([11, 200, 'http://shop.example/9'])
    const eleven = await exchanging({ answers: chain(11) })
    expect(await eleven.failure()).toEqual({
      ...{ code: 'http_redirect_limit', phase: 'first_byte' },
      message: 'More than 10 redirects, the last one from http://shop.example/9',
    })
    const secret = await exchanging({ answers: [to('/?token=a'), to('/b')] })
    expect(await secret.failure({ redirects: 1 })).toMatchObject({
      message: 'More than 1 redirects, the last one from http://shop.example/?token=***',
    })
  })

  it('are followed though their bodies do not end', async () => {
    const half = 'HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 9\r\n\r\nhalf'
    const { exchange } = await exchanging({ answers: [half] })
    expect((await exchange()).hops.map(({ status }) => status)).toEqual([302, 200])
  })

  it('are the answer where none is to be followed, with their bodies', async () => {
    const { exchange, asked } = await exchanging({ answers: [to('/next')] })
    const answer = await exchange({ redirects: 0 })
    expect([answer.status, String(answer.body), asked.length]).toEqual([302, 'more', 1])
  })

  it('are a loop where they lead back', async () => {
    const LOOP = { code: 'http_redirect_loop', phase: 'first_byte' }
    const { failure, asked } = await exchanging({ answers: [to('/a'), to('/?token=x'), to('/a')] })
    expect(await failure()).toEqual({
      ...LOOP,
      message: 'The redirects lead back to http://shop.example/a',
    })
    expect(asked).toHaveLength(3)
    const same = await exchanging({ answers: [to('/?token=x')] })
    expect(await same.failure({ url: 'http://shop.example/?token=x' })).toEqual({
      ...LOOP,
      message: 'The redirects lead back to http://shop.example/?token=***',
    })
    // With another method, or another cookie, the answer may be another one.
    const posting = await exchanging({ answers: [to('/')] })
    expect(await posting.exchange({ method: 'POST', body: 'x' })).toMatchObject({ status: 200 })
    const cookie = await exchanging({ answers: [to('/', 'Set-Cookie: a=1\r\n')] })
    expect(await cookie.exchange()).toMatchObject({ status: 200 })
  })

  it('take their cookies along, behind those of the user', async () => {
    const { exchange, server } = await exchanging({
      answers: [to('/a', 'Set-Cookie: a=1\r\n'), to('/b')],
    })
    await exchange({
      headers: [
        ['Cookie', 'own=1'],
        ['X-Own', '2'],
      ],
    })
    expect(server.received.match(/^cookie: .*$/gim)).toEqual([
      ...['Cookie: own=1', 'Cookie: own=1; a=1', 'Cookie: own=1; a=1'],
    ])
    expect(server.received.match(/^X-Own: 2$/gm)).toHaveLength(3)
    const none = await exchanging({ answers: [to('/a')] })
    await none.exchange()
    expect(none.server.received).not.toMatch(/cookie/i)
    const expired = await exchanging({ answers: [to('/a', 'Set-Cookie: a=1; Max-Age=0\r\n')] })
    await expired.exchange()
    expect(expired.server.received).not.toMatch(/cookie/i)
    // Time is that of the clock.
    const date = 'Expires=Thu, 01 Jan 2026 00:00:02 GMT'
    const later = await exchanging({ answers: [to('/a', `Set-Cookie: a=1; ${date}\r\n`)] })
    await later.exchange()
    expect(later.server.received).toMatch(/^cookie: a=1$/im)
  })

  it('end with the check', async () => {
    const { exchange, stop, asked, clock } = await exchanging({
      answers: [to('/a')],
      phases_ms: { connect: 1 },
    })
    const running = exchange()
    running.catch(() => undefined)
    clock.timer(1, () => undefined)
    await expect.poll(() => asked.length).toBe(1)
    stop.abort(new Error('enough'))
    await expect(running).rejects.toThrow('enough')
    expect(asked).toHaveLength(1)
  })
})
