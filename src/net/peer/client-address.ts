/**
 * The client address of a request: the connected peer or, if the peer is a trusted proxy, the
 * address that the proxy reports. A header value is parsed as an address or ignored.
 *
 * @module
 */

import { parseIp, unmapped } from '../guard/ip.ts'
import type { Ip } from '../guard/ip.ts'
import { forwardedIp } from './trusted-proxies.ts'
import type { ProxyTrust } from './trusted-proxies.ts'

/** The transport data of a request. */
export interface Arrival {
  /** Of the socket; `undefined` on one without addresses (a Unix socket). */
  readonly remoteAddress: string | undefined
  /** The socket itself speaks TLS. */
  readonly encrypted: boolean
  /** `X-Forwarded-For` and `X-Forwarded-Proto`, several headers of a name joined with commas. */
  readonly forwardedFor: string | undefined
  readonly forwardedProto: string | undefined
}

export interface Client {
  /** In canonical spelling; `undefined` if unknown. */
  readonly address: string | undefined
  /** The client's own connection was https, as reported by a trusted proxy. */
  readonly secure: boolean
}

/** Without trusted proxies the headers are ignored. */
export function clientOf(arrival: Arrival, trust: ProxyTrust | undefined): Client {
  const { remoteAddress = '', encrypted } = arrival
  const peer = parseIp(remoteAddress.replace(/%.*/s, ''))
  if (trust?.(peer, 0) !== true) return { address: spelling(peer), secure: encrypted }
  return {
    address: spelling(beforeProxies(peer, arrival.forwardedFor ?? '', trust)),
    secure: schemeOf(arrival.forwardedProto) ?? encrypted,
  }
}

/**
 * From the right, where the nearest proxy appends: the first address that is not a trusted proxy.
 * If an entry is not an address, the proxy that passed it on is the last known one.
 */
function beforeProxies(peer: Ip | undefined, chain: string, trust: ProxyTrust): Ip | undefined {
  const entries = chain.split(',')
  let known = peer
  for (let hop = 0; trust(known, hop); hop++) {
    const named = forwardedIp(entries.pop() ?? '')
    if (named === undefined) return known
    known = named
  }
  return known
}

/** The scheme that the proxy nearest to the client saw: each proxy appends its own. */
function schemeOf(forwarded: string | undefined): boolean | undefined {
  const scheme = forwarded?.split(',')[0]?.trim().toLowerCase()
  return scheme === 'https' ? true : scheme === 'http' ? false : undefined
}

/** One spelling per address; an IPv4-mapped IPv6 address becomes the IPv4 address. */
function spelling(ip: Ip | undefined): string | undefined {
  if (ip === undefined) return undefined
  const { family, value } = unmapped(ip)
  if (family === 4) return octets(value).join('.')
  return new URL(`http://[${groups(value, 8).join(':')}]`).hostname.slice(1, -1)
}

function octets(value: bigint): readonly bigint[] {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn)
}

function groups(value: bigint, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) =>
    ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16),
  )
}

/**
 * The key of per-client limits: an IPv6 address counts as its /64, the smallest block that a
 * customer gets.
 */
export function neighbourhoodOf(address: string): string {
  const ip = parseIp(address)
  if (ip === undefined) return address
  const { family, value } = unmapped(ip)
  return family === 4 ? octets(value).join('.') : `${groups(value, 4).join(':')}::/64`
}

/** A registered symbol: shared by every copy of this module in a process, ESM and CommonJS. */
const NOTE = Symbol.for('watchpost.client')

/** Attaches the client address to a request, for handlers that see only the request. */
export function noteClient(request: Request, address: string | undefined): void {
  Reflect.set(request, NOTE, address)
}

/** The client address that `toNodeHandler` found; `undefined` for other requests. */
export function clientAddress(request: Request): string | undefined {
  const noted: unknown = Reflect.get(request, NOTE)
  return typeof noted === 'string' ? noted : undefined
}
