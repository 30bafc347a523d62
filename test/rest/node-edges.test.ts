/** The Node handler where a client goes away, over HTTP/2, and with addresses that hide others. */
import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../src/logger.ts'
import type { Rest } from '../../src/rest/index.ts'
import { toNodeHandler } from '../../src/rest/node.ts'
import { listen } from './hosts.ts'

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc'

/** A server with what its log was told as errors. */
async function serve(fetch: Rest['fetch']) {
  const logged: { readonly err?: unknown }[] = []
  const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) }
  const host = await listen(toNodeHandler({ owns: () => true, fetch }, { logger }))
  onTestFinished(host.close)
  return { ...host, logged }
}

async function overHttp2(fetch: Rest['fetch']): Promise<ClientHttp2Session> {
  const handler = toNodeHandler({ owns: () => true, fetch })
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
  return session
}

const aborted = ({ signal }: Request) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

describe('a body whose sender goes away', () => {
  /** What the reader of a body hears, with the request at hand. */
  async function readingFails(how: (request: Request, leave: () => void) => Promise<unknown>) {
    let tell = (_: unknown): void => undefined
    const told = new Promise<unknown>((resolve) => (tell = resolve))
    const { port } = await serve(async (request) => {
      tell(await how(request, () => client.destroy()).catch((error: unknown) => error))
      return new Response()
    })
    const client = connect(port, '127.0.0.1')
    client.write(HEAD)
    return told
  }

  it('fails with what Node says of it', async () => {
    const told = readingFails((request, leave) => {
      const text = request.text()
      setImmediate(leave)
      return text
    })
    expect(await told).toMatchObject({ code: 'ECONNRESET' })
  })

  it('fails at once where it is read later', async () => {
    const told = readingFails(async (request, leave) => {
      const gone = aborted(request)
      leave()
      await gone
      return request.text()
    })
    expect(await told).toMatchObject({ message: 'the client went away' })
  })

  it('fails where the host ends the request itself', async () => {
    let tell = (_: unknown): void => undefined
    const told = new Promise<unknown>((resolve) => (tell = resolve))
    const fetch: Rest['fetch'] = async (request) => {
      tell(await request.text().catch((error: unknown) => error))
      return new Response()
    }
    const handler = toNodeHandler({ owns: () => true, fetch }, { logger: false })
    const host = await listen((req, res) => {
      handler(req, res)
      setImmediate(() => req.destroy())
    })
    onTestFinished(host.close)
    const client = connect(host.port, '127.0.0.1')
    client.on('error', () => undefined)
    client.write(HEAD)
    expect(await told).toMatchObject({ message: 'the client went away' })
  })
})

describe('an answer', () => {
  it.each([
    ['of text', () => new Response('x')],
    ['of nothing', () => new Response()],
    ['of events', () => new Response(null, { headers: { 'content-type': 'text/event-stream' } })],
  ])('%s for a client that is gone is no error', async (_, answer) => {
    const { port, logged, fetch } = await serve(async (request) => {
      if (request.method === 'GET') return new Response('here')
      const gone = aborted(request)
      client.destroy()
      await gone
      return answer()
    })
    const client = connect(port, '127.0.0.1')
    const closed = once(client, 'close')
    client.write(HEAD)
    await closed
    expect(await (await fetch('/')).text()).toBe('here')
    expect(logged).toEqual([])
  })

  it('that breaks off is logged with its reason', async () => {
    const { fetch, logged } = await serve(() => Promise.reject(new Error('broken')))
    await expect(fetch('/')).rejects.toThrow()
    expect(logged).toMatchObject([{ err: { message: 'broken' } }])
  })

  it('has its length over HTTP/2, and no connection that ends', async () => {
    const warned: string[] = []
    const note = ({ message }: Error) => void warned.push(message)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const session = await overHttp2(() => Promise.resolve(new Response('late', { status: 408 })))
    const stream = session.request({ ':path': '/' })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(headers).toMatchObject({ ':status': 408, 'content-length': '4' })
    await once(stream.resume(), 'end')
    expect(warned).toEqual([])
  })
})

describe('a request', () => {
  it('whose path hides dots behind another address is not served', async () => {
    const { port } = await serve(() => Promise.resolve(new Response('served')))
    const socket = connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    socket.write('GET /x/http://.. HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(String(((await once(socket, 'data')) as [Buffer])[0])).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('whose body comes as a stream keeps its length and its coding', async () => {
    const { fetch } = await serve(async ({ headers }) =>
      Response.json([headers.get('content-length'), headers.get('content-encoding')]),
    )
    const headers = { 'content-encoding': 'br' }
    const answer = await fetch('/', { method: 'POST', headers, body: 'abc' })
    expect(await answer.json()).toEqual(['3', 'br'])
  })
})
