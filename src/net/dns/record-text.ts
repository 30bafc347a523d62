/**
 * Record data as one line of text, independent of how the server encoded it: names in lower case
 * without the trailing dot, addresses in canonical form, numbers and texts in zone file order (RFC
 * 1035, 5.1).
 *
 * @module
 */

import type { Answer, StringRecordType } from 'dns-packet'
import { isIPv4, isIPv6 } from 'node:net'

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

/** @throws RecordDataError */
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
