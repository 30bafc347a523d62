/**
 * The details of an exchange and the user agent, shared by the checkers that fetch a page.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { redactHref } from '../../net/http/redact-url.ts'
import type { HttpExchange } from '../../net/net.ts'
import { VERSION } from '../../version.ts'

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
