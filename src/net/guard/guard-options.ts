/**
 * Parses the options of the guard strictly: a mistyped entry must not make the guard narrower or
 * wider than intended.
 *
 * @module
 */

import { isIP } from 'node:net'
import type { Clock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import { ownCategoryOf } from './address.ts'
import { contains, parseCidr } from './ip.ts'
import type { Cidr, Ip } from './ip.ts'
import { parseTargetUrl } from './target-url.ts'

export interface AllowedHost {
  readonly host: string
  /**
   * Also if its addresses are private. Loopback, link-local and metadata addresses still need an
   * entry of `allowCidrs`.
   */
  readonly anyAddress?: boolean | undefined
}

export interface GuardOptions {
  /**
   * Ranges (or single addresses) that are allowed although they are not public. Loopback and
   * link-local addresses need an entry that lies wholly inside their range (`127.0.0.0/8`);
   * `0.0.0.0/0` opens private networks, not this machine. Metadata addresses need an entry of /24
   * or longer (IPv6: /64). IPv4-mapped forms follow the IPv4 entry.
   */
  readonly allowCidrs?: readonly string[] | undefined
  /**
   * Exact names that are allowed although their suffix is blocked (`hooks.internal`). Their
   * addresses are checked all the same.
   */
  readonly allowHosts?: readonly (string | AllowedHost)[] | undefined
  /** Addresses or ranges that are always refused, for example the engine's own public addresses. */
  readonly denyAddresses?: readonly string[] | undefined
  /**
   * Classify 64:ff9b::/96 by the embedded IPv4 address (networks with NAT64). Default `false`:
   * refuse.
   */
  readonly nat64?: boolean | undefined
  /** The only ports allowed in URLs. Default: all. */
  readonly ports?: readonly number[] | undefined
  readonly clock?: Clock | undefined
}

export interface GuardRules {
  readonly allowed: readonly Cidr[]
  readonly denied: readonly Cidr[]
  readonly hosts: ReadonlyMap<string, { readonly anyAddress: boolean }>
  readonly nat64: boolean
  readonly ports: ReadonlySet<number> | undefined
  /** Whether a narrow entry opens this address of the machine, its link or its cloud. */
  allowedOwn(this: void, ip: Ip): boolean
}

const NAMES = new Set([
  'allowCidrs',
  'allowHosts',
  'denyAddresses',
  'nat64',
  'ports',
  'clock',
] satisfies (keyof GuardOptions)[])

/** @throws ConfigurationError that names the option */
export function readGuardOptions(options: GuardOptions): GuardRules {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !NAMES.has(name as keyof GuardOptions))
      throw wrong(name, 'there is no such option')
  }
  const { nat64 = false } = options
  if (typeof nat64 !== 'boolean') throw wrong('nat64', 'true or false is expected')
  const allowed = readList('allowCidrs', options.allowCidrs).map((item) => cidr('allowCidrs', item))
  const denied = readList('denyAddresses', options.denyAddresses)
  const hosts = readList('allowHosts', options.allowHosts).map(readHost)
  return {
    allowed,
    denied: denied.map((item) => cidr('denyAddresses', item)),
    hosts: new Map(hosts),
    nat64,
    ports: options.ports === undefined ? undefined : readPorts(options.ports),
    allowedOwn: (ip) => allowed.some((range) => opensOwn(range, ip)),
  }
}

/**
 * Whether an entry of `allowCidrs` opens an address of this machine, its link or its cloud: only if
 * the entry lies wholly inside such a range, or is a long prefix. A wider entry that happens to
 * cover them does not open them, and the metadata service is never opened together with its
 * neighbours.
 */
function opensOwn(range: Cidr, ip: Ip): boolean {
  if (!contains(range, ip)) return false
  return isNarrow(range, ip) || (ownCategoryOf(ip) !== 'metadata' && liesInsideOwn(range))
}

/**
 * 127.0.0.0/8 and 0.0.0.0/8: a shorter prefix covers several such blocks and the addresses between
 * them.
 */
const LARGEST_OWN_BLOCK = 8

function liesInsideOwn(range: Cidr): boolean {
  const last = range.value | ((1n << BigInt((range.family === 4 ? 32 : 128) - range.prefix)) - 1n)
  const ends: readonly Ip[] = [range, { family: range.family, value: last }]
  return range.prefix >= LARGEST_OWN_BLOCK && ends.every((ip) => ownCategoryOf(ip) !== undefined)
}

function isNarrow(range: Cidr, ip: Ip): boolean {
  if (ip.family === 4) return range.prefix >= 24
  const category = ownCategoryOf(ip)
  // `::` and `::1` are single-address ranges, so only a /128 lies inside them.
  return range.prefix >= (category === 'loopback' || category === 'unspecified' ? 128 : 64)
}

function readList<T>(name: string, list: readonly T[] | undefined): readonly T[] {
  if (list === undefined) return []
  if (Array.isArray(list)) return list as readonly T[]
  throw wrong(name, 'an array is expected')
}

function cidr(name: string, item: unknown): Cidr {
  if (typeof item !== 'string') throw wrong(name, 'strings are expected')
  try {
    return parseCidr(item)
  } catch (error) {
    throw wrong(name, error instanceof Error ? error.message : String(error))
  }
}

function readHost(item: unknown): readonly [name: string, rule: { readonly anyAddress: boolean }] {
  const entry = typeof item === 'object' && item !== null ? item : { host: item }
  const { host, anyAddress = false } = entry as { readonly [K in keyof AllowedHost]?: unknown }
  if (typeof host !== 'string' || typeof anyAddress !== 'boolean') {
    throw wrong('allowHosts', 'names, or objects of host and anyAddress, are expected')
  }
  const parsed = parseTargetUrl(`http://${host}/`)
  if (typeof parsed === 'string' || parsed.url.pathname !== '/') {
    throw wrong('allowHosts', `"${host}" is not a host name`)
  }
  if (isIP(parsed.host) !== 0) {
    throw wrong('allowHosts', `"${host}" is an address; put it into allowCidrs`)
  }
  if (host.includes(':')) throw wrong('allowHosts', `"${host}" has a port; there is "ports" for it`)
  return [parsed.host, { anyAddress }]
}

function readPorts(ports: readonly number[]): ReadonlySet<number> {
  const list = readList('ports', ports)
  const valid = list.every((port) => Number.isInteger(port) && port >= 1 && port <= 65535)
  if (list.length === 0 || !valid) throw wrong('ports', 'port numbers of 1 to 65535 are expected')
  return new Set(list)
}

function wrong(option: string, problem: string): ConfigurationError {
  return new ConfigurationError(`Guard option ${option}: ${problem}`)
}
