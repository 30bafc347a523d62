import { once } from 'node:events'
import { constants, createSecureServer, createServer } from 'node:http2'
import type { Http2ServerRequest, Http2ServerResponse, Http2SecureServer } from 'node:http2'
import type { Http2Server, ServerHttp2Stream } from 'node:http2'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { certificates } from '../../support/certificates.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { frame, HTTP2 } from '../../support/hostile/http2.ts'
import { ask, serve } from '../../support/http-exchange.ts'
import { listening } from '../../support/listening.ts'
import { leastOf, measureTurns } from '../../support/turns.ts'

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse) => void

interface Running extends AsyncDisposable {
  readonly origin: string
  open(): number
}

const { ca, good } = certificates()
const { chain: cert, key } = good

function serveHttp2(listener: Listener, allowHTTP1 = false): Promise<Running> {
  return started(createSecureServer({ cert, key, allowHTTP1 }, listener), 'https')
}

function serveStreams(listener: (stream: ServerHttp2Stream) => void): Promise<Running> {
  const server = createSecureServer({ cert, key })
  server.on('stream', (stream) => {
    stream.on('error', () => undefined)
    listener(stream)
  })
  return started(server, 'https')
}

async function started(server: Http2SecureServer | Http2Server, scheme: string): Promise<Running> {
  server.on('sessionError', () => undefined)
  const running = await listening(server, scheme === 'https' ? 'secureConnection' : 'connection')
  return {
    origin: `${scheme}://localhost:${running.port}`,
    open: () => running.open,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

it('asks in frames what HTTP/1.1 asks in lines', async () => {
  let asked: Http2ServerRequest | undefined
  let got = ''
  await using server = await serveHttp2((request, response) => {
    asked = request
    request.on('data', (chunk: Buffer) => (got += chunk.toString()))
    request.on('end', () => {
      response.setHeader('X-Twice', ['a', 'b'])
      response.setHeader('Content-Type', 'text/plain; charset=utf-8')
      response.end('größe')
    })
  })
  const request = {
    url: `${server.origin}/a?b=c#d`,
    http_version: '2',
    method: 'POST',
    body: 'zoë',
    auth: { user: 'u', pass: 'p' },
    headers: [
      ['Host', 'shop.example'],
      ['Connection', 'keep-alive'],
      ['TE', 'gzip'],
      ['X-One', '1'],
      ['x-one', '2'],
    ],
  } as const
  const { exchange, cause_text } = await ask(request, { ca })
  expect(cause_text).toBe(null)
  expect(exchange).toMatchObject({
    status: 200,
    http_version: '2',
    headers: { 'x-twice': 'a, b', 'content-type': 'text/plain; charset=utf-8' },
    tls: { alpn: 'h2', authorized: true },
    body_bytes: 7,
  })
  expect(exchange?.text()).toBe('größe')
  expect(exchange?.headers).not.toHaveProperty(':status')
  expect(exchange?.hops[0]).toMatchObject({ status: 200, remote_ip: '127.0.0.1' })
  expect(exchange?.hops[0]?.tls_ms).toBeGreaterThan(0)
  expect(exchange?.hops[0]?.first_byte_ms).toBeGreaterThan(0)
  expect(got).toBe('zoë')
  expect(asked?.method).toBe('POST')
  expect(asked?.headers).toMatchObject({
    ':authority': 'shop.example',
    ':path': '/a?b=c',
    ':scheme': 'https',
    'content-length': '4',
    'x-one': '1, 2',
    authorization: `Basic ${Buffer.from('u:p').toString('base64')}`,
  })
  expect(asked?.headers).not.toHaveProperty('connection')
  expect(asked?.headers).not.toHaveProperty('te')
  await expect.poll(() => server.open()).toBe(0)
})

it('takes the version that both sides have', async () => {
  await using both = await serveHttp2((_request, response) => response.end('x'), true)
  await using old = await serve((_request, response) => response.end('x'), good)
  const versionOf = async (url: string, http_version: 'auto' | '1.1' | '2') =>
    (await ask({ url, http_version }, { ca })).exchange?.http_version
  expect(await versionOf(both.origin, 'auto')).toBe('2')
  expect(await versionOf(both.origin, '2')).toBe('2')
  expect(await versionOf(both.origin, '1.1')).toBe('1.1')
  expect(await versionOf(old.origin.replace('127.0.0.1', 'localhost'), 'auto')).toBe('1.1')
  const { cause_code, cause_text, phase } = await ask(
    { url: old.origin.replace('127.0.0.1', 'localhost'), http_version: '2' },
    { ca },
  )
  expect([cause_code, phase]).toEqual(['http_version_unsupported', 'tls'])
  expect(cause_text).toMatch(/^localhost:\d+ does not offer HTTP\/2$/)
})

it('asks again over HTTP/1.1 where the server requires it', async () => {
  const server = createSecureServer({ cert, key, allowHTTP1: true })
  server.on('stream', (stream) => stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED))
  server.on('request', (request, response) => {
    if (request.httpVersion === '1.1') response.end('old')
  })
  await using running = await started(server, 'https')
  const { exchange } = await ask({ url: running.origin, http_version: 'auto' }, { ca })
  expect(exchange?.http_version).toBe('1.1')
  const { cause_code } = await ask({ url: running.origin, http_version: '2' }, { ca })
  expect(cause_code).toBe('http_version_unsupported')
})

it('speaks HTTP/2 over plain TCP only where it is asked for', async () => {
  await using plain = await started(
    createServer((_request, response) => response.end('plain')),
    'http',
  )
  const { exchange } = await ask({ url: plain.origin, http_version: '2' })
  expect(exchange).toMatchObject({ http_version: '2', tls: null })
  expect(exchange?.text()).toBe('plain')
  await using old = await serve((_request, response) => response.end('x'))
  expect((await ask({ url: old.origin, http_version: 'auto' })).exchange?.http_version).toBe('1.1')
})

it('follows redirects with their cookies, from one version to the other', async () => {
  await using last = await serve((request, response) => response.end(request.url), good)
  const end = last.origin.replace('127.0.0.1', 'localhost')
  await using first = await serveHttp2((request, response) => {
    if (request.headers.cookie === 'a=b') response.writeHead(302, { location: `${end}/z` }).end()
    else response.writeHead(303, { location: '/next', 'set-cookie': 'a=b' }).end('skipped')
  })
  const { exchange } = await ask({ url: first.origin, http_version: 'auto' }, { ca })
  expect(exchange?.hops.map(({ status }) => status)).toEqual([303, 302, 200])
  expect(exchange?.http_version).toBe('1.1')
  expect(exchange?.text()).toBe('/z')
})

it('unpacks a body and stops at the limit', async () => {
  const packed = gzipSync(Buffer.alloc(8 * 1024 * 1024, 'x'))
  await using server = await serveHttp2((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed)
  })
  await using large = await serveHttp2((_request, response) =>
    response.end(Buffer.alloc(8 * 1024 * 1024, 'x')),
  )
  for (const { origin } of [server, large]) {
    const { exchange } = await ask({ url: origin, http_version: '2' }, { ca })
    expect(exchange).toMatchObject({ body_cut: true, decoded_bytes: 4 * 1024 * 1024 })
  }
  await expect.poll(() => large.open()).toBe(0)
})

