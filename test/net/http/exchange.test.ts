import type { IncomingMessage } from 'node:http'
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { withDeadline } from '../../support/deadlines.ts'
import { ask, serve, serveAtOnce, serveRaw } from '../../support/http-exchange.ts'

it('asks and tells what came back', async () => {
  await using server = await serve((request, response) => {
    response.setHeader('X-Twice', ['a', 'b'])
    response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    response.end(`${request.method} ${request.url}`)
  })
  const { exchange } = await ask(`${server.origin}/a?b=c#d`)
  expect(exchange).toMatchObject({
    status: 200,
    http_version: '1.1',
    final_url: `${server.origin}/a?b=c`,
    body_cut: false,
    body_bytes: 10,
    tls: null,
    headers: { 'x-twice': 'a, b', 'content-type': 'text/plain; charset=utf-8' },
  })
  expect(exchange?.text()).toBe('GET /a?b=c')
  expect(exchange?.hops).toHaveLength(1)
  expect(exchange?.hops[0]).toMatchObject({ status: 200, remote_ip: '127.0.0.1' })
})

it('sends the headers in the order and spelling given, and no keep-alive', async () => {
  let request = ''
  await using server = await serveRaw((socket, head) => {
    request = head
    socket.end('HTTP/1.1 204 No Content\r\n\r\n')
  })
  await ask({
    url: `${server.origin}/`,
    headers: [
      ['X-One', '1'],
      ['x-two', '2'],
      ['X-One', '3'],
    ],
  })
  expect(request.split('\r\n').slice(0, -2)).toEqual([
    'GET / HTTP/1.1',
    `host: 127.0.0.1:${server.port}`,
    'connection: close',
    'X-One: 1',
    'x-two: 2',
    'X-One: 3',
    'Accept: */*',
    'Accept-Encoding: gzip, deflate, br',
  ])
})

it('sends a body and Basic credentials in UTF-8', async () => {
  let got = ''
  let message: IncomingMessage | undefined
  await using server = await serve((request, response) => {
    message = request
    request.on('data', (chunk: Buffer) => (got += chunk.toString()))
    request.on('end', () => response.end())
  })
  await ask({
    url: server.origin,
    method: 'POST',
    body: 'größe',
    auth: { user: 'zoë', pass: 'a:b' },
  })
  expect(got).toBe('größe')
  expect(message?.headers['content-length']).toBe('7')
  expect(message?.headers.authorization).toBe(
    `Basic ${Buffer.from('zoë:a:b', 'utf8').toString('base64')}`,
  )
})

it('lets the user name another host than the one it connects to', async () => {
  await using server = await serve((request, response) => response.end(request.headers.host))
  const { exchange } = await ask({ url: server.origin, headers: [['Host', 'shop.example']] })
  expect(exchange?.text()).toBe('shop.example')
})

it('opens one connection per exchange and leaves none open', async () => {
  await using server = await serve((_request, response) => response.end('x'))
  for (let round = 0; round < 3; round++) await ask(server.origin)
  expect(server.accepted).toBe(3)
  await expect.poll(() => server.open).toBe(0)
})

it('ignores the proxies of the environment', async () => {
  await using server = await serve((_request, response) => response.end('direct'))
  process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:1'
  try {
    expect((await ask(server.origin)).exchange?.text()).toBe('direct')
  } finally {
    delete process.env.HTTP_PROXY
    delete process.env.http_proxy
  }
})

it.each(['HEAD', 'GET'])('takes %s with a status that has no body', async (method) => {
  await using server = await serve((_request, response) => {
    response.writeHead(method === 'HEAD' ? 200 : 304, { 'Content-Encoding': 'gzip' })
    response.end()
  })
  const { exchange } = await ask({ url: server.origin, method })
  expect(exchange?.body.length).toBe(0)
})

it.each([
  ['HTTP/1.0', '1.0'],
  ['HTTP/1.1', '1.1'],
])('reads a body that ends with the connection (%s)', async (line, http_version) => {
  await using server = await serveRaw(
    (socket) => void socket.end(`${line} 200 OK\r\n\r\nto the end`),
  )
  const { exchange } = await ask(server.origin)
  expect(exchange).toMatchObject({ http_version, body_bytes: 10 })
})

