/**
 * `net.http`: a request, its redirects and the final response. Every hop has its own connection, so
 * that the guard checks every address and checks do not influence each other.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection, HttpExchange, HttpHop, HttpRequest, Net, TextReader } from '../net.ts'
import { round } from '../timing/trace.ts'
import type { Trace } from '../timing/trace.ts'
import { decodeText, textSteps } from './charset.ts'
import { createCookieJar } from './cookies.ts'
import type { CookieJar } from './cookies.ts'
import { ACCEPT_ENCODING } from './decode.ts'
import { hasHeader, joined, valuesOf, without } from './headers.ts'
import type { HeaderPair, HttpVersion } from './headers.ts'
import { exchangeHop } from './hop.ts'
import { exchangeHttp2 } from './http2.ts'
import type { HopAnswer, HopOptions } from './answer.ts'
import type { HopRequest } from './headers.ts'
import { forwarded, isForwarded, refuseForwarded } from '../proxy/forward.ts'
import { isRedirect, nextRequest } from './redirect.ts'
import { redactUrl } from './redact-url.ts'
import type { StopSignal } from '../timing/stop.ts'

/** Default of `bodyLimit`: 4 MiB. */
export const DEFAULT_BODY_LIMIT_BYTES = 4 * 1024 * 1024

/** Similar to browsers, curl and blackbox_exporter. */
const DEFAULT_REDIRECTS = 10

export interface ExchangeOptions {
  /** Aborts at the deadline: all sockets are destroyed and the exchange fails with its reason. */
  readonly signal: StopSignal
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'timer'>
  /** {@link firstRequest}, cached per request. */
  readonly firstOf: (request: HttpRequest) => HopRequest
  /** Returns the reader of the final body, given the status. */
  readonly reader?: ((status: number) => TextReader | undefined) | undefined
  readonly inTurns: HopOptions['inTurns']
}

/**
 * Runs `request` over connections of `net`.
 *
 * @throws CheckFailure `http_protocol_error`, `http_truncated`, `http_decode_error`,
 * `http_coding_limit`, `http_header_limit`, `http_version_unsupported`,
 *   `http_redirect_limit`, `http_redirect_loop`, `http_redirect_invalid`, `closed_early`,
 *   `connect_reset`, `send_failed`, and whatever `net.connect` throws.
 */
export async function httpExchange(
  net: Pick<Net, 'connect'>,
  trace: Trace,
  request: HttpRequest,
  { firstOf, ...options }: ExchangeOptions,
): Promise<HttpExchange> {
  const from = options.clock.monotonic()
  options.signal.throwIfAborted()
  const journey: Journey = { net, trace, request, ...options }
  const first = firstOf(request)
  const arrived = await travel(journey, first)
  // Most responses are not redirects and need neither cookies nor loop detection.
  const ended = follows(request, arrived) ? await follow(journey, first, arrived) : arrived
  return assemble(ended, round(Math.max(0, ended.answer.ended_at - from)))
}

interface Journey extends Omit<ExchangeOptions, 'firstOf'> {
  readonly net: Pick<Net, 'connect'>
  readonly trace: Trace
  readonly request: HttpRequest
}

interface Arrived {
  readonly answer: HopAnswer
  readonly connection: Connection
  /** The hops so far. */
  readonly hops: readonly HttpHop[]
}

function follows({ redirects }: HttpRequest, { answer }: Pick<Arrived, 'answer'>): boolean {
  return redirects !== 0 && isRedirect(answer.status)
}

/** Follows redirects up to the final response. */
async function follow(journey: Journey, from: HopRequest, redirect: Arrived): Promise<Arrived> {
  const { request, signal, clock } = journey
  const { redirects = DEFAULT_REDIRECTS } = request
  const jar = createCookieJar()
  const visits = createVisits()
  visits.enter(from, jar)
  let at = from
  let arrived = redirect
  while (follows(request, arrived)) {
    const { answer, hops } = arrived
    if (hops.length > redirects) {
      throw new CheckFailure(
        'http_redirect_limit',
        `More than ${redirects} redirects, the last one from ${redactUrl(at.url.href)}`,
        { phase: 'first_byte' },
      )
    }
    await jar.store(at.url, valuesOf(answer.headers, 'set-cookie'), clock.now())
    at = nextRequest(at, answer.status, valuesOf(answer.headers, 'location')[0])
    signal.throwIfAborted()
    visits.enter(at, jar)
    const sent = { ...at, headers: withCookies(at.headers, jar.header(at.url)) }
    const next = await travel(journey, sent)
    arrived = { ...next, hops: [...hops, ...next.hops] }
  }
  return arrived
}