it.each(['HEAD', 'GET'])('takes %s with a status that has no body', async (method) => {
  await using server = await serveHttp2((_request, response) => {
    response.writeHead(method === 'HEAD' ? 200 : 304, { 'content-encoding': 'gzip' }).end()
  })
  const { exchange } = await ask({ url: server.origin, method, http_version: '2' }, { ca })
  expect(exchange?.body.length).toBe(0)
})

it('passes over interim answers', async () => {
  await using server = await serveStreams((stream) => {
    stream.additionalHeaders({ ':status': 103, link: '</a>' })
    stream.respond({ ':status': 200 })
    stream.end('ok')
  })
  const { exchange } = await ask({ url: server.origin, http_version: '2' }, { ca })
  expect(exchange?.text()).toBe('ok')
})

it.each([
  ['says nothing', 'http_response_timeout', () => undefined],
  [
    'says half a body',
    'http_body_timeout',
    (stream: ServerHttp2Stream) => {
      stream.respond({ ':status': 200 })
      stream.write('half')
    },
  ],
] as const)('a server that %s meets the deadline: %s', async (_, cause_code, listener) => {
  await using server = await serveStreams(listener)
  await withDeadline(400, async (timeout_ms) => {
    const asked = await ask({ url: server.origin, http_version: '2' }, { ca, timeout_ms })
    expect(asked.cause_code).toBe(cause_code)
  })
  await expect.poll(() => server.open()).toBe(0)
})

/** Plays one row in a thread of its own, whose work is not ours. */
const FLOODER = `
const { workerData, parentPort } = require('node:worker_threads')
const server = require('node:net').createServer((socket) => {
  socket.on('error', () => undefined)
  socket.once('data', () => {
    socket.write(workerData.first)
    const pour = () => { while (!socket.destroyed && socket.write(workerData.again)); }
    socket.on('drain', pour)
    pour()
  })
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

describe('keeps its turns short while a server', () => {
  it.each(HTTP2.filter(({ flood }) => flood !== undefined))('$name', async ({ flood }) => {
    const [first, again] = flood ?? []
    const chunk = Buffer.concat(
      Array<Buffer>(Math.ceil(65_536 / (again?.length ?? 1))).fill(again!),
    )
    const worker = new Worker(FLOODER, { eval: true, workerData: { first, again: chunk } })
    const [port] = (await once(worker, 'message')) as [number]
    try {
      const request = { url: `http://127.0.0.1:${port}/`, http_version: '2' } as const
      const { longest_ms, cpu_ms, value } = await leastOf(
        3,
        () => measureTurns(() => ask(request, { timeout_ms: 60_000 })),
        50,
      )
      // A limit has ended it, not the deadline.
      expect(value.cause_code ?? '').not.toMatch(/timeout/)
      expect(longest_ms).toBeLessThan(50)
      expect(cpu_ms).toBeLessThan(1500)
    } finally {
      await worker.terminate()
    }
  })
})

it('takes a body in frames of one byte together, as it is', async () => {
  const text = Array.from({ length: 6400 }, (_, at) => 'abcdefg'[at % 7]).join('')
  const sent = Buffer.concat([
    frame('settings', undefined, { stream: 0 }),
    frame('settings', undefined, { stream: 0, flags: 1 }),
    frame('headers', Buffer.of(0x88), { flags: 4 }),
    ...[...text].map((letter) => frame('data', Buffer.from(letter))),
    frame('data', Buffer.from('.'), { flags: 1 }),
  ])
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => void socket.write(sent))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let pieces = 0
  const reader = {
    // Asked for each piece that arrives: 6400 of them take a turn of 25 to 40 ms.
    wantsMore() {
      pieces += 1
      return true
    },
    *take() {},
    *end() {},
  }
  try {
    const request = { url: `http://127.0.0.1:${port}/`, http_version: '2' } as const
    const { exchange } = await ask(request, { reader })
    expect(exchange?.text()).toBe(`${text}.`)
    expect(pieces).toBeLessThan(1000)
  } finally {
    server.close()
  }
})
