/**
 * A proxy between us and a target.
 *
 * @module
 */

import { hostPort } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import type { ProxyCause } from '../failure.ts'
import type { Trace } from '../timing/trace.ts'

/** A proxy; the policy applies to its addresses as well. */
export interface Proxy {
  /** `http://host:port`, `https://…` or `socks5://…`, without credentials. */
  readonly url: string
  readonly auth?: { readonly user: string; readonly pass: string } | undefined
  /**
   * The proxy belongs to the operator: the policy does not apply to its own addresses, and always to those of the
   * target. Default `false`.
   */
  readonly trusted?: boolean
}

export interface ProxyPlace {
  readonly scheme: 'http' | 'https' | 'socks5'
  readonly host: string
  readonly port: number
}

/** `url` is `scheme://host:port`, as the settings have checked it. */
export function placeOf({ url }: Pick<Proxy, 'url'>): ProxyPlace {
  const [scheme = '', rest = ''] = url.split('://')
  const { hostname, port } = new URL(`http://${rest}`)
  return {
    scheme: scheme as ProxyPlace['scheme'],
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 80 : Number(port),
  }
}

/** Basic credentials (RFC 9110, 11.7.2). */
export function loginOf({ auth }: Proxy): readonly (readonly [string, string])[] {
  if (auth === undefined) return []
  const credentials = Buffer.from(`${auth.user}:${auth.pass}`, 'utf8').toString('base64')
  return [['Proxy-Authorization', `Basic ${credentials}`]]
}

/** Why a proxy has not opened the way. */
export function refusalOf(
  place: Pick<ProxyPlace, 'host' | 'port'>,
  target: Pick<ProxyPlace, 'host' | 'port'>,
  status: number,
): CheckFailure {
  const who = `The proxy ${hostPort(place.host, place.port)}`
  const to = hostPort(target.host, target.port)
  if (status === 407) return failure('proxy_auth', `${who} wants a login (407)`)
  // Squid and others answer a failed connection with 503, RFC 9110 suggests 502 and 504.
  return status >= 502 && status <= 504
    ? failure('proxy_target_unreachable', `${who} cannot reach ${to} (${status})`)
    : failure('proxy_refused', `${who} refuses to connect to ${to} (${status})`)
}

/** All time of a connection to the proxy counts as the phase `proxy`. */
export function proxyTiming(trace: Trace): Pick<Trace, 'begin' | 'reaches'> {
  return { begin: () => trace.begin('proxy'), reaches: (address) => trace.reaches(address) }
}

/** A failed connection to the proxy says nothing about the target. Refusals of the guard, and failures of this machine, stay as they are. */
export function toProxyFailure(
  error: unknown,
  { host, port }: Pick<ProxyPlace, 'host' | 'port'>,
): unknown {
  if (!(error instanceof CheckFailure) || /^(?:probe_|connect_blocked)/.test(error.code))
    return error
  const text = `The proxy ${hostPort(host, port)} cannot be connected to: ${error.message}`
  return failure('proxy_unreachable', text, error)
}

export function failure(code: ProxyCause, text: string, cause?: unknown): CheckFailure {
  return new CheckFailure(code, text, { phase: 'proxy', cause })
}

/** A proxy of the operator, for what is sent. */
export interface OutgoingProxy extends Pick<Proxy, 'url' | 'auth'> {
  /** Hosts that are connected to directly: names with their subdomains, addresses, with or without a port; `*`. */
  readonly direct?: readonly string[] | undefined
}

export function outgoing(
  proxy: OutgoingProxy | undefined,
): (host: string, port: number) => Proxy | undefined {
  if (proxy === undefined) return () => undefined
  const { url, auth, direct = [] } = proxy
  const trusted = { url, auth, trusted: true }
  return (host, port) => (isDirect(direct, host, port) ? undefined : trusted)
}

/**
 * Whether a list like that of `NO_PROXY` names the host: names with their subdomains, addresses, `*` for all; a port
 * may follow.
 */
function isDirect(list: readonly string[], host: string, port: number): boolean {
  const bare = host.toLowerCase().replace(/\.$/, '')
  return list.some((entry) => {
    const [, name = '', only] =
      /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? []
    if (only !== undefined && !isAddress(entry) && Number(only) !== port) return false
    if (entry.trim() === '*') return true
    const wanted = isAddress(entry) ? entry.trim().toLowerCase() : name
    return wanted !== '' && (bare === wanted || bare.endsWith(`.${wanted}`))
  })
}

/** IPv6 has colons of its own. */
function isAddress(entry: string): boolean {
  return entry.split(':').length > 2
}
