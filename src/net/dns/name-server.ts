/**
 * Parses the notation of name servers: `192.0.2.1`, `ns.example.net:5353`, `[2001:db8::1]:53`,
 * `tcp://192.0.2.1`, `tls://dns.example.net`.
 *
 * @module
 */

import { isIP } from 'node:net'
import { hostPort } from '../connection/endpoint.ts'
import { parseDnsName } from './names.ts'

/** `udp` falls back to TCP if an answer is truncated. */
export type DnsScheme = 'udp' | 'tcp' | 'tls'

export interface NameServer {
  readonly scheme: DnsScheme
  /** Name, or address without brackets. */
  readonly host: string
  readonly port: number
}

/** DNS over TLS has its own port (RFC 7858, 3.1). */
const PORTS = { udp: 53, tcp: 53, tls: 853 } as const

const SPELLING =
  /^(?:(?<scheme>udp|tcp|tls):\/\/)?(?:\[(?<v6>[^\]]+)\]|(?<host>[^[\]/@]+?))(?::(?<port>\d{1,5}))?\/?$/i

/** `undefined` if the text is not a name server. */
export function parseNameServer(text: string): NameServer | undefined {
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
export function formatNameServer({ scheme, host, port }: NameServer): string {
  const where = hostPort(host, port)
  const short = port === PORTS[scheme] ? where.slice(0, where.lastIndexOf(':')) : where
  return scheme === 'udp' ? short : `${scheme}://${short}`
}

function nameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined
  if (isIP(host) !== 0) return host
  // Text that resembles an address but is none (`1.2.3`, `300.1.1.1`) is an error, not a name.
  return /^[\d.]+$/.test(host) || host.includes(':') ? undefined : parseDnsName(host)
}