/** One request and its response. A server may want HTTP/1.1 for some requests (RFC 9113, 7). */
async function travel(journey: Journey, hopRequest: HopRequest): Promise<Arrived> {
  const { http_version = '1.1' } = journey.request
  if (http_version !== 'auto') return travelBy(http_version, journey, hopRequest)
  try {
    return await travelBy('auto', journey, hopRequest)
  } catch (error) {
    if (!(error instanceof CheckFailure) || error.code !== UNSUPPORTED) throw error
    return travelBy('1.1', journey, hopRequest)
  }
}

async function travelBy(
  version: HttpVersion,
  journey: Journey,
  hopRequest: HopRequest,
): Promise<Arrived> {
  const { net, trace, request, signal, clock, reader, inTurns } = journey
  const resolve_ms = trace.spent_ms('resolve')
  const connect_ms = trace.spent_ms('connect')
  const tls_ms = trace.spent_ms('tls')
  const forward = isForwarded(hopRequest.url, request.proxy, version)
  const proxy_ms = trace.spent_ms('proxy')
  const connection = await connectTo(net, hopRequest.url, {
    ...request,
    identity: hopRequest.identity,
    http_version: version,
    forward,
  })
  const isHttp2 = speaksHttp2(connection, hopRequest.url, version)
  const exchange = isHttp2 ? exchangeHttp2 : exchangeHop
  const asked = forward ? forwarded(hopRequest, request.proxy) : hopRequest
  const answer = await exchange(connection, asked, {
    trace,
    signal,
    clock,
    bodyLimit: request.bodyLimit ?? DEFAULT_BODY_LIMIT_BYTES,
    keepBody: request.keepBody,
    reader,
    inTurns,
    wantsBody: (status) => request.redirects === 0 || !isRedirect(status),
  })
  if (forward) {
    const header = (name: string): string | undefined => valuesOf(answer.headers, name)[0]
    refuseForwarded(hopRequest.url, request.proxy, { status: answer.status, header })
  }
  const hop: HttpHop = {
    url: hopRequest.url.href,
    status: answer.status,
    remote_ip: connection.remote.address,
    resolve_ms: round(trace.spent_ms('resolve') - resolve_ms),
    connect_ms: round(trace.spent_ms('connect') - connect_ms + trace.spent_ms('proxy') - proxy_ms),
    tls_ms: round(trace.spent_ms('tls') - tls_ms),
    first_byte_ms: round(answer.first_byte_ms),
    transfer_ms: round(answer.transfer_ms),
  }
  return { answer, connection, hops: [hop] }
}

interface Connecting extends HttpRequest {
  readonly forward: boolean
}

function connectTo(
  net: Pick<Net, 'connect'>,
  url: URL,
  { ip_family, verify = true, http_version = '1.1', proxy, forward, identity }: Connecting,
): Promise<Connection> {
  const { hostname } = url
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  const isTls = url.protocol === 'https:'
  // Certificates never contain the root dot, and servers do not recognize a name with it.
  const servername = host.endsWith('.') ? { servername: host.slice(0, -1) } : {}
  const connecting = net.connect({
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    ...(ip_family !== undefined ? { ip_family } : {}),
    ...(proxy !== undefined ? { proxy, forward } : {}),
    ...(isTls ? { tls: { verify, alpn: ALPN[http_version], identity, ...servername } } : {}),
  })
  if (http_version !== '2') return connecting
  return connecting.catch((error: unknown) => {
    throw explainAlpn(error, url.host)
  })
}

const UNSUPPORTED = 'http_version_unsupported'

