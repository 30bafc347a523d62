/**
 * Resolves a host name: the hosts file, then the name servers, then `getaddrinfo` for names that
 * only the system knows (search domains, NSS).
 *
 * @module
 */

import { lookup } from 'node:dns/promises'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ofFamily, toAddress } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import { createHostsFile } from './hosts-file.ts'
import { createSemaphore } from './semaphore.ts'
import { queryAddresses } from './name-servers.ts'
import type { IpFamily } from '../connection/endpoint.ts'
import type { Address } from '../connection/endpoint.ts'
import type { StopSignal } from '../timing/stop.ts'

/** Maximum addresses per name. */
const MAX_ADDRESSES = 16

/**
 * `getaddrinfo` blocks one of the four threads that the whole process shares; half of them stay
 * free.
 */
const LOOKUPS_AT_A_TIME = 2

const LOOPBACK: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

export interface Resolver {
  /**
   * 1 to 16 addresses in the order in which they should be tried.
   *
   * @throws CheckFailure `dns_nxdomain`, `dns_no_records`, `dns_server_failure`, `dns_refused`,
   * `dns_timeout` or `probe_resolver_broken`; the signal's reason when it aborts
   */
  resolve(host: string, ip_family: IpFamily, wait: Wait): Promise<readonly Address[]>
}

export interface Wait {
  readonly signal: StopSignal
  /**
   * Milliseconds until the deadline, if known: name servers are given up early enough to report it.
   */
  readonly within_ms?: number
}

export interface ResolverOptions {
  /**
   * `ip` or `ip:port` (`[ip]:port` for IPv6). Default: those of the system, read again for every
   * name.
   */
  readonly nameservers?: readonly string[]
  /** Path. Default: the system's. */
  readonly hostsFile?: string
  /**
   * Called for names that no name server knows. Default: `getaddrinfo`, or none if `nameservers`
   * are given.
   */
  readonly system?: (host: string) => Promise<readonly Address[]>
  /**
   * Users are not trusted: the system with its search domains is not queried, and error texts name
   * no name server.
   */
  readonly discreet?: boolean
  readonly clock?: Clock
}

export function createResolver(options: ResolverOptions = {}): Resolver {
  const { nameservers, discreet = false, clock = systemClock } = options
  const hosts = createHostsFile(options.hostsFile)
  const semaphore = createSemaphore(LOOKUPS_AT_A_TIME)
  const ofSystem = nameservers === undefined && !discreet ? getaddrinfo : undefined
  const system = options.system ?? ofSystem

  /** `undefined` if the system has no addresses either. */
  async function askSystem(
    host: string,
    ip_family: IpFamily,
    signal: StopSignal,
  ): Promise<readonly Address[] | undefined> {
    if (system === undefined) return undefined
    const all = await semaphore.run(signal, () => system(host).catch(() => []))
    const wanted = ofFamily(all, ip_family)
    return wanted.length > 0 ? wanted : undefined
  }

  async function resolve(
    host: string,
    ip_family: IpFamily,
    { signal, within_ms }: Wait,
  ): Promise<readonly Address[]> {
    signal.throwIfAborted()
    if (host.includes(':') || toAddress(host) !== undefined) return literal(host, ip_family)
    const name = host.toLowerCase().replace(/\.$/, '')
    const local = ofFamily(await hosts.find(name), ip_family)
    if (local.length > 0) return local
    // RFC 6761, 6.3: such names are never sent to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ofFamily(LOOPBACK, ip_family)
    try {
      const query = { name: host, ip_family, nameservers, discreet, clock, signal, within_ms }
      return await queryAddresses(query)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const known = await askSystem(host, ip_family, signal)
      if (known === undefined) throw error
      return known
    }
  }

  return {
    async resolve(host, ip_family, wait) {
      return distinct(await resolve(host, ip_family, wait)).slice(0, MAX_ADDRESSES)
    },
  }
}

/**
 * The addresses of an address literal; empty for a name.
 *
 * @throws CheckFailure for a malformed
 * literal
 */
export function literal(host: string, ip_family: IpFamily): readonly Address[] {
  const address = toAddress(host)
  if (address === undefined) {
    throw new CheckFailure('connect_blocked', `${host} is not an address that can be dialled`)
  }
  const [wanted] = ofFamily([address], ip_family)
  if (wanted !== undefined) return [wanted]
  const names = { 4: 'IPv4', 6: 'IPv6' } as const
  const asked = names[address.family === 4 ? 6 : 4]
  throw new CheckFailure(
    'dns_no_records',
    `${host} is an ${names[address.family]} address, ${asked} is asked for`,
    { phase: 'resolve' },
  )
}

async function getaddrinfo(host: string): Promise<readonly Address[]> {
  const found = await lookup(host, { all: true, verbatim: true })
  return found.flatMap(({ address }) => toAddress(address) ?? [])
}

function isNotFound(error: unknown): boolean {
  return (
    error instanceof CheckFailure &&
    (error.code === 'dns_nxdomain' || error.code === 'dns_no_records')
  )
}

function distinct(addresses: readonly Address[]): readonly Address[] {
  return [...new Map(addresses.map((entry) => [entry.address, entry])).values()]
}
