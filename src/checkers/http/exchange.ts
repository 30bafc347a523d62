/**
 * What the checkers that fetch a page share: details of the exchange, causes, user agent and Basic
 * credentials.
 *
 * @module
 */

import type { EpochMs, JsonObject } from '../../model.ts'
import { expired, hasEnded } from '../../net/connection/client-identity.ts'
import type { ClientIdentity } from '../../net/connection/client-identity.ts'
import { redactHref } from '../../net/http/redact-url.ts'
import type { ProxyCause } from '../../net/failure.ts'
import type { HttpExchange, TextReader } from '../../net/net.ts'
import type { Proxy } from '../../net/proxy/proxy.ts'
import { VERSION } from '../../version.ts'
import type { CauseInfo, SharedCause } from '../causes.ts'
import { OAUTH_CAUSES } from '../oauth/causes.ts'
import { down } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import type { Input, Settings } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { parseProxy, proxyField } from '../../fields/proxy.ts'
import { takeUserinfo } from '../../fields/url.ts'
import { field } from '../../fields/vocabulary.ts'

/** Default of `user_agent`, so that a site's owner can identify the client. */
export const USER_AGENT = `Watchpost/${VERSION} (+https://www.npmjs.com/package/watchpost)`

export const EXCHANGE_MEASUREMENTS = {
  status: 'Status code of the final answer',
  http_version: 'Version of HTTP of the final answer',
  hops: 'Every request and its answer, redirects first: url, status, remote_ip and the ms of each phase',
  final_url: 'Address of the final answer, credentials in its query hidden',
  body_bytes: 'Bytes of the body on the wire, packed as it was sent',
  body_decoded_bytes:
    'Bytes of the unpacked body that were read; there were more where body_cut is true',
  body_cut: 'true where the body went on beyond the limit and the rest was not read',
  content_type: 'Content-Type of the final answer',
  tls: 'protocol, cipher, alpn, authorized and not_after of the final connection',
} as const

export function exchangeDetails(exchange: HttpExchange): JsonObject {
  const { status, http_version, body_bytes, body_cut, tls } = exchange
  const hops = exchange.hops.map((hop) => ({ ...hop, url: redactHref(hop.url) }))
  return {
    status,
    http_version,
    hops,
    // The URL of the last hop.
    final_url: hops.at(-1)?.url ?? redactHref(exchange.final_url),
    body_bytes,
    body_decoded_bytes: exchange.decoded_bytes,
    ...(body_cut ? { body_cut } : {}),
    content_type: exchange.headers['content-type'] ?? null,
    tls: tls === null ? null : { ...tls },
  }
}

/** Characters of an error page that are looked at. */
const PAGE_LOOKED_AT = 2048

/** The beginning of an error page, for {@link certificateRefusal}; `undefined` for other answers. */
export function refusalReader(status: number): (TextReader & { page(): string }) | undefined {
  if (status !== 400) return undefined
  let page = ''
  return {
    get wantsMore() {
      return page.length < PAGE_LOOKED_AT
    },
    *take(text) {
      page = (page + text.slice(0, PAGE_LOOKED_AT)).slice(0, PAGE_LOOKED_AT)
    },
    *end() {},
    page: () => page,
  }
}

interface CertificateShown {
  readonly identity: ClientIdentity | undefined
  readonly now: EpochMs
  /** The beginning of the body, where that is not kept. */
  readonly page?: string | undefined
}

/** nginx does not break the handshake off: it answers with these words (ngx_http_special_response.c). */
export function certificateRefusal(
  { status, final_url, body }: Pick<HttpExchange, 'status' | 'final_url' | 'body'>,
  { identity, now, page = body.toString('latin1', 0, PAGE_LOOKED_AT) }: CertificateShown,
): Judgement<SharedCause> | undefined {
  if (status !== 400) return undefined
  const { host } = new URL(final_url)
  if (page.includes('No required SSL certificate was sent'))
    return down('tls_client_cert_required', `${host} requires a client certificate (status 400)`)
  if (!page.includes('The SSL certificate error')) return undefined
  if (identity !== undefined && hasEnded(identity, now)) return down(...expired(identity, host))
  return down('tls_client_cert_refused', `${host} refuses our client certificate (status 400)`)
}

/** Codes of a proxy. Trouble with the proxy itself is not a fault of the target. */
const PROXY_CAUSES = {
  /** The proxy in `proxy` is down, or not to be reached from this location. */
  proxy_unreachable: {
    text: 'The proxy cannot be connected to',
    verdict: 'unknown',
    phase: 'proxy',
  },
  /** settings: The user or password in `proxy_auth` is missing or wrong. */
  proxy_auth: { text: 'The proxy wants a login', verdict: 'unknown', phase: 'proxy' },
  /** settings: A rule of the proxy forbids the target: ask who runs it. */
  proxy_refused: {
    text: 'The proxy refuses to connect to the target',
    verdict: 'unknown',
    phase: 'proxy',
  },
  /** The proxy works and could not connect to the target: check it from the proxy's network. */
  proxy_target_unreachable: { text: 'The proxy cannot reach the target', phase: 'proxy' },
  /** As `proxy_target_unreachable`, or the proxy is overloaded. */
  proxy_timeout: { text: 'The proxy did not open the way in time', phase: 'proxy' },
} as const satisfies Readonly<Record<ProxyCause, CauseInfo>>

