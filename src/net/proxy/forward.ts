/**
 * Plain requests that a proxy forwards (RFC 9112, 3.2.2): most proxies open a way with CONNECT to TLS ports only.
 *
 * @module
 */

import type { HopRequest, HttpVersion } from '../http/headers.ts'
import { loginOf, placeOf, refusalOf } from './proxy.ts'
import type { Proxy } from './proxy.ts'

/** HTTP/2 over plain TCP needs a connection of its own to the target. */
export function isForwarded(url: URL, proxy: Proxy | undefined, version: HttpVersion): boolean {
  if (proxy === undefined || url.protocol !== 'http:' || version === '2') return false
  return placeOf(proxy).scheme !== 'socks5'
}

export function forwarded(request: HopRequest, proxy: Proxy | undefined): HopRequest {
  const login = proxy === undefined ? [] : loginOf(proxy)
  return { ...request, absolute: true, headers: [...request.headers, ...login] }
}

interface Answered {
  readonly status: number
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined
}

/**
 * An answer may be of the proxy or of the target. Of the proxy are a 407 that asks for a login, by `Proxy-Authenticate`
 * (RFC 9110, 15.5.8), and other errors with its mark: `Proxy-Status` with an error (RFC 9209), `X-Squid-Error`.
 *
 * @throws CheckFailure `proxy_auth`, `proxy_refused`, `proxy_target_unreachable`
 */
export function refuseForwarded(
  url: URL,
  proxy: Proxy | undefined,
  { status, header }: Answered,
): void {
  if (proxy === undefined) return
  const marked =
    header('x-squid-error') !== undefined || /;\s*error=/i.test(header('proxy-status') ?? '')
  const asksForLogin = header('proxy-authenticate') !== undefined
  if (status === 407 ? !asksForLogin : !marked || status < 400) return
  const target = {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 80 : Number(url.port),
  }
  throw refusalOf(placeOf(proxy), target, status)
}
