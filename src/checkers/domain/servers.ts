/**
 * Servers of registries that are known without asking: for the time until IANA's list was fetched, and
 * for WHOIS, which has no such list. All of it can be overridden by options of the checker.
 *
 * @module
 */

import { domainToASCII } from 'node:url'

/** A suffix in A-labels to what serves it. */
export type Table<T> = ReadonlyMap<string, T>
/** Base addresses of RDAP servers, in the order in which they are asked. */
export type ServerTable = Table<readonly string[]>

/** Those with the most names, as IANA's list has them: https://data.iana.org/rdap/dns.json */
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
  /** What is sent, without the line's end; `{name}` stands for the name in A-labels. */
  readonly query: string
}

/** Where IANA tells the WHOIS server of any top-level domain. */
export const WHOIS_ROOT = 'whois.iana.org'

/** The name and nothing else. */
export const PLAIN_QUERY = '{name}'

/** From IANA's database of the root zone, https://www.iana.org/domains/root/db */
export const KNOWN_WHOIS: Table<WhoisServer> = new Map(
  [
    // Without the word it would list every host name that begins alike.
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
    // The domain itself, without its contacts.
    ['de', 'whois.denic.de', '-T dn,ace {name}'],
    ['at', 'whois.nic.at'],
    ['cz', 'whois.nic.cz'],
  ].map(([suffix = '', server = '', query = PLAIN_QUERY]) => [suffix, { server, query }]),
)

/** Their registries tell nobody when a registration ends. */
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

/** `.РФ`, `рф` and `XN--P1AI` are all `xn--p1ai`; `undefined` for what is no name. */
export function canonicalSuffix(text: string): string | undefined {
  const ascii = domainToASCII(text.trim().replace(/^\.|\.$/g, '')).toLowerCase()
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(ascii) ? ascii : undefined
}