export const HTTP_CAUSES = {
  /**
   * `details.hops` shows the address that answered. 5xx: check the log of the application or its proxy.
   * 401 and 403: check for an expired password or a block. 429: check less often.
   */
  http_status: { text: 'The status of the answer is not the expected one', phase: 'first_byte' },
  /** As `protocol_error`. */
  http_protocol_error: { text: 'The answer is not valid HTTP' },
  /**
   * settings: `http_version` asks for a version that the server does not offer: set `auto`, or turn HTTP/2 on. A
   * load balancer in front of it may speak HTTP/1.1 only.
   */
  http_version_unsupported: { text: 'The server does not offer the version of HTTP' },
  /**
   * The length or compression of the response is wrong: a backend or proxy failed while sending, or
   * compresses twice.
   */
  http_truncated: { text: 'The body ended before it was complete', phase: 'transfer' },
  /** As `http_truncated`. */
  http_decode_error: { text: 'The body does not unpack', phase: 'transfer' },
  /** The response is compressed more than twice: let only one server compress it. */
  http_coding_limit: {
    text: 'The body is packed in more, or larger, layers than are undone',
    verdict: 'unknown',
    phase: 'transfer',
  },
  /**
   * The match may be behind the searched part: choose a smaller page, a keyword instead of a pattern
   * (keywords are searched in up to 64 MiB), or one near its beginning. A report of `resources` is too
   * long: list fewer disks.
   */
  http_body_limit: {
    text: 'The body exceeds the limit of what is searched',
    verdict: 'unknown',
    phase: 'transfer',
  },
  /** As `too_long`. */
  http_header_limit: {
    text: 'The headers of the answer are longer than is read',
    verdict: 'unknown',
    phase: 'first_byte',
  },
  /**
   * `details.hops` lists the redirects. Common: http and https redirect to each other, or to a login
   * page.
   */
  http_redirect_limit: { text: 'Too many redirects', phase: 'first_byte' },
  /** As `http_redirect_limit`. */
  http_redirect_loop: { text: 'The redirects go round in a circle', phase: 'first_byte' },
  /** As `http_redirect_limit`. */
  http_redirect_invalid: {
    text: 'A redirect leads nowhere that can be followed',
    phase: 'first_byte',
  },
  /** As `http_redirect_limit`. */
  http_final_url_mismatch: { text: 'The redirects lead to another address', phase: 'first_byte' },
  ...PROXY_CAUSES,
  ...OAUTH_CAUSES,
} as const satisfies Readonly<Record<string, CauseInfo>>

const parts = {
  user: field.text({ max: 256, description: 'User name for Basic authentication' }),
  pass: field.secret({ description: 'Password for Basic authentication' }),
}

export const authField = field.group(parts, {
  description: 'Credentials for Basic authentication, for the first origin only',
})

export const httpVersionField = field
  .oneOf(['auto', '1.1', '2'], {
    description:
      'Version of HTTP; auto: HTTP/2 where the server offers it over TLS; 2: nothing else, over http:// with prior knowledge',
  })
  .default('1.1')

interface Proxied {
  readonly proxy?: string
  readonly proxy_auth?: Input<typeof proxyParts>
}

const proxyParts = {
  user: field.text({ max: 255, description: 'User name at the proxy' }),
  pass: field.secret({ description: 'Password at the proxy, at most 255 bytes' }),
}

export const proxyFields = {
  proxy: proxyField(
    'Proxy: http://, https:// or socks5:// with host and port; user:pass@ is moved to proxy_auth',
  ),
  proxy_auth: field.group(proxyParts, { description: 'Credentials for the proxy' }),
}

/** Moves credentials of the proxy to `proxy_auth`, which is a secret field. */
export function withoutProxyLogin<S extends Proxied>(settings: S): S {
  const parsed = settings.proxy === undefined ? undefined : parseProxy(settings.proxy)
  if (parsed?.ok !== true || parsed.auth === undefined) return settings
  return { ...settings, proxy: parsed.url, proxy_auth: parsed.auth }
}

export function proxyProblems({ proxy_auth }: Proxied): Problems {
  if (proxy_auth?.user?.includes(':') === true) {
    return { 'proxy_auth.user': 'invalid: the user name of Basic authentication has no colon' }
  }
  if (Buffer.byteLength(proxy_auth?.pass ?? '') > 255) {
    return { 'proxy_auth.pass': 'too long: at most 255 bytes' }
  }
  return {}
}

/** The proxy of a request. */
export function proxyOf({ proxy, proxy_auth }: Settings<typeof proxyFields>): Proxy | undefined {
  if (proxy === undefined) return undefined
  if (proxy_auth?.user === undefined && proxy_auth?.pass === undefined) return { url: proxy }
  return { url: proxy, auth: { user: proxy_auth.user ?? '', pass: proxy_auth.pass ?? '' } }
}

interface Addressed {
  readonly url: string
  readonly auth?: Input<typeof parts>
}

/** Moves credentials from the URL to `auth`, which is a secret field. */
export function withoutUserinfo<S extends Addressed>(settings: S): S {
  const { url, auth } = takeUserinfo(settings.url)
  const taken = {
    ...(auth === undefined || auth.user === '' ? {} : { user: auth.user }),
    ...(auth === undefined || auth.pass === '' ? {} : { pass: auth.pass }),
  }
  const { auth: stored, ...rest } = settings
  const both = auth === undefined ? stored : taken
  const kept = both?.user == null && both?.pass == null ? {} : { auth: both }
  return { ...rest, url, ...kept } as S
}

/** A colon ends the user name in the header (RFC 7617, 2). */
export function userProblem(auth: Addressed['auth']): string | undefined {
  return auth?.user?.includes(':') === true
    ? 'invalid: the user name of Basic authentication has no colon'
    : undefined
}