const ALPN: Readonly<Record<HttpVersion, readonly string[]>> = {
  auto: ['h2', 'http/1.1'],
  '1.1': ['http/1.1'],
  '2': ['h2'],
}

/** @throws CheckFailure `http_version_unsupported` */
function speaksHttp2({ tls }: Connection, url: URL, version: HttpVersion): boolean {
  if (tls?.alpn === 'h2') return true
  if (version !== '2') return false
  if (tls === null) return true
  throw withoutHttp2(url.host)
}

/** A server that knows none of the offered protocols ends the handshake (RFC 7301, 3.2), or ignores them. */
function explainAlpn(error: unknown, host: string): unknown {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  return code === 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' ? withoutHttp2(host, error) : error
}

function withoutHttp2(host: string, cause?: unknown): CheckFailure {
  const text = `${host} does not offer HTTP/2`
  return new CheckFailure(UNSUPPORTED, text, { phase: 'tls', cause })
}

/** The request before any redirect. */
export function firstRequest(request: HttpRequest): HopRequest {
  const url = new URL(request.url)
  const headers: HeaderPair[] = [...(request.headers ?? [])]
  if (!hasHeader(headers, 'accept')) headers.push(['Accept', '*/*'])
  if (!hasHeader(headers, 'accept-encoding')) headers.push(['Accept-Encoding', ACCEPT_ENCODING])
  // Each assignment serializes the whole URL again, so it is made only if needed.
  if (url.hash !== '') url.hash = ''
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  return {
    url,
    method: request.method ?? 'GET',
    headers: withAuth(headers, request.auth),
    body: request.body,
    identity: request.identity,
  }
}

/** Basic credentials (RFC 7617) in UTF-8; they replace a header of the user. */
function withAuth(
  headers: readonly HeaderPair[],
  auth: HttpRequest['auth'],
): readonly HeaderPair[] {
  if (auth === undefined) return headers
  const credentials = Buffer.from(`${auth.user}:${auth.pass}`, 'utf8').toString('base64')
  const others = without(headers, (name) => name === 'authorization')
  return [...others, ['Authorization', `Basic ${credentials}`]]
}

/** Cookies of the jar are appended to those of the user, in one header (RFC 6265, 5.4). */
function withCookies(
  headers: readonly HeaderPair[],
  cookies: string | undefined,
): readonly HeaderPair[] {
  if (cookies === undefined) return headers
  const own = valuesOf(headers, 'cookie')
  const others = without(headers, (name) => name === 'cookie')
  return [...others, ['Cookie', [...own, cookies].join('; ')]]
}

/** A repeated request with the same cookies gets the same response: a redirect loop. */
function createVisits(): { enter(request: HopRequest, jar: CookieJar): void } {
  const seen = new Set<string>()
  return {
    enter({ method, url }, jar) {
      const visit = `${jar.version()} ${method} ${url.href}`
      if (seen.has(visit)) {
        throw new CheckFailure(
          'http_redirect_loop',
          `The redirects lead back to ${redactUrl(url.href)}`,
          { phase: 'first_byte' },
        )
      }
      seen.add(visit)
    },
  }
}

const NO_BODY = { body: Buffer.alloc(0), decoded_bytes: 0, body_cut: false, body_bytes: 0 }

function assemble({ answer, connection, hops }: Arrived, elapsed_ms: number): HttpExchange {
  const { body, decoded_bytes, body_cut, body_bytes } = answer.body ?? NO_BODY
  const headers = joined(answer.headers)
  const final_url = hops.at(-1)?.url ?? ''
  let text: string | undefined
  return {
    status: answer.status,
    headers,
    http_version: answer.http_version,
    elapsed_ms,
    hops,
    final_url,
    body,
    decoded_bytes,
    body_cut,
    body_bytes,
    // A request to http:// that a proxy behind TLS forwards has the TLS of the proxy.
    tls: final_url.startsWith('https:') ? connection.tls : null,
    text: () => (text ??= decodeText(body, headers['content-type'])),
    *textSteps() {
      return (text ??= yield* textSteps(body, headers['content-type']))
    },
  }
}
