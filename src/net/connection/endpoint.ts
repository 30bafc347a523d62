/**
 * Canonical spelling of addresses, so that two addresses can be compared as text, and of hosts and
 * ports.
 *
 * @module
 */

import { isIP, isIPv4 } from 'node:net'

/**
 * The address in canonical form: IPv6 compressed and without brackets, IPv4-mapped IPv6 as the IPv4
 * address that it reaches. `undefined` if the text is a name, or an address with a zone id.
 */
export function toAddress(text: string): Address | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  if (isIPv4(bare)) return { address: bare, family: 4 }
  if (isIP(bare) !== 6 || bare.includes('%')) return undefined
  const address = new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(address)
  if (mapped === null) return { address, family: 6 }
  const octets = mapped.slice(1).flatMap((part) => {
    const word = parseInt(part, 16)
    return [word >> 8, word & 255]
  })
  return { address: octets.join('.'), family: 4 }
}

export function ofFamily(addresses: readonly Address[], ip_family: IpFamily): readonly Address[] {
  if (ip_family === 'auto') return addresses
  const family = ip_family === 'ipv4' ? 4 : 6
  return addresses.filter((address) => address.family === family)
}

/** `host:port`, with IPv6 in brackets. */
export function hostPort(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
export interface Address {
  readonly address: string
  readonly family: 4 | 6
}
export type IpFamily = 'auto' | 'ipv4' | 'ipv6'

/**
 * The host of a target, for the limit of checks per host. Reads the target formats of checkers: a
 * URL, `host:port`, a bare name.
 */
export function hostOf(target: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(target)
  if (url?.[1] !== undefined) return url[1].toLowerCase()
  const bare = /^(\[[^\]]*\]|[^:/\s]+)(?::\d+)?/.exec(target)
  return (bare?.[1] ?? target).toLowerCase()
}
