import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { ClientHttp2Stream } from 'node:http2'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import { clientAddress, toNodeHandler } from '../../src/rest/node.ts'
import type { Rest } from '../../src/rest/index.ts'
import { client, tcpMonitor } from './client.ts'
import { listen } from './hosts.ts'
import { KEY } from './service.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function serve(rest: Rest = client().rest) {
  const host = await listen(toNodeHandler(rest))
  closing.push(host.close)
  return host
}

/** A connection on which requests are written letter by letter. */
async function open(
  port: number,
): Promise<{ socket: Socket; until(end: RegExp): Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  closing.push(async () => void socket.destroy())
  await once(socket, 'connect')
  let seen = ''
  socket.on('data', (chunk: Buffer) => (seen += chunk.toString()))
  socket.on('error', () => undefined)
  const until = async (end: RegExp): Promise<string> => {
    while (!end.test(seen)) {
      if (socket.closed) throw new Error(`closed after ${JSON.stringify(seen)}`)
      await heard(socket, 'data', 'close')
    }
    const text = seen
    seen = ''
    return text
  }
  return { socket, until }
}

/** Unlike `once` it does not mind errors: a reset connection is one of the ends that are tested. */
function heard(socket: Socket, ...events: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    for (const event of events) socket.once(event, () => resolve())
  })
}

const auth = `Authorization: Bearer ${KEY}\r\n`