it('passes over interim answers, however they are cut', async () => {
  const answer =
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n' +
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  await using whole = await serveRaw((socket) => void socket.write(answer))
  await using drops = await serveRaw(async (socket) => {
    socket.setNoDelay(true)
    for (const byte of answer) {
      await new Promise((resolve) => socket.write(byte, resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })
  for (const { origin } of [whole, drops]) {
    const { exchange } = await ask(origin)
    expect(exchange?.text()).toBe('ok')
    expect(exchange?.http_version).toBe('1.1')
  }
})

it.each([
  ['a banner of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'http_protocol_error'],
  ['a body without head', '<html>hello</html>', 'http_protocol_error'],
  ['a broken header', 'HTTP/1.1 200 OK\r\nbad header\r\n\r\n', 'http_protocol_error'],
  [
    'a broken chunk',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    'http_protocol_error',
  ],
  [
    'two framings',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n',
    'http_protocol_error',
  ],
  [
    'a switch of protocols',
    'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    'http_protocol_error',
  ],
  ['101 without a word', 'HTTP/1.1 101 Switching\r\n\r\n', 'http_protocol_error'],
  [
    'headers without end',
    `HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaa\r\n'.repeat(10_000)}`,
    'http_header_limit',
  ],
  ['one endless header', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}`, 'http_header_limit'],
  [
    'a flood of 103',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(20_000),
    'http_header_limit',
  ],
  [
    'an interim answer without end',
    `HTTP/1.1 103 E\r\n${'X-A: aaaa\r\n'.repeat(50_000)}`,
    'http_header_limit',
  ],
  ['nothing at all', '', 'closed_early'],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-', 'closed_early'],
  ['half a status line', 'HTTP/1', 'closed_early'],
  [
    'a body that is too short',
    'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc',
    'http_truncated',
  ],
  [
    'chunks without the last one',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'http_truncated',
  ],
  [
    'chunks without the last one on a connection that is to close',
    'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'http_truncated',
  ],
  [
    'a packed body that is cut off',
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n\u001f\u008b\u0008',
    'http_truncated',
  ],
])('%s is a cause', async (_name, answer, cause_code) => {
  await using server = await serveRaw((socket) => void socket.end(answer, 'latin1'))
  expect(await ask(server.origin)).toMatchObject({ exchange: null, cause_code })
})

it('takes no harm from a server that answers before it is asked', async () => {
  await using server = await serveAtOnce('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  const { exchange, cause_code } = await ask(server.origin)
  expect(exchange?.text() ?? cause_code).toMatch(/^(ok|http_protocol_error|closed_early)$/)
})

it('takes no harm from a second answer, nor from bytes after the first', async () => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
  for (const rest of [answer, 'HTTP/1.1 103 Early\r\n\r\n', '\u0000garbage']) {
    await using server = await serveRaw((socket) => void socket.write(answer + rest))
    expect((await ask(server.origin)).exchange?.text()).toBe('ok')
  }
})

it('a reset in the middle of a packed body is a cause, not a crash', async () => {
  const packed = gzipSync(randomBytes(2_000_000))
  const head = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n'
  await using server = await serveRaw((socket) => {
    socket.write(head)
    socket.write(packed.subarray(0, 1_900_000), () => socket.resetAndDestroy())
  })
  for (let round = 0; round < 10; round++) {
    // Which of the two depends on whether the reset is seen as one, or as the end of the body.
    const { cause_code } = await ask(server.origin)
    expect(cause_code).toMatch(/^http_(truncated|decode_error)$/)
  }
})

it('says how much of a body was missing', async () => {
  await using server = await serveRaw(
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
  )
  expect(await ask(server.origin)).toMatchObject({
    cause_text: 'The body ended after 3 of 10 bytes',
    phase: 'transfer',
  })
})

it('a reset before the answer is a reset', async () => {
  await using server = await serveRaw((socket) => void socket.resetAndDestroy())
  expect(await ask(server.origin)).toMatchObject({
    cause_code: 'connect_reset',
    phase: 'first_byte',
  })
})

it.each(['Content-Length: 10', 'Transfer-Encoding: chunked', 'X-To-The: End'])(
  'a reset within the body cuts it short (%s)',
  async (header) => {
    await using server = await serveRaw((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${header}\r\n\r\n3\r\nab`)
      // Once the client has read the beginning; a reset throws away what was not read yet.
      setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 100)
    })
    expect(await ask(server.origin)).toMatchObject({
      cause_code: 'http_truncated',
      phase: 'transfer',
    })
  },
)

it.each([
  ['says nothing', 'http_response_timeout', () => undefined],
  [
    'drips headers',
    'http_response_timeout',
    (write: (text: string) => void) => write('HTTP/1.1 200 OK\r\n'),
  ],
  [
    'drips a body',
    'http_body_timeout',
    (write: (text: string) => void) => write('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n'),
  ],
  [
    'drips interim answers',
    'http_response_timeout',
    (write: (text: string) => void) => write('HTTP/1.1 103 Early Hints\r\n\r\n'),
  ],
] as const)('a server that %s meets the deadline: %s', async (name, cause_code, begin) => {
  await using server = await serveRaw(async (socket) => {
    const write = (text: string): void => void socket.write(text)
    begin(write)
    const drop = { 'drips headers': 'X-A: b\r\n', 'drips a body': 'x' }[name as string]
    const timer = setInterval(() => write(drop ?? ''), 20)
    if (name === 'says nothing') clearInterval(timer)
    await new Promise((resolve) => socket.once('close', resolve))
    clearInterval(timer)
  })
  await withDeadline(300, async (timeout_ms) => {
    const from = performance.now()
    expect(await ask(server.origin, { timeout_ms })).toMatchObject({ cause_code })
    expect(performance.now() - from).toBeLessThan(timeout_ms + 2700)
  })
  await expect.poll(() => server.open).toBe(0)
})

it('keeps the beginning of a body that is longer than the limit, and says so', async () => {
  await using server = await serve((_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000)));
    }
    response.on('drain', more)
    more()
  })
  const { exchange } = await ask({ url: server.origin, bodyLimit: 25_000 })
  expect(exchange).toMatchObject({ body_cut: true, status: 200 })
  expect(exchange?.body.length).toBe(25_000)
  await expect.poll(() => server.open).toBe(0)
})

it('a body of exactly the limit is whole', async () => {
  await using server = await serve((_request, response) => response.end('x'.repeat(1000)))
  const { exchange } = await ask({ url: server.origin, bodyLimit: 1000 })
  expect(exchange).toMatchObject({ body_cut: false, body_bytes: 1000 })
})
