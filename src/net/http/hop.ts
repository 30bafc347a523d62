/**
 * One hop of an exchange: a connection of its own, the version of HTTP that the request asks for, one request and its
 * response.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection, HttpHop, HttpRequest, Net, TextReader } from '../net.ts'
import { forwarded, isForwarded, refuseForwarded } from '../proxy/forward.ts'
import type { StopSignal } from '../timing/stop.ts'
import { hundredths } from '../timing/trace.ts'
import type { Trace } from '../timing/trace.ts'
import type { HopAnswer, HopOptions } from './answer.ts'
import { valuesOf } from './headers.ts'
import type { HopRequest, HttpVersion } from './headers.ts'
import { exchangeHttp1 } from './http1.ts'
import { exchangeHttp2 } from './http2.ts'
import { isRedirect } from './redirect.ts'

/** Default of `bodyLimit`: 4 MiB. */
export const DEFAULT_BODY_LIMIT_BYTES = 4 * 1024 * 1024

const UNSUPPORTED = 'http_version_unsupported'

const ALPN: Readonly<Record<HttpVersion, readonly string[]>> = {
  auto: ['h2', 'http/1.1'],
  '1.1': ['http/1.1'],
  '2': ['h2'],
}

/** What all hops of an exchange share. */
export interface HopContext {
  readonly net: Pick<Net, 'connect'>
  readonly trace: Trace
  readonly request: HttpRequest
  /** Aborts at the deadline: all sockets are destroyed and the exchange fails with its reason. */
  readonly signal: StopSignal
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'timer'>
  /** Returns the reader of the final body, given the status. */
  readonly reader?: ((status: number) => TextReader | undefined) | undefined
  readonly inTurns: HopOptions['inTurns']
  readonly turns: HopOptions['turns']
}

export interface AnsweredHop {
  readonly answer: HopAnswer
  readonly connection: Connection
  /** As shown in the details. */
  readonly hop: HttpHop
}

/** A server that offers HTTP/2 may still want HTTP/1.1 for some requests (RFC 9113, 7). */
export async function sendHop(ctx: HopContext, hopRequest: HopRequest): Promise<AnsweredHop> {
  const { http_version = '1.1' } = ctx.request
  if (http_version !== 'auto') return sendBy(http_version, ctx, hopRequest)
  try {
    return await sendBy('auto', ctx, hopRequest)
  } catch (error) {
    if (!(error instanceof CheckFailure) || error.code !== UNSUPPORTED) throw error
    return sendBy('1.1', ctx, hopRequest)
  }
}

async function sendBy(
  version: HttpVersion,
  ctx: HopContext,
  hopRequest: HopRequest,
): Promise<AnsweredHop> {
  const { net, trace, request, signal, clock, reader, inTurns, turns } = ctx
  const resolve_ms = trace.spent_ms('resolve')
  const connect_ms = trace.spent_ms('connect') + trace.spent_ms('proxy')
  const tls_ms = trace.spent_ms('tls')
  const forward = isForwarded(hopRequest.url, request.proxy, version)
  const connection = await connectTo(net, hopRequest.url, {
    forward,
    ...request,
    identity: hopRequest.identity,
    http_version: version,
  })
  const isHttp2 = speaksHttp2(connection, hopRequest.url, version)
  const exchange = isHttp2 ? exchangeHttp2 : exchangeHttp1
  const asked = forward ? forwarded(hopRequest, request.proxy) : hopRequest
  const answer = await exchange(connection, asked, {
    trace,
    signal,
    clock,
    bodyLimit: request.bodyLimit ?? DEFAULT_BODY_LIMIT_BYTES,
    keepBody: request.keepBody,
    reader,
    inTurns,
    turns,
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
    resolve_ms: hundredths(trace.spent_ms('resolve') - resolve_ms),
    connect_ms: hundredths(trace.spent_ms('connect') + trace.spent_ms('proxy') - connect_ms),
    tls_ms: hundredths(trace.spent_ms('tls') - tls_ms),
    first_byte_ms: hundredths(answer.first_byte_ms),
    transfer_ms: hundredths(answer.transfer_ms),
  }
  return { answer, connection, hop }
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
