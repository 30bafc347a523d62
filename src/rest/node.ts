/**
 * The API on Node's own server and frameworks built on it: `createServer(toNodeHandler(rest))`,
 * `app.use(toNodeHandler(rest))` in Express 4 and 5, `handler(request.raw, reply.raw)` in Fastify.
 *
 * @module watchpost/rest/node
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { wholeBody } from '../access/whole-body.ts'
import { loggerOf } from '../logger.ts'
import type { Logger } from '../logger.ts'
import { clientOf, noteClient } from '../net/peer/client-address.ts'
import type { Client } from '../net/peer/client-address.ts'
import { readTrustProxy } from '../net/peer/trusted-proxies.ts'
import type { ProxyTrust, TrustProxy } from '../net/peer/trusted-proxies.ts'
import { anything, checkOptions, logger } from '../options.ts'
import type { Rest } from './fetch.ts'
import { textOfParsed } from './parsed-body.ts'
import type { ParsedRequest } from './parsed-body.ts'
import { canParseUrl } from '../model/url.ts'

export { clientAddress } from '../net/peer/client-address.ts'
export type { TrustProxy } from '../net/peer/trusted-proxies.ts'
export { limitServer } from './limits/limit-server.ts'
export type { LimitEvent, LimitName, LimitServerOptions } from './limits/options.ts'

/** Other paths go to `next`; without it they are answered with 404. */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

export interface NodeHandlerOptions {
  /**
   * Trusted proxies: of the headers they write, `X-Forwarded-For` names the client and `X-Forwarded-Proto` says
   * whether the request came by https. Default: none, and both headers are ignored.
   */
  readonly trustProxy?: TrustProxy | undefined
  /** Logs a response that was aborted. Default: one line on stderr for each; `false` disables it. */
  readonly logger?: Logger | false | undefined
}

/** Properties that frameworks add to Node's request. */
type FrameworkRequest = ParsedRequest & {
  /** The path as it was sent; Express removes the mount point from `url`. */
  readonly originalUrl?: string
}

/**
 * Maximum number of bytes read and discarded after a response, so that the client gets to read it; then the socket is
 * closed.
 */
const DISCARD_LIMIT_BYTES = 1_048_576

/** What a chunk counts at least: one byte of content takes six on the wire, and as long as this many. */
const DISCARDED_CHUNK_BYTES = 64

/** @throws ConfigurationError for an invalid `trustProxy` */
export function toNodeHandler(rest: Rest, options: NodeHandlerOptions = {}): NodeHandler {
  // Its values are validated where they are read.
  checkOptions('toNodeHandler', options, { trustProxy: anything, logger })
  const { trustProxy } = options
  const log = loggerOf(options.logger)
  const trust = trustProxy === undefined ? undefined : readTrustProxy(trustProxy)
  return (req, res, next) => {
    const client = clientFrom(req, trust)
    const url = urlOf(req, client)
    if (next !== undefined && !rest.owns(url?.pathname ?? '')) {
      next()
      return
    }
    serve({ rest, req, res, url, client }).catch((error: unknown) => {
      if (next !== undefined && !res.headersSent) next(error)
      else {
        log.error({ err: error }, 'an answer broke off; its connection is closed')
        res.destroy()
      }
    })
  }
}

interface Exchange {
  readonly rest: Rest
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly url: URL | undefined
  readonly client: Client
}

async function serve({ rest, req, res, url, client }: Exchange): Promise<void> {
  if (url === undefined || !rest.owns(url.pathname)) {
    await send(plain(404, 'not found'), req, res)
    return
  }
  const gone = new AbortController()
  res.once('close', () => gone.abort())
  const request = requestOf(req, url, gone.signal)
  noteClient(request, client.address)
  await send(await rest.fetch(request), req, res)
}

function clientFrom(req: IncomingMessage, trust: ProxyTrust | undefined): Client {
  const { socket, headers } = req
  return clientOf(
    {
      remoteAddress: socket.remoteAddress,
      encrypted: 'encrypted' in socket,
      forwardedFor: textOf(headers['x-forwarded-for']),
      forwardedProto: textOf(headers['x-forwarded-proto']),
    },
    trust,
  )
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(',') : header
}

async function send(response: Response, req: IncomingMessage, res: ServerResponse): Promise<void> {
  // An event stream has no length and is sent in parts; every other response is short and sent whole.
  const events = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const body = events
    ? undefined
    : (wholeBody(response) ?? Buffer.from(await response.arrayBuffer()))
  if (res.destroyed) {
    if (events) await response.body?.cancel()
    return
  }
  setHead(response, res)
  if (body === undefined) {
    await pass(response.body, res)
    return
  }
  if (req.method !== 'HEAD' && response.status !== 304) {
    res.setHeader('content-length', Buffer.byteLength(body))
  }
  // The connection of a client that was too slow is closed (RFC 9110, 15.5.9).
  if (response.status === 408 && req.httpVersionMajor === 1) res.setHeader('connection', 'close')
  res.end(body)
  if (!req.complete) discard(req)
}

