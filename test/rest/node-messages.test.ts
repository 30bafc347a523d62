/** How the Node handler turns requests into `Request` and answers into what is on the wire. */
import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer, get as getHttps } from 'node:https'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Rest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { certificates } from '../support/certificates.ts'
import { listen } from './hosts.ts'

const answering = (fetch: Rest['fetch']): Rest => ({ owns: () => true, fetch })

async function serve(fetch: Rest['fetch']) {
  const host = await listen(toNodeHandler(answering(fetch)))
  onTestFinished(host.close)
  return host
}

/** Sends what is written and returns all that the server says until it closes, or until `end`. */
async function raw(port: number, text: string, end = /(?!)/): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let seen = ''
  socket.write(text)
  for await (const chunk of socket) {
    seen += String(chunk)
    if (end.test(seen)) break
  }
  return seen
}

describe('a request', () => {
  const echo: Rest['fetch'] = async (request) =>
    Response.json({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    })

  it('has the headers of the client, joined where they came twice', async () => {
    const { port } = await serve(echo)
    const text = await raw(
      port,
      'GET /x HTTP/1.1\r\nHost: a.test\r\nX-A: 1\r\nX-A: 2\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nConnection: close\r\n\r\n',
    )
    expect(text).toContain('"x-a":"1, 2"')
    expect(text).toContain('"set-cookie":"a, b"')
    expect(text).toContain('"url":"http://a.test/x"')
  })

  it.each([
    ['GET /x HTTP/1.0\r\n\r\n', 'http://localhost/x'],
    ['GET /x?a=/../b HTTP/1.1\r\nHost: a.test:81\r\n\r\n', 'http://a.test:81/x?a=/../b'],
    ['GET /x HTTP/1.1\r\nHost: not a host\r\n\r\n', 'http://localhost/x'],
    ['GET /x HTTP/1.1\r\nHost: u:p@a.test\r\n\r\n', 'http://a.test/x'],
    ['GET http://b.test/x HTTP/1.1\r\nHost: a.test\r\n\r\n', 'http://b.test/x'],
    ['GET HTTPS://u:p@b.test HTTP/1.1\r\nHost: a.test\r\n\r\n', 'https://b.test/'],
    ['GET /a..b/.c/... HTTP/1.1\r\nHost: a\r\n\r\n', 'http://a/a..b/.c/...'],
  ])('%j has the address %s', async (head, url) => {
    const { port } = await serve(echo)
    expect(await raw(port, head, /\}$/)).toContain(`"url":"${url}"`)
  })

  it.each([
    ['TRACE', 'OPTIONS'],
    ['trace', 'OPTIONS'],
    ['TRACK', 'OPTIONS'],
    ['XTRACE', 'XTRACE'],
    ['TRACEX', 'TRACEX'],
    ['PATCH', 'PATCH'],
  ])('by %s is one by %s', async (sent, method) => {
    const { ask } = await http2(echo)
    expect((await ask({ ':method': sent, ':path': '/' })).body).toMatchObject({ method })
  })

  it('over HTTP/2 has the host that the client named, and no header with a colon', async () => {
    const { ask } = await http2(echo)
    const { body } = await ask({ ':path': '/x', ':authority': 'a.test:82', 'x-a': '1' })
    expect(body).toMatchObject({ url: 'http://a.test:82/x', headers: { 'x-a': '1' } })
    expect(Object.keys((body as { headers: object }).headers).join()).not.toContain(':')
  })

  it('over TLS has an address of https', async () => {
    const { chain: cert, key } = certificates().good
    const server = createHttpsServer({ cert, key }, toNodeHandler(answering(echo)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const asked = getHttps({ port, host: '127.0.0.1', path: '/x', rejectUnauthorized: false })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of answer) text += String(chunk)
    expect(text).toContain(`"url":"https://127.0.0.1:${port}/x"`)
  })

  it('has the address that was sent where a framework has cut off what it is mounted at', async () => {
    const handler = toNodeHandler(answering(echo))
    const host = await listen((req, res) => {
      const originalUrl = req.url ?? ''
      handler(Object.assign(req, { originalUrl, url: '/cut' }), res)
    })
    onTestFinished(host.close)
    expect(await (await host.fetch('/mount/cut')).json()).toMatchObject({
      url: `http://127.0.0.1:${host.port}/mount/cut`,
    })
  })

  it('is for who comes next where nobody owns its path, or it has none', async () => {
    const handler = toNodeHandler({ ...answering(echo), owns: (path) => path === '/own' })
    const host = await listen((req, res) => handler(req, res, () => res.end('next')))
    onTestFinished(host.close)
    expect(await (await host.fetch('/other')).text()).toBe('next')
    expect(await (await host.fetch('/own')).json()).toMatchObject({ method: 'GET' })
    const head = 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'
    expect(await raw(host.port, head, /next/)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('whose body was parsed is neither compressed nor as long as it was', async () => {
    const handler = toNodeHandler(answering(echo))
    const host = await listen((req, res) => {
      req.resume().once('end', () => {
        setImmediate(() => handler(Object.assign(req, { body: { a: 1 } }), res))
      })
    })
    onTestFinished(host.close)
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    const answer = await host.fetch('/', { method: 'POST', headers, body: 'not what was parsed' })
    const seen = (await answer.json()) as { readonly headers: object; readonly body: string }
    expect(seen.body).toBe('{"a":1}')
    expect(seen.headers).not.toHaveProperty('content-encoding')
    expect(seen.headers).not.toHaveProperty('content-length')
  })

  it('whose body is read late has it in full', async () => {
    const { fetch } = await serve(async (request) => {
      await new Promise((resolve) => setImmediate(resolve))
      return new Response(String((await request.arrayBuffer()).byteLength))
    })
    const body = new Uint8Array(3_000_000)
    expect(await (await fetch('/', { method: 'POST', body })).text()).toBe('3000000')
  })

  it('whose client goes away says so to who reads its body', async () => {
    const failed = new Promise<unknown>((resolve) => {
      void serve(async (request) => {
        client.destroy()
        return request.text().then(
          () => new Response(),
          (error: unknown) => (resolve(error), new Response()),
        )
      }).then(({ port }) => {
        client = connect(port, '127.0.0.1')
        client.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc')
      })
    })
    let client: ReturnType<typeof connect>
    expect(await failed).toBeInstanceOf(Error)
  })
})

describe('an answer', () => {
  it('has its length, but for HEAD and 304', async () => {
    const { fetch } = await serve(({ url }) => {
      const status = url.endsWith('/304') ? 304 : 200
      const text = url.endsWith('/304') ? null : 'äöü'
      return Promise.resolve(new Response(text, { status, headers: { 'x-a': 'b' } }))
    })
    const lengthOf = async (path: string, method = 'GET') => {
      const { status, headers } = await fetch(path, { method })
      return [status, headers.get('content-length'), headers.get('x-a')]
    }
    expect(await lengthOf('/')).toEqual([200, '6', 'b'])
    expect(await lengthOf('/', 'HEAD')).toEqual([200, null, 'b'])
    expect(await lengthOf('/304')).toEqual([304, null, 'b'])
  })

  it('without cookies sets none', async () => {
    const { fetch } = await serve(() => Promise.resolve(new Response('x')))
    expect((await fetch('/')).headers.has('set-cookie')).toBe(false)
  })

  it('ends a connection only for a body that did not come in time', async () => {
    const { port } = await serve(({ url }) =>
      Promise.resolve(new Response('x', { status: Number(url.slice(-3)) })),
    )
    const head = (status: number) => `GET /${status} HTTP/1.1\r\nHost: a\r\n\r\n`
    expect(await raw(port, head(200), /\r\n\r\nx/)).not.toMatch(/^connection: close/im)
    expect(await raw(port, head(408))).toMatch(/^connection: close/im)
  })

  it('is plain text where nobody owns the path', async () => {
    const host = await listen(
      toNodeHandler({ ...answering(() => Promise.reject()), owns: () => false }),
    )
    onTestFinished(host.close)
    const answer = await host.fetch('/')
    expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([
      ...[404, 'not found\n', 'text/plain'],
    ])
  })
})

describe('an event stream', () => {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }

  /** A source that says when it is pulled and when it is no longer wanted. */
  function source(pull?: (controller: ReadableStreamDefaultController<Uint8Array>) => void) {
    let cancelled = (): void => undefined
    const end = new Promise<void>((resolve) => (cancelled = resolve))
    let opened: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (opened = controller),
        ...(pull && { pull }),
        cancel: () => cancelled(),
      },
      { highWaterMark: 0 },
    )
    const say = (text: string) => opened?.enqueue(Buffer.from(text))
    return { body, end, say, close: () => opened?.close() }
  }

  it('is sent as it comes, without a length, and ends with its source', async () => {
    const { body, say, close } = source()
    const { fetch } = await serve(() => Promise.resolve(new Response(body, { headers })))
    const answer = await fetch('/')
    expect(answer.headers.get('content-length')).toBeNull()
    const reader = answer.body?.getReader()
    for (const text of ['data: 1\n\n', 'data: 2\n\n']) {
      say(text)
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(text)
    }
    close()
    expect((await reader?.read())?.done).toBe(true)
  })

  it('without a body ends at once', async () => {
    const { fetch } = await serve(() => Promise.resolve(new Response(null, { headers })))
    expect(await (await fetch('/')).text()).toBe('')
  })

  it('ends at its source when the client goes away', async () => {
    const { body, end, say } = source()
    const { port } = await serve(() => Promise.resolve(new Response(body, { headers })))
    say('data: 1\n\n')
    expect(await raw(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', /data: 1/)).toMatch(
      /^HTTP\/1.1 200/,
    )
    await end
  })

  it('ends at its source when the client is gone before it begins', async () => {
    const { body, end } = source()
    const { port } = await serve(({ signal }) => {
      client.destroy()
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(new Response(body, { headers })))
      })
    })
    const client = connect(port, '127.0.0.1')
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await end
  })

  it('waits for a client that does not read, and goes on when it does', async () => {
    const [size, parts] = [65_536, 400]
    let pulled = 0
    const { body } = source((controller) => {
      pulled += 1
      controller.enqueue(new Uint8Array(size))
      if (pulled === parts) controller.close()
    })
    const { port } = await serve(() => Promise.resolve(new Response(body, { headers })))
    const client = connect(port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    client.pause()
    client.write('GET / HTTP/1.0\r\n\r\n')
    let before = -1
    await expect
      .poll(() => [pulled > 0 && pulled === before, (before = pulled)][0], { interval: 200 })
      .toBe(true)
    expect(pulled).toBeLessThan(parts)
    let length = 0
    for await (const chunk of client) length += (chunk as Buffer).length
    expect(length).toBeGreaterThan(size * parts)
  })
})

