/**
 * What the checkers that speak HTTP report of an exchange, and how they recognize that a server refused the client
 * certificate.
 *
 * @module
 */

import type { EpochMs, JsonObject } from '../../model.ts'
import { expired, hasEnded } from '../../net/connection/client-identity.ts'
import type { ClientIdentity } from '../../net/connection/client-identity.ts'
import { redactHref } from '../../net/http/redact-url.ts'
import type { HttpExchange, TextReader } from '../../net/net.ts'
import type { SharedCause } from '../causes.ts'
import { down } from '../checker.ts'
import type { Judgement } from '../checker.ts'

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

/** Characters of an error page that are searched. */
const PAGE_LOOKED_AT = 2048

/** The beginning of an error page, for {@link certificateRefusal}; `undefined` for other answers. */
export function refusalReader(status: number): (TextReader & { page(): string }) | undefined {
  if (status !== 400) return undefined
  let page = ''
  return {
    wantsMore: () => page.length < PAGE_LOOKED_AT,
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