function setHead(response: Response, res: ServerResponse): void {
  res.statusCode = response.status
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') res.setHeader(name, value)
  }
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) res.setHeader('set-cookie', cookies)
}

/** Runs until either side ends it. Data that the client does not read waits in the stream, whose source limits it. */
async function pass(body: ReadableStream<Uint8Array> | null, res: ServerResponse): Promise<void> {
  res.flushHeaders()
  const reader = body?.getReader()
  const gone = new Promise<'gone'>((resolve) => res.once('close', () => resolve('gone')))
  for (;;) {
    const next = await Promise.race([reader?.read(), gone])
    if (next === 'gone') break
    if (next === undefined || next.done) {
      res.end()
      return
    }
    if (!res.write(next.value)) await Promise.race([drained(res), gone])
  }
  await reader?.cancel()
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => res.once('drain', () => resolve()))
}

/** Not JSON: this response is not from the API. */
function plain(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain' } })
}

/** The requested address without user and password; `undefined` for other forms (`*`, an authority). */
function urlOf(req: FrameworkRequest, { secure }: Client): URL | undefined {
  const target = req.originalUrl ?? req.url ?? '/'
  if (!isAsSent(target)) return undefined
  const scheme = secure ? 'https' : 'http'
  const host = `${scheme}://${String(req.headers.host ?? req.headers[':authority'] ?? 'localhost')}`
  // An invalid host is not rejected: nothing depends on it, least of all the path.
  const origin = canParseUrl(host) ? new URL(host).origin : `${scheme}://localhost`
  const absolute = target.startsWith('/') ? origin + target : target
  return canParseUrl(absolute) ? withoutUserinfo(new URL(absolute)) : undefined
}

/**
 * Whether a path stays the same after URL resolution. The host may have checked the path it received: dots and
 * backslashes would bypass that. Clients resolve them before they send.
 */
function isAsSent(target: string): boolean {
  const [sent = ''] = target.split(/[?#]/, 1)
  const path = sent.replace(/^https?:\/\/[^/\\]+/i, '')
  return /^(?:\/|$)/.test(path) && !/\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(path)
}

/** `Request` throws for an address with a user or password, which `Host: a:b@c` would give any path. */
function withoutUserinfo(url: URL): URL {
  url.username = ''
  url.password = ''
  return url
}

/** Methods that `Request` rejects; the API has none of them and answers 405 to any other. */
const FORBIDDEN = /^(?:connect|trace|track)$/i

function requestOf(req: FrameworkRequest, url: URL, signal: AbortSignal): Request {
  const sent = req.method ?? 'GET'
  const method = FORBIDDEN.test(sent) ? 'OPTIONS' : sent
  const headers = headersOf(req)
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal })
  const body = bodyOf(req)
  if (req.readableEnded) {
    // A parsed body is no longer compressed and has another length.
    delete headers['content-encoding']
    delete headers['content-length']
  }
  return new Request(url, {
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body, duplex: 'half' }),
  })
}

/** A record, because `Request` takes twice as long to copy `Headers`. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const copy = Object.create(null) as Record<string, string>
  for (const [name, value] of Object.entries(headers)) {
    // Names with a colon are HTTP/2 pseudo-headers for method and path.
    if (value === undefined || name.startsWith(':')) continue
    copy[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return copy
}

/**
 * The stream, or the body that a middleware parsed. Decided by whether the stream was read, not by the presence of
 * `body`: Express 4's JSON parser sets `{}` even if it has read nothing.
 */
function bodyOf(
  req: FrameworkRequest,
): ReadableStream<Uint8Array> | Uint8Array | string | undefined {
  return req.readableEnded ? textOfParsed(req) : streamOf(req)
}

/** Reads on demand: Node discards a body that is never read. */
function streamOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  let state: 'unread' | 'open' | 'ended' = 'unread'
  const begin = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    state = 'open'
    const end = (finish: () => void): void => {
      if (state === 'open') finish()
      state = 'ended'
    }
    req.on('data', (chunk: Uint8Array) => {
      if (state !== 'open') return
      controller.enqueue(chunk)
      req.pause()
    })
    req.once('end', () => end(() => controller.close()))
    req.once('error', (error) => end(() => controller.error(error)))
    req.once('close', () => end(() => controller.error(new Error('the client went away'))))
    if (req.destroyed) end(() => controller.error(new Error('the client went away')))
  }
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state === 'unread') begin(controller)
        req.resume()
      },
      cancel() {
        state = 'ended'
      },
    },
    { highWaterMark: 0 },
  )
}

function discard(req: IncomingMessage): void {
  let left = DISCARD_LIMIT_BYTES
  req.on('data', (chunk: Uint8Array) => {
    left -= Math.max(chunk.length, DISCARDED_CHUNK_BYTES)
    if (left < 0) req.destroy()
  })
  req.on('error', () => undefined)
  req.resume()
}
