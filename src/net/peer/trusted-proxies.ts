/**
 * Which proxies in front of the server are trusted to report the client address.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import { contains, parseCidr, parseIp, unmapped } from '../guard/ip.ts'
import type { Cidr, Ip } from '../guard/ip.ts'

/**
 * The trusted proxies: how many stand in front (1 to 16), or their addresses, as addresses, ranges
 * (`10.0.0.0/8`) and the names `loopback`, `linklocal`, `uniquelocal` (with the same meaning as in
 * Express) and `private` (all three); a text may list several, separated by commas.
 */
export type TrustProxy = number | string | readonly string[]

/**
 * Whether the proxy at this address is trusted; `hop` is 0 for the connected one, 1 for the one
 * before it.
 */
export type ProxyTrust = (ip: Ip | undefined, hop: number) => boolean

/** Each proxy adds an entry; a longer chain is a mistake or an attack. */
const HOPS_LIMIT = 16

const LOOPBACK = ['127.0.0.0/8', '::1/128']
const LINK_LOCAL = ['169.254.0.0/16', 'fe80::/10']
const UNIQUE_LOCAL = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

const NAMED: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', LOOPBACK],
  ['linklocal', LINK_LOCAL],
  ['uniquelocal', UNIQUE_LOCAL],
  ['private', [...LOOPBACK, ...LINK_LOCAL, ...UNIQUE_LOCAL]],
])

/** @throws ConfigurationError that names the wrong entry */
export function readTrustProxy(given: TrustProxy): ProxyTrust {
  const hops = hopsOf(given)
  if (hops !== undefined) return (_ip, hop) => hop < hops
  const entries: readonly unknown[] | undefined =
    typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : undefined
  if (entries === undefined) throw wrong(String(given))
  const ranges = entries.flatMap(rangesOf)
  return (ip, hop) => ip !== undefined && hop < HOPS_LIMIT && isWithin(ranges, ip)
}

function hopsOf(given: TrustProxy): number | undefined {
  if (typeof given === 'string' && !/^\d{1,3}$/.test(given.trim())) return undefined
  if (typeof given !== 'string' && typeof given !== 'number') return undefined
  const hops = Number(given)
  if (!Number.isInteger(hops) || hops < 1 || hops > HOPS_LIMIT)
    throw new ConfigurationError(`"${given}" is no number of proxies from 1 to ${HOPS_LIMIT}`)
  return hops
}

function rangesOf(given: unknown): readonly Cidr[] {
  if (typeof given !== 'string') throw wrong(String(given))
  const entry = given.trim()
  const named = NAMED.get(entry.toLowerCase())
  if (named !== undefined) return named.map(parseCidr)
  try {
    return [parseCidr(entry)]
  } catch (cause) {
    throw wrong(entry, cause)
  }
}

function wrong(entry: string, cause?: unknown): ConfigurationError {
  const problem = cause instanceof RangeError ? cause.message : `"${entry}" is no proxy`
  return new ConfigurationError(
    `${problem}; addresses, ranges such as 10.0.0.0/8, ${[...NAMED.keys()].join(', ')}, or a number of proxies are expected`,
    { cause },
  )
}

function isWithin(ranges: readonly Cidr[], ip: Ip): boolean {
  const meant = unmapped(ip)
  return ranges.some((range) => contains(range, meant))
}

/** The address in an entry of `X-Forwarded-For`; some proxies append the port. */
export function forwardedIp(entry: string): Ip | undefined {
  const text = entry.trim()
  const bare =
    /^\[([\da-f:.]+)\](?::\d{1,5})?$/i.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1]
  return parseIp(bare ?? text)
}