describe('the Node handler', () => {
  it.each([
    ['a host that is none', `GET /api/v1/me HTTP/1.1\r\nHost: not a host\r\n${auth}\r\n`, 200],
    [
      'the absolute form',
      `GET http://other.example/api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`,
      200,
    ],
    ['a user in the host', `GET /api/v1/me HTTP/1.1\r\nHost: u:p@a\r\n${auth}\r\n`, 200],
    [
      'a user in the absolute form',
      `GET http://u:p@other.example/api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`,
      200,
    ],
    [
      'a wish for another method',
      `POST /api/v1/me HTTP/1.1\r\nHost: a\r\nX-HTTP-Method-Override: GET\r\n${auth}Content-Length: 0\r\n\r\n`,
      405,
    ],
    [
      'a path that is encoded twice',
      `GET /api/v1/monitors/%2531 HTTP/1.1\r\nHost: a\r\n${auth}\r\n`,
      404,
    ],
    ['HTTP/1.0 without a host', `GET /api/v1/me HTTP/1.0\r\n${auth}\r\n`, 200],
    ['no path', `OPTIONS * HTTP/1.1\r\nHost: a\r\n${auth}\r\n`, 404],
    ['two slashes', `GET //api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`, 404],
    ['dots that lead out', `GET /api/v1/../x HTTP/1.1\r\nHost: a\r\n${auth}\r\n`, 404],
    [
      'a method that Request does not take',
      `TRACE /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`,
      405,
    ],
    ['a method of its own', `PROPFIND /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`, 405],
  ])('copes with %s', async (_name, request, status) => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    socket.write(request)
    expect(await until(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  })

  it.each(['TRACE', 'PROPFIND', 'OPTIONS'])('answers %s in the envelope', async (method) => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    socket.write(`${method} /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`)
    const answer = await until(/\}$/)
    expect(answer).toMatch(/^HTTP\/1.1 405 [^]*\r\nallow: GET, HEAD\r\n/)
    expect(answer).toMatch(/\{"ok":false,"error":"method_not_allowed",/)
  })

  it('answers requests that come one behind the other in their order', async () => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    const create = JSON.stringify(tcpMonitor)
    socket.write(
      `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\nContent-Length: ${create.length}\r\n\r\n${create}` +
        ['GET /api/v1/me', 'GET /api/v1/nothing', 'PUT /api/v1/me', 'GET /hb/x', 'GET /api/v1/me']
          .map((line) => `${line} HTTP/1.1\r\nHost: a\r\n${auth}\r\n`)
          .join(''),
    )
    let answers = ''
    while (answers.match(/HTTP\/1.1/g)?.length !== 6) answers += await until(/\}$/)
    expect(answers.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['201', '200', '404', '405', '404', '200'])
  })

  it('ends the connection of a body that did not come in time', async () => {
    const { rest, clock } = client()
    const { port, server } = await serve(rest)
    const { socket, until } = await open(port)
    const arrived = once(server, 'request')
    const closed = heard(socket, 'close')
    socket.write(
      `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    )
    await arrived
    await expect.poll(() => clock.pending).toBe(1)
    await clock.advance(30_000)
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 408 [^]*connection: close/i)
    await closed
  })

  it.each([
    ['dots', '/public/../api/v1/me', 'localhost'],
    ['encoded dots', '/public/%2E%2e/api/v1/me', 'localhost'],
    ['a dot', '/./api/v1/me', 'localhost'],
    ['a dot at the end', '/api/v1/me/.', 'localhost'],
    ['backslashes', '/api\\v1\\me', 'localhost'],
    ['another scheme', 'file:///api/v1/me', 'localhost'],
    ['a path in `Host`', '/public', 'localhost/api/v1/me?'],
  ])('does not serve a path that it would be through %s', async (_, target, host) => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\n`)
    expect(await until(/\r\n\r\n[^]/)).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('joins headers that come twice', async () => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    socket.write(
      `GET /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}X-A: 1\r\nX-A: 2\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n`,
    )
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 200 /)
  })

  it('answers before a body that is refused, and serves the next request on the connection', async () => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    const body = 'x'.repeat(200_000)
    socket.write(
      `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 401 /)
    socket.write(`GET /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`)
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 200 /)
  })

  it('answers 413 to a body that goes on and on, and ends it', async () => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    socket.write(
      `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    )
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    const closed = heard(socket, 'close')
    let sent = 0
    const send = (): void => {
      while (!socket.destroyed && sent < 1000) {
        sent += 1
        if (!socket.write(chunk)) {
          socket.once('drain', send)
          return
        }
      }
    }
    send()
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 413 /)
    await closed
    expect(sent).toBeLessThan(1000)
  })

  it('serves the next request on a connection whose last body was too large', async () => {
    const { port } = await serve()
    const { socket, until } = await open(port)
    const head = `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\n`
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(8)}0\r\n\r\n`)
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 413 /)
    socket.write(`GET /api/v1/me HTTP/1.1\r\nHost: a\r\n${auth}\r\n`)
    expect(await until(/\}$/)).toMatch(/^HTTP\/1.1 200 /)
  })

  it('gives up a body whose sender goes away', async () => {
    const { rest, answered } = watched()
    const host = await serve(rest)
    const { socket } = await open(host.port)
    const arrived = once(host.server, 'request')
    socket.write(
      `POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\n${auth}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"type"`,
    )
    await arrived
    socket.destroy()
    await expect.poll(() => answered).toEqual([400])
    expect((await host.fetch('/hb/x')).status).toBe(404)
  })

  it('tells the API when the client goes away', async () => {
    const gone = new Promise<void>((resolve) => {
      const rest: Rest = {
        owns: () => true,
        fetch: (request) =>
          new Promise((answer) => {
            request.signal.addEventListener('abort', () => {
              resolve()
              answer(new Response())
            })
            socketOf?.destroy()
          }),
      }
      void serve(rest).then(async ({ port }) => {
        socketOf = (await open(port)).socket
        socketOf.write('GET /api/v1/me HTTP/1.1\r\nHost: a\r\n\r\n')
      })
    })
    let socketOf: Socket | undefined
    await gone
  })

  it('hands an error of its own to next, and closes the connection where there is none', async () => {
    const broken: Rest = { owns: () => true, fetch: () => Promise.reject(new Error('broken')) }
    const said: string[] = []
    const logger = { ...silentLogger, error: (_: object, text: string) => void said.push(text) }
    const bare = await listen(toNodeHandler(broken, { logger }))
    closing.push(bare.close)
    await expect(bare.fetch('/x')).rejects.toThrow()
    expect(said).toEqual(['an answer broke off; its connection is closed'])

    const errors: unknown[] = []
    const handler = toNodeHandler(broken)
    const host = await listen((req, res) =>
      handler(req, res, (error) => {
        errors.push(error)
        res.statusCode = 500
        res.end()
      }),
    )
    closing.push(host.close)
    expect((await host.fetch('/x')).status).toBe(500)
    expect(errors).toMatchObject([{ message: 'broken' }])
  })

  it('sends every cookie as a header of its own', async () => {
    const headers = new Headers([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ])
    const rest: Rest = { owns: () => true, fetch: async () => new Response('x', { headers }) }
    const host = await serve(rest)
    expect((await host.fetch('/')).headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it('answers 404 to a path that is not its own where nobody comes next', async () => {
    const host = await serve()
    expect((await host.fetch('/favicon.ico')).status).toBe(404)
  })

  it('serves HTTP/2 as well', async () => {
    const stream = await http2Post(client().rest)
    stream.end(JSON.stringify(tcpMonitor))
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(headers[':status']).toBe(201)
  })

  it('gives up a body whose sender goes away on HTTP/2', async () => {
    const { rest, answered, asked } = watched()
    const stream = await http2Post(rest)
    stream.on('error', () => undefined)
    stream.write('{"type"')
    await asked
    stream.close(8)
    await expect.poll(() => answered).toEqual([400])
  })
})

/** The API with a list of the statuses that it answered. */
function watched(): { rest: Rest; answered: number[]; asked: Promise<void> } {
  const { rest } = client()
  const answered: number[] = []
  let begin = (): void => undefined
  const asked = new Promise<void>((resolve) => (begin = resolve))
  const fetch = async (request: Request): Promise<Response> => {
    begin()
    const response = await rest.fetch(request)
    answered.push(response.status)
    return response
  }
  return { rest: { ...rest, fetch }, answered, asked }
}

async function http2Post(rest: Rest): Promise<ClientHttp2Stream> {
  const handler = toNodeHandler(rest)
  const server = createHttp2Server((req, res) =>
    handler(req as unknown as IncomingMessage, res as unknown as ServerResponse),
  )
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  closing.push(async () => {
    session.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return session.request({
    ':method': 'POST',
    ':path': '/api/v1/monitors',
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
  })
}

describe('the client behind a proxy', () => {
  const echo: Rest = {
    owns: () => true,
    fetch: (request) =>
      Promise.resolve(Response.json([clientAddress(request), new URL(request.url).protocol])),
  }
  const headers = { 'x-forwarded-for': '6.6.6.6, 198.51.100.1', 'x-forwarded-proto': 'https' }

  async function ask(options?: Parameters<typeof toNodeHandler>[1]): Promise<unknown> {
    const host = await listen(toNodeHandler(echo, options))
    closing.push(host.close)
    return (await host.fetch('/', { headers })).json()
  }

  it('is what the socket says, where no proxy is trusted', async () => {
    expect(await ask()).toEqual(['127.0.0.1', 'http:'])
    expect(await ask({ trustProxy: '10.0.0.0/8' })).toEqual(['127.0.0.1', 'http:'])
  })

  it('is what a trusted proxy says, and so is its https', async () => {
    expect(await ask({ trustProxy: 'loopback' })).toEqual(['198.51.100.1', 'https:'])
    expect(await ask({ trustProxy: 2 })).toEqual(['6.6.6.6', 'https:'])
  })

  it('is not guessed from a mistyped setting', () => {
    expect(() => toNodeHandler(echo, { trustProxy: 'true' })).toThrow(/"true"/)
  })
})
