/**
 * Supported record types and response codes, by their names in the IANA registry "Domain Name
 * System (DNS) Parameters".
 *
 * @module
 */

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
