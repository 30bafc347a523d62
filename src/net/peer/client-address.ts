/**
 * Who a request comes from: the address that is connected, or, where that is a trusted proxy, the one the
 * proxy names. What is written in a header becomes an address or is nothing: never an identity of its own.
 *
 * @module
 */

import { parseIp, unmapped } from '../guard/ip.ts'
import type { Ip } from '../guard/ip.ts'
import { forwardedIp } from './trusted-proxies.ts'
import type { ProxyTrust } from './trusted-proxies.ts'

/** A request as it arrived. */
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
  /** In canonical spelling; `undefined` where nothing is known. */
  readonly address: string | undefined
  /** The client's own connection was https, as far as a trusted proxy says so. */
  readonly secure: boolean
}

/** Without trust, the headers say nothing. */
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
 * From the right, where the nearest proxy wrote: the first address that is no trusted proxy. Where an entry
 * is no address, the proxy that passed it on is as far as anybody knows.
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

/** What the proxy nearest to the client saw: each one appends. */
function schemeOf(forwarded: string | undefined): boolean | undefined {
  const scheme = forwarded?.split(',')[0]?.trim().toLowerCase()
  return scheme === 'https' ? true : scheme === 'http' ? false : undefined
}

/** One spelling per address; an IPv4 address is itself also where it arrived as an IPv6 one. */
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

/** Whom a limit counts as one: an IPv6 address is its /64, which is what one customer has at the least. */
export function neighbourhoodOf(address: string): string {
  const ip = parseIp(address)
  if (ip === undefined) return address
  const { family, value } = unmapped(ip)
  return family === 4 ? octets(value).join('.') : `${groups(value, 4).join(':')}::/64`
}

/** Known to every copy of this module that a process has loaded, the CommonJS one as well. */
const NOTE = Symbol.for('watchpost.client')

/** Notes on a request whom it comes from, for those behind who see only the request. */
export function noteClient(request: Request, address: string | undefined): void {
  Reflect.set(request, NOTE, address)
}

/** The client's address as `toNodeHandler` found it; `undefined` for a request that came another way. */
export function clientAddress(request: Request): string | undefined {
  const noted: unknown = Reflect.get(request, NOTE)
  return typeof noted === 'string' ? noted : undefined
}
