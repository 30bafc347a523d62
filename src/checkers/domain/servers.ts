/**
 * Built-in servers of registries: used until IANA's list is fetched, and for WHOIS, which has no
 * such list. Options of the checker override all of them.
 *
 * @module
 */

import { domainToASCII } from 'node:url'

/** A suffix in A-labels to its entry. */
export type Table<T> = ReadonlyMap<string, T>
/** Base URLs of RDAP servers, in query order. */
export type ServerTable = Table<readonly string[]>

/** The registries with the most names, from IANA's list: https://data.iana.org/rdap/dns.json */
export const KNOWN_RDAP: ServerTable = new Map([
  ['com', ['https://rdap.verisign.com/com/v1/']],
  ['net', ['https://rdap.verisign.com/net/v1/']],
  ['org', ['https://rdap.publicinterestregistry.org/rdap/']],
  ['info', ['https://rdap.identitydigital.services/rdap/']],
  ['io', ['https://rdap.identitydigital.services/rdap/']],
  ['xyz', ['https://rdap.centralnic.com/xyz/']],
  ['app', ['https://pubapi.registry.google/rdap/']],
  ['dev', ['https://pubapi.registry.google/rdap/']],
  ['uk', ['https://rdap.nominet.uk/uk/']],
  ['nl', ['https://rdap.sidn.nl/']],
  ['fr', ['https://rdap.nic.fr/']],
  ['br', ['https://rdap.registro.br/']],
  ['pl', ['https://rdap.dns.pl/']],
  ['cz', ['https://rdap.nic.cz/']],
])

export interface WhoisServer {
  /** `host` or `host:port`. */
  readonly server: string
  /** The query line without its end; `{name}` stands for the name in A-labels. */
  readonly query: string
}

/** IANA's server, which names the WHOIS server of any top-level domain. */
export const WHOIS_ROOT = 'whois.iana.org'

/** A query of only the name. */
export const PLAIN_QUERY = '{name}'

/** From IANA's database of the root zone, https://www.iana.org/domains/root/db */
export const KNOWN_WHOIS: Table<WhoisServer> = new Map(
  [
    // Without the keyword the server lists every host name with this prefix.
    ['com', 'whois.verisign-grs.com', 'domain {name}'],
    ['net', 'whois.verisign-grs.com', 'domain {name}'],
    ['org', 'whois.publicinterestregistry.org'],
    ['info', 'whois.nic.info'],
    ['io', 'whois.nic.io'],
    ['ru', 'whois.tcinet.ru'],
    ['su', 'whois.tcinet.ru'],
    ['xn--p1ai', 'whois.tcinet.ru'],
    ['uk', 'whois.nic.uk'],
    // In English.
    ['jp', 'whois.jprs.jp', '{name}/e'],
    ['br', 'whois.registro.br'],
    ['eu', 'whois.eu'],
    ['nl', 'whois.domain-registry.nl'],
    ['fr', 'whois.nic.fr'],
    ['pl', 'whois.dns.pl'],
    ['cn', 'whois.cnnic.cn'],
    ['kr', 'whois.kr'],
    ['it', 'whois.nic.it'],
    ['be', 'whois.dns.be'],
    ['se', 'whois.iis.se'],
    ['nu', 'whois.iis.nu'],
    ['ch', 'whois.nic.ch'],
    ['li', 'whois.nic.li'],
    // The domain object without its contacts.
    ['de', 'whois.denic.de', '-T dn,ace {name}'],
    ['at', 'whois.nic.at'],
    ['cz', 'whois.nic.cz'],
  ].map(([suffix = '', server = '', query = PLAIN_QUERY]) => [suffix, { server, query }]),
)

/** Registries that do not publish expiry dates. */
const WITHOUT_EXPIRY: ReadonlySet<string> = new Set(['de', 'at', 'eu', 'nl', 'be', 'ch', 'li'])

export function publishesExpiry(name: string): boolean {
  return !WITHOUT_EXPIRY.has(name.slice(name.lastIndexOf('.') + 1))
}

/** The entry for the longest suffix of the name (RFC 9224, 4). */
export function longestMatch<T>(table: Table<T>, name: string): T | undefined {
  const labels = name.split('.')
  for (let from = 1; from < labels.length; from++) {
    const entry = table.get(labels.slice(from).join('.'))
    if (entry !== undefined) return entry
  }
  return undefined
}

/** `.РФ`, `рф` and `XN--P1AI` are all `xn--p1ai`; `undefined` if the text is not a name. */
export function canonicalSuffix(text: string): string | undefined {
  const ascii = domainToASCII(text.trim().replace(/^\.|\.$/g, '')).toLowerCase()
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(ascii) ? ascii : undefined
}
