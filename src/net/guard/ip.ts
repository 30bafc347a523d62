/**
 * IP addresses and ranges as numbers: every spelling of an address has the same number.
 *
 * @module
 */

import { isIP } from 'node:net'

export interface Ip {
  readonly family: 4 | 6
  /** 32 or 128 bits, network order. */
  readonly value: bigint
}

/** The addresses that share their first `prefix` bits with `value`. */
export interface Cidr extends Ip {
  readonly prefix: number
}

/** Reads every spelling that `net.isIP` accepts, except zone ids; `undefined` otherwise. */
export function parseIp(text: string): Ip | undefined {
  const family = isIP(text)
  if (family === 4) return { family, value: ipv4Value(text) }
  if (family === 6 && !text.includes('%')) return { family, value: ipv6Value(text) }
  return undefined
}

/**
 * Reads `10.0.0.0/8`, `fd00::/8` or a bare address. A range of IPv4-mapped addresses becomes the
 * IPv4 range.
 *
 * @throws RangeError that names the error
 */
export function parseCidr(text: string): Cidr {
  const [head = '', tail, ...rest] = text.split('/')
  const ip = parseIp(head)
  if (ip === undefined || rest.length > 0) throw new RangeError(`"${text}" is not a CIDR range`)
  const bits = ip.family === 4 ? 32 : 128
  const prefix = tail === undefined ? bits : /^\d{1,3}$/.test(tail) ? Number(tail) : NaN
  if (!(prefix <= bits)) throw new RangeError(`"${text}" has no prefix length of 0 to ${bits}`)
  if (networkOf(ip, prefix) !== ip.value) {
    throw new RangeError(`"${text}" is ambiguous: it has bits beyond its prefix length`)
  }
  // The last bit that says so is the 96th, so the prefix of a mapped range is at least as long.
  const mapped = mappedIPv4(ip)
  return mapped === undefined ? { ...ip, prefix } : { ...mapped, prefix: prefix - 96 }
}

export function contains(range: Cidr, ip: Ip): boolean {
  return range.family === ip.family && networkOf(ip, range.prefix) === range.value
}

/**
 * An IPv4-mapped address (`::ffff:a.b.c.d`, RFC 4291 2.5.5.2) as its IPv4 address; all others
 * unchanged.
 */
export function unmapped(ip: Ip): Ip {
  return mappedIPv4(ip) ?? ip
}

/** The IPv4 address behind a NAT64 one with the well-known prefix (RFC 6052, 2.1). */
export function nat64IPv4(ip: Ip): Ip | undefined {
  return contains(NAT64, ip) ? lowIPv4(ip.value) : undefined
}

/** The address itself and every IPv4 address that a packet to it may reach. */
export function meanings(ip: Ip): readonly Ip[] {
  const inner = mappedIPv4(ip) ?? nat64IPv4(ip)
  if (inner !== undefined) return [ip, inner]
  if (contains(SIX_TO_FOUR, ip)) return [ip, lowIPv4(ip.value >> 80n)]
  // `::` and `::1` lie in this range but do not embed an IPv4 address.
  return contains(COMPATIBLE, ip) && ip.value > 1n ? [ip, lowIPv4(ip.value)] : [ip]
}

// Numbers instead of parsed text: parsing a first IPv6 address takes Node 5 ms, which every import
// would pay.
/** `64:ff9b::/96`, RFC 6052. */
const NAT64: Cidr = { family: 6, value: 0x64_ff9bn << 96n, prefix: 96 }
/** `2002::/16`, RFC 3056. */
const SIX_TO_FOUR: Cidr = { family: 6, value: 0x2002n << 112n, prefix: 16 }
/** `::/96`, RFC 4291, 2.5.5.1. */
const COMPATIBLE: Cidr = { family: 6, value: 0n, prefix: 96 }

function mappedIPv4(ip: Ip): Ip | undefined {
  return ip.value >> 32n === 0xffffn ? lowIPv4(ip.value) : undefined
}

function lowIPv4(value: bigint): Ip {
  return { family: 4, value: value & 0xffffffffn }
}

function networkOf(ip: Ip, prefix: number): bigint {
  const rest = BigInt((ip.family === 4 ? 32 : 128) - prefix)
  return (ip.value >> rest) << rest
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function ipv6Value(text: string): bigint {
  const [head = '', tail] = text.split('::')
  const front = groupsOf(head)
  const back = tail === undefined ? [] : groupsOf(tail)
  const gap = new Array<bigint>(8 - front.length - back.length).fill(0n)
  return [...front, ...gap, ...back].reduce((value, group) => (value << 16n) | group, 0n)
}

/** The 16-bit groups on one side of `::`; a dotted tail counts as two. */
function groupsOf(side: string): bigint[] {
  if (side === '') return []
  return side.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)]
    const value = ipv4Value(group)
    return [value >> 16n, value & 0xffffn]
  })
}
