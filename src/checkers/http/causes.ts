/**
 * The causes of the checkers that speak HTTP: of the exchange, of a proxy, of a token.
 *
 * @module
 */

import type { ProxyCause } from '../../net/failure.ts'
import type { CauseInfo } from '../causes.ts'
import { OAUTH_CAUSES } from '../oauth/causes.ts'

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
  /**
   * The response is compressed more than twice, so let only one server compress it, or unpacks to more than 4 MiB from a
   * Brotli window above that (`lgwin` 23 or 24).
   */
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