it('an option that is none is named with the function that has none such', () => {
  const options = { colour: 1 } as object
  expect(() =>
    toNodeHandler(
      answering(() => Promise.reject()),
      options,
    ),
  ).toThrow(/toNodeHandler.*colour/)
})

describe('what follows an answer', () => {
  it('is read up to a megabyte, and then the connection is closed', async () => {
    const { port } = await serve(() => Promise.resolve(new Response('no', { status: 401 })))
    const chunk = Buffer.alloc(65_536)
    const after = async (chunks: number): Promise<string> => {
      const client = connect(port, '127.0.0.1')
      onTestFinished(() => void client.destroy())
      client.on('error', () => undefined)
      const closed = new Promise((resolve) => client.once('close', () => resolve('closed')))
      client.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${chunks * chunk.length}\r\n\r\n`)
      await once(client, 'data')
      for (let n = 0; n < chunks && !client.destroyed; n++) {
        if (client.write(chunk)) continue
        // `once` would reject at the reset, which comes meanwhile where the kernel does not take all at once.
        await Promise.race([new Promise((resolve) => client.once('drain', resolve)), closed])
      }
      client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      const next = new Promise((resolve) => client.once('data', () => resolve('next')))
      return String(await Promise.race([next, closed]))
    }
    expect(await after(16)).toBe('next')
    expect(await after(40)).toBe('closed')
  })

  it('is read up to 16,384 chunks, however short they are', async () => {
    const { port } = await serve(() => Promise.resolve(new Response('no', { status: 401 })))
    const after = async (chunks: number): Promise<string> => {
      const client = connect(port, '127.0.0.1')
      onTestFinished(() => void client.destroy())
      client.on('error', () => undefined)
      const closed = new Promise((resolve) => client.once('close', () => resolve('closed')))
      client.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
      await once(client, 'data')
      client.write(`${'1\r\na\r\n'.repeat(chunks)}0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n`)
      const next = new Promise((resolve) => client.once('data', () => resolve('next')))
      return String(await Promise.race([next, closed]))
    }
    expect(await after(16_384)).toBe('next')
    expect(await after(16_385)).toBe('closed')
  })
})

async function http2(fetch: Rest['fetch']) {
  const handler = toNodeHandler(answering(fetch))
  const server = createHttp2Server((req, res) =>
    handler(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })
  async function ask(headers: Record<string, string>): Promise<{ body: unknown }> {
    const stream = session.request(headers).end()
    let text = ''
    for await (const chunk of stream) text += String(chunk)
    return { body: JSON.parse(text) as unknown }
  }
  return { ask }
}
