/**
 * Parses DNS names and name servers. dns-packet encodes labels of up to 255 bytes without an error,
 * so they are checked here.
 *
 * @module
 */

import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { hostPort } from '../connection/endpoint.ts'
import { parseIp } from '../guard/ip.ts'
import { canParseUrl, MAX_HOST_CHARACTERS } from '../../model/url.ts'

/**
 * Printable ASCII without blanks, dots, quotes and backslashes: characters that need no escapes.
 */
const LABEL = /^[!#-\-/-[\]-~]{1,63}$/

const MAX_NAME_CHARACTERS = 253

/**
 * The canonical form: lower case, IDN as A-labels (RFC 5890), without the trailing dot; the root is
 * `.`. `undefined` for a name that cannot be queried: an empty label, a label of more than 63
 * bytes, more than 253 characters in all.
 */
export function parseDnsName(text: string): string | undefined {
  if (text === '.') return text
  const name = asciiName(text.replace(/\.$/, '')).toLowerCase()
  return name.length <= MAX_NAME_CHARACTERS && name.split('.').every((label) => LABEL.test(label))
    ? name
    : undefined
}

/**
 * In A-labels; empty for what cannot be a name. Only names beyond ASCII are converted: IDN rules reject
 * underscores and other characters that DNS allows.
 */
export function asciiName(name: string): string {
  if (/^\p{ASCII}*$/u.test(name)) return name
  return name.length > MAX_HOST_CHARACTERS ? '' : domainToASCII(name)
}

/**
 * The name of an address below `in-addr.arpa` or `ip6.arpa` (RFC 1035, 3.5; RFC 3596, 2.5);
 * `undefined` for any other text.
 */
export function reverseName(address: string): string | undefined {
  const labels = reversedLabels(address)
  if (labels === undefined) return undefined
  return `${labels}.${parseIp(address)?.family === 4 ? 'in-addr' : 'ip6'}.arpa`
}

/**
 * Octets of IPv4 or nibbles of IPv6 in reverse order; DNS blocklists use the same order (RFC 5782,
 * 2).
 */
export function reversedLabels(address: string): string | undefined {
  const ip = parseIp(address)
  if (ip === undefined) return undefined
  if (ip.family === 4) return address.split('.').reverse().join('.')
  return [...ip.value.toString(16).padStart(32, '0')].reverse().join('.')
}

const REVERSE = /^(?:(.+)\.)?(in-addr|ip6)\.arpa$/

/**
 * The first and the last address of the reverse zone that contains a name; `undefined` for all
 * other names. Labels that are not part of an address (RFC 2317) are skipped.
 */
export function reverseRange(name: string): readonly [first: string, last: string] | undefined {
  const [, labels, zone] = REVERSE.exec(name) ?? []
  if (labels === undefined) return undefined
  const v4 = zone === 'in-addr'
  const known: string[] = []
  for (const label of labels
    .split('.')
    .reverse()
    .slice(0, v4 ? 4 : 32)) {
    if (!(v4 ? /^\d{1,3}$/.test(label) && Number(label) < 256 : /^[0-9a-f]$/.test(label))) break
    known.push(v4 ? String(Number(label)) : label)
  }
  if (known.length === 0) return undefined
  return v4
    ? [filled(known, 4, '0').join('.'), filled(known, 4, '255').join('.')]
    : [grouped(filled(known, 32, '0')), grouped(filled(known, 32, 'f'))]
}

function filled(parts: readonly string[], length: number, fill: string): readonly string[] {
  return [...parts, ...Array.from({ length: length - parts.length }, () => fill)]
}

function grouped(nibbles: readonly string[]): string {
  return nibbles.join('').replace(/.{4}(?=.)/g, '$&:')
}

/** `udp` falls back to TCP if an answer is truncated. */
export type DnsScheme = 'udp' | 'tcp' | 'tls' | 'https'

export interface NameServer {
  readonly scheme: DnsScheme
  /** Name, or address without brackets. */
  readonly host: string
  readonly port: number
  /** Path and query of an `https` address. */
  readonly path?: string
}

/** DNS over TLS has its own port (RFC 7858, 3.1). */
const PORTS = { udp: 53, tcp: 53, tls: 853, https: 443 } as const

/** Of the examples of RFC 8484, and of most services. */
const HTTPS_PATH = '/dns-query'
const MAX_PATH_CHARACTERS = 500

const SPELLING =
  /^(?:(?<scheme>udp|tcp|tls):\/\/)?(?:\[(?<v6>[^\]]+)\]|(?<host>[^[\]/@]+?))(?::(?<port>\d{1,5}))?\/?$/i

/**
 * Parses `192.0.2.1`, `ns.example.net:5353`, `[2001:db8::1]:53`, `tcp://192.0.2.1`,
 * `tls://dns.example.net` or `https://dns.example.net/dns-query`. `undefined` if the text is not a name
 * server.
 */
export function parseNameServer(text: string): NameServer | undefined {
  if (/^https:/i.test(text)) return parseHttps(text)
  const bare = isIP(text) === 6 ? `[${text}]` : text
  const { scheme = 'udp', v6, host, port } = SPELLING.exec(bare)?.groups ?? {}
  const name = v6 === undefined ? nameOf(host) : isIP(v6) === 6 ? v6 : undefined
  if (name === undefined) return undefined
  const known = scheme.toLowerCase() as DnsScheme
  const number = port === undefined ? PORTS[known] : Number(port)
  if (number < 1 || number > 65_535) return undefined
  return { scheme: known, host: name, port: number }
}

/** The notation that {@link parseNameServer} reads, without `udp://` and the default port. */
export function formatNameServer(server: NameServer): string {
  const { scheme, host, port } = server
  if (scheme === 'https') return urlOf(server)
  const where = hostPort(host, port)
  const short = port === PORTS[scheme] ? where.slice(0, where.lastIndexOf(':')) : where
  return scheme === 'udp' ? short : `${scheme}://${short}`
}

/** The address of a name server over HTTPS. */
export function urlOf({ host, port, path = HTTPS_PATH }: NameServer): string {
  return new URL(`https://${hostPort(host, port)}${path}`).href
}

/** With the variable of a URI template at its end (RFC 8484, 4.1), or without. */
function parseHttps(text: string): NameServer | undefined {
  const address = text.replace(/\{\?dns\}$/, '')
  if (!canParseUrl(address)) return undefined
  const url = new URL(address)
  const path = url.pathname + url.search
  const host = nameOf(url.hostname.replace(/^\[(.*)\]$/, '$1'))
  if (host === undefined || path.length > MAX_PATH_CHARACTERS) return undefined
  if (url.username !== '' || url.password !== '' || /[\s,{}]/.test(address)) return undefined
  const port = url.port === '' ? PORTS.https : Number(url.port)
  if (port < 1) return undefined
  return { scheme: 'https', host, port, path: path === '/' ? HTTPS_PATH : path }
}

function nameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined
  if (isIP(host) !== 0) return host
  // Text that resembles an address but is none (`1.2.3`, `300.1.1.1`) is an error, not a name.
  return /^[\d.]+$/.test(host) || host.includes(':') ? undefined : parseDnsName(host)
}
