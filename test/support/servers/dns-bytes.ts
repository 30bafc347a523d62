/**
 * The few bytes of a DNS question, written by hand, so that tests of DNS servers do not rest on the
 * library that is tested with them (RFC 1035, 4.1).
 *
 * @module
 */

export const DNS_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  RRSIG: 46,
  CAA: 257,
} as const

const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'] as const

/** A question for one name, recursion not desired. */
export function dnsQuery(name: string, type: keyof typeof DNS_TYPES = 'A', id = 0x1234): Buffer {
  const header = Buffer.alloc(12)
  header.writeUInt16BE(id, 0)
  header.writeUInt16BE(1, 4)
  const labels = name
    .split('.')
    .filter((label) => label !== '')
    .map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]))
  const tail = Buffer.alloc(5)
  tail.writeUInt16BE(DNS_TYPES[type], 1)
  tail.writeUInt16BE(1, 3)
  return Buffer.concat([header, ...labels, tail])
}

/** With the length in front that TCP and TLS want. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

export interface DnsHeader {
  readonly id: number
  readonly rcode: string
  /** TC: cut off, ask again over TCP. */
  readonly truncated: boolean
  readonly answers: number
}

export function dnsHeader(message: Buffer): DnsHeader {
  const flags = message.readUInt16BE(2)
  return {
    id: message.readUInt16BE(0),
    rcode: RCODES[flags & 15] ?? String(flags & 15),
    truncated: (flags & 0x0200) !== 0,
    answers: message.readUInt16BE(6),
  }
}
