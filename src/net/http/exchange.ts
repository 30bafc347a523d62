/**
 * `net.http`: a request, its redirects and the final response. Every hop has its own connection, so
 * that the guard checks every address and checks do not influence each other.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { HttpExchange, HttpHop, HttpRequest, Net } from '../net.ts'
import { hundredths } from '../timing/trace.ts'
import type { Trace } from '../timing/trace.ts'
import { decodeText, textSteps } from './charset.ts'
import { createCookieJar } from './cookies.ts'
import type { CookieJar } from './cookies.ts'
import { ACCEPT_ENCODING } from './decode.ts'
import { hasHeader, joined, valuesOf, without } from './headers.ts'
import type { HeaderPair, HopRequest } from './headers.ts'
import { sendHop } from './hop.ts'
import type { AnsweredHop, HopContext } from './hop.ts'
import { isRedirect, nextRequest } from './redirect.ts'
import { redactUrl } from './redact-url.ts'

/** Similar to browsers, curl and blackbox_exporter. */
const DEFAULT_REDIRECTS = 10

export interface ExchangeOptions extends Omit<HopContext, 'net' | 'trace' | 'request'> {
  /** {@link firstRequest}, cached per request. */
  readonly firstOf: (request: HttpRequest) => HopRequest
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
  const ctx: HopContext = { net, trace, request, ...options }
  const first = firstOf(request)
  const { answer, connection, hop } = await sendHop(ctx, first)
  const reached: Reached = { answer, connection, hops: [hop] }
  // Most responses are not redirects and need neither cookies nor loop detection.
  const ended = isToFollow(request, reached) ? await follow(ctx, first, reached) : reached
  return assemble(ended, hundredths(Math.max(0, ended.answer.ended_at - from)))
}

/** The response so far, and the hops to it. */
interface Reached extends Omit<AnsweredHop, 'hop'> {
  readonly hops: readonly HttpHop[]
}

function isToFollow({ redirects }: HttpRequest, { answer }: Pick<Reached, 'answer'>): boolean {
  return redirects !== 0 && isRedirect(answer.status)
}

/** Follows redirects up to the final response. */
async function follow(ctx: HopContext, from: HopRequest, redirect: Reached): Promise<Reached> {
  const { request, signal, clock } = ctx
  const { redirects = DEFAULT_REDIRECTS } = request
  const jar = createCookieJar()
  const visits = createVisits()
  visits.enter(from, jar)
  let at = from
  let reached = redirect
  while (isToFollow(request, reached)) {
    const { answer, hops } = reached
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
    const next = await sendHop(ctx, sent)
    reached = { answer: next.answer, connection: next.connection, hops: [...hops, next.hop] }
  }
  return reached
}

/** The request before any redirect. */
export function firstRequest(request: HttpRequest): HopRequest {
  const url = new URL(request.url)
  const headers: HeaderPair[] = [...(request.headers ?? [])]
  if (!hasHeader(headers, 'accept')) headers.push(['Accept', '*/*'])
  if (!hasHeader(headers, 'accept-encoding')) headers.push(['Accept-Encoding', ACCEPT_ENCODING])
  // Each assignment serializes the whole URL again, so it is made only if needed.
  if (url.href.includes('#')) url.hash = ''
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

function assemble({ answer, connection, hops }: Reached, elapsed_ms: number): HttpExchange {
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
    textSteps: () => textSteps(body, headers['content-type']),
  }
}
