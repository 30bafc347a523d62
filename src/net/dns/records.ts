/**
 * Record types and response codes, by their names in the IANA registry "Domain Name System (DNS)
 * Parameters", and record data as text.
 *
 * @module
 */

import type { Answer, StringRecordType } from 'dns-packet'
import { isIPv4, isIPv6 } from 'node:net'

export const DNS_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  DNAME: 39,
  DS: 43,
  SSHFP: 44,
  DNSKEY: 48,
  TLSA: 52,
  SVCB: 64,
  HTTPS: 65,
  CAA: 257,
} as const

export type DnsType = keyof typeof DNS_TYPES

/** Types that dns-packet knows by number only. */
const UNNAMED: Readonly<Partial<Record<string, DnsType>>> = {
  UNKNOWN_64: 'SVCB',
  UNKNOWN_65: 'HTTPS',
}

const PACKET_NAMES = new Map(
  Object.entries(UNNAMED).map(([packetName, type]) => [type, packetName]),
)

/** The name of a type in dns-packet. */
export function packetType(type: DnsType): string {
  return PACKET_NAMES.get(type) ?? type
}

/** The IANA name of a type of dns-packet; `TYPE<number>` (RFC 3597) for unknown types. */
export function typeName(packetName: string): string {
  return UNNAMED[packetName] ?? packetName.replace(/^UNKNOWN_/, 'TYPE')
}

const RCODES: readonly string[] = [
  'NOERROR',
  'FORMERR',
  'SERVFAIL',
  'NXDOMAIN',
  'NOTIMP',
  'REFUSED',
  'YXDOMAIN',
  'YXRRSET',
  'NXRRSET',
  'NOTAUTH',
  'NOTZONE',
]

/** Codes from 16 on need EDNS (RFC 6891, 6.1.3). */
const EXTENDED_RCODES: Readonly<Partial<Record<number, string>>> = {
  16: 'BADVERS',
  17: 'BADKEY',
  18: 'BADTIME',
  22: 'BADTRUNC',
  23: 'BADCOOKIE',
}

export function rcodeName(code: number): string {
  return RCODES[code] ?? EXTENDED_RCODES[code] ?? `RCODE${code}`
}

/** Data that does not match its type; the answer is malformed. */
class RecordDataError extends Error {}

type Data<T extends Answer['type']> = Extract<Answer, { type: T; data: unknown }>['data']
type Formats = { readonly [T in Answer['type']]?: (data: Data<T>) => string }

const FORMATS: Formats = {
  A: ipv4,
  AAAA: ipv6,
  CNAME: hostName,
  DNAME: hostName,
  NS: hostName,
  PTR: hostName,
  MX: ({ preference = 0, exchange }) => `${preference} ${hostName(exchange)}`,
  SRV: ({ priority = 0, weight = 0, port, target }) =>
    `${priority} ${weight} ${port} ${hostName(target)}`,
  // A text of more than 255 bytes comes in several strings that belong together (RFC 7208, 3.3).
  TXT: (pieces) => Buffer.concat([pieces].flat().map((piece) => Buffer.from(piece))).toString(),
  CAA: ({ flags = 0, tag, value }) => `${flags} ${tag.toLowerCase()} "${value}"`,
  SOA: ({ mname, rname, serial = 0, refresh = 0, retry = 0, expire = 0, minimum = 0 }) =>
    [hostName(mname), hostName(rname), serial, refresh, retry, expire, minimum].join(' '),
  DS: ({ keyTag, algorithm, digestType, digest }) =>
    [keyTag, algorithm, digestType, digest.toString('hex')].join(' '),
  // dns-packet has checked that the protocol is 3, the only one (RFC 4034, 2.1.2).
  DNSKEY: ({ flags, algorithm, key }) => [flags, 3, algorithm, key.toString('base64')].join(' '),
  TLSA: ({ usage, selector, matchingType, certificate }) =>
    [usage, selector, matchingType, certificate.toString('hex')].join(' '),
  SSHFP: ({ algorithm, hash, fingerprint }) =>
    [algorithm, hash, fingerprint.toLowerCase()].join(' '),
  NAPTR: ({ order, preference, flags, services, regexp, replacement }) =>
    `${order} ${preference} "${flags}" "${services}" "${regexp}" ${hostName(replacement)}`,
}

/**
 * Record data as one line of text, independent of how the server encoded it: names in lower case
 * without the trailing dot, addresses in canonical form, numbers and texts in zone file order (RFC
 * 1035, 5.1).
 *
 * @throws RecordDataError
 */
export function recordText(type: string, data: unknown): string {
  const format = FORMATS[type as StringRecordType] as ((data: unknown) => string) | undefined
  if (format !== undefined) return format(data)
  if (Buffer.isBuffer(data)) return raw(data)
  return JSON.stringify(data)
}

/** Data of a type without a known presentation format (RFC 3597, 5). */
function raw(data: Buffer): string {
  return data.length === 0 ? '\\# 0' : `\\# ${data.length} ${data.toString('hex')}`
}

function hostName(name: string): string {
  const lower = name.toLowerCase()
  return lower === '.' ? lower : lower.replace(/\.$/, '')
}

function ipv4(address: string): string {
  if (isIPv4(address)) return address
  throw new RecordDataError('an address that is none')
}

function ipv6(address: string): string {
  const canonical = canonicalIpv6(address)
  if (canonical !== undefined) return canonical
  throw new RecordDataError('an address that is none')
}

/**
 * RFC 5952, except that IPv4-mapped addresses stay hexadecimal: an AAAA record is not an A record.
 */
export function canonicalIpv6(address: string): string | undefined {
  if (!isIPv6(address) || address.includes('%')) return undefined
  return new URL(`http://[${address}]/`).hostname.slice(1, -1)
}
