/**
 * Classifies addresses that untrusted users must not reach.
 *
 * Sources: the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890 and its updates),
 * the IANA IPv6 Global Unicast Address Assignments, and the vendors' documentation for metadata
 * services.
 *
 * @module
 */

import { isIP, isIPv4 } from 'node:net'
import { contains, meanings, parseCidr, parseIp, unmapped } from './ip.ts'
import type { Cidr, Ip } from './ip.ts'

export type AddressCategory =
  | 'unparsable'
  | 'zone_id'
  | 'unspecified'
  | 'loopback'
  | 'link_local'
  | 'metadata'
  | 'private'
  | 'shared'
  | 'documentation'
  | 'benchmarking'
  | 'multicast'
  | 'tunnel'
  | 'nat64'
  | 'reserved'

/** Addresses of this machine, its link, or the metadata service of its cloud. */
const OWN = ['unspecified', 'loopback', 'link_local', 'metadata'] as const
export type OwnCategory = (typeof OWN)[number]

/** Why the address is not a public Internet address; `undefined` if it is one. */
export function judgeAddress(address: string): AddressCategory | undefined {
  const ip = parseIp(address)
  if (ip !== undefined) return categoryOf(ip)
  return isIP(address) === 6 ? 'zone_id' : 'unparsable'
}

/** {@link judgeAddress} for a parsed address. */
export function categoryOf(ip: Ip): AddressCategory | undefined {
  const meant = unmapped(ip)
  if (isMetadata(meant)) return 'metadata'
  const ranges = meant.family === 4 ? REFUSED_IPV4() : REFUSED_IPV6()
  const refused = ranges.find(([range]) => contains(range, meant))
  if (refused !== undefined) return refused[1]
  return meant.family === 4 || contains(GLOBAL_UNICAST, meant) ? undefined : 'reserved'
}

/** Whether the address, or an IPv4 address that it embeds, belongs to this machine or its link. */
export function ownCategoryOf(ip: Ip): OwnCategory | undefined {
  const categories = meanings(ip).map(categoryOf)
  return OWN.find((own) => categories.includes(own))
}

/**
 * Metadata services, where clouds serve the credentials of their machines; recognized in every form
 * that embeds IPv4 in IPv6, and with a zone id.
 */
export function isMetadataAddress(address: string): boolean {
  // Fast path: an IPv4 address has only one spelling.
  if (isIPv4(address)) return METADATA_TEXTS.has(address)
  const ip = parseIp(address.replace(/%.*/s, ''))
  return ip !== undefined && meanings(ip).some(isMetadata)
}

const REFUSED_IPV4 = table({
  '0.0.0.0/8': 'unspecified',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'shared',
  '127.0.0.0/8': 'loopback',
  '169.254.0.0/16': 'link_local',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'reserved',
  '192.0.2.0/24': 'documentation',
  '192.31.196.0/24': 'reserved',
  '192.52.193.0/24': 'reserved',
  '192.88.99.0/24': 'tunnel',
  '192.168.0.0/16': 'private',
  '192.175.48.0/24': 'reserved',
  '198.18.0.0/15': 'benchmarking',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
})

/**
 * Besides these, all addresses outside {@link GLOBAL_UNICAST} are refused: most of IPv6 is
 * unassigned.
 */
const REFUSED_IPV6 = table({
  '::/128': 'unspecified',
  '::1/128': 'loopback',
  '64:ff9b::/96': 'nat64',
  '64:ff9b:1::/48': 'nat64',
  '2001::/23': 'reserved',
  '2001:db8::/32': 'documentation',
  '2002::/16': 'tunnel',
  '3fff::/20': 'documentation',
  'fc00::/7': 'private',
  'fe80::/10': 'link_local',
  'ff00::/8': 'multicast',
})

/** `2000::/3`. */
const GLOBAL_UNICAST: Cidr = { family: 6, value: 0x2000n << 112n, prefix: 3 }

const METADATA_ADDRESSES = [
  '169.254.169.254', // AWS, Google Cloud, Azure, OpenStack and most others
  'fd00:ec2::254', // AWS over IPv6
  '169.254.170.2', // AWS, credentials of ECS tasks
  '169.254.170.23', // AWS, credentials of EKS pods
  'fd00:ec2::23', // the same over IPv6
  '168.63.129.16', // Azure WireServer; outside Azure it is a public address
  '100.100.100.200', // Alibaba Cloud
  '169.254.0.23', // Tencent Cloud
  '192.0.0.192', // Oracle Cloud, classic
  '169.254.42.42', // Scaleway
  'fd00:42::42', // Scaleway over IPv6
  'fd20:ce::254', // Google Cloud, machines with IPv6 only
  'fe80::a9fe:a9fe', // OpenStack over IPv6
]
const METADATA = onFirstUse(() => METADATA_ADDRESSES.map(parseCidr))
const METADATA_TEXTS: ReadonlySet<string> = new Set(METADATA_ADDRESSES)

function isMetadata(ip: Ip): boolean {
  return METADATA().some((range) => contains(range, ip))
}

function table(
  rows: Readonly<Record<string, AddressCategory>>,
): () => readonly (readonly [Cidr, AddressCategory])[] {
  return onFirstUse(() =>
    Object.entries(rows).map(([range, category]) => [parseCidr(range), category] as const),
  )
}

/** Not at import; see `ip.ts`. */
function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
