/**
 * Resolves a host name: the hosts file, then the name servers, also below the search domains, then `getaddrinfo` for
 * names that only the system knows (NSS, name servers of one domain).
 *
 * @module
 */

import { lookup } from 'node:dns/promises'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ofFamily, toAddress } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import { createHostsFile } from './hosts-file.ts'
import { queryAddresses } from './name-servers.ts'
import { searchDomains } from './search-domains.ts'
import { lookupsOfProcess } from './system-lookups.ts'
import type { SystemLookups } from './system-lookups.ts'
import type { IpFamily } from '../connection/endpoint.ts'
import type { Address } from '../connection/endpoint.ts'
import type { StopSignal } from '../timing/stop.ts'

/** Maximum addresses per name. */
const MAX_ADDRESSES = 16

const LOOPBACK: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

export interface Resolver {
  /**
   * 1 to 16 addresses in the order in which they should be tried.
   *
   * @throws CheckFailure `dns_nxdomain`, `dns_no_records`, `dns_server_failure`, `dns_refused`,
   * `dns_timeout`, `probe_resolver_broken` or `probe_overloaded`; the signal's reason when it aborts
   */
  resolve(host: string, ip_family: IpFamily, wait: Wait): Promise<readonly Address[]>
}

export interface Wait {
  readonly signal: StopSignal
  /**
   * Milliseconds until the deadline, if known: name servers are given up early enough to report it.
   */
  readonly within_ms?: number
  /** Whose turn a lookup of the system takes. Default: that of the operator. */
  readonly account_id?: number | undefined
}

/** One name on its way through the sources. */
interface Asking {
  readonly host: string
  readonly ip_family: IpFamily
  readonly account_id: number | undefined
  readonly signal: StopSignal
  /** Milliseconds until the deadline, if there is one. */
  readonly left_ms: () => number | undefined
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
  /** Default: those of this process. */
  readonly lookups?: SystemLookups
  /**
   * The file with the search domains. Default: that of the system, or none if `nameservers` are given.
   */
  readonly configuration?: string
  /**
   * Users are not trusted: neither the search domains nor the system are queried, and error texts name
   * no name server.
   */
  readonly discreet?: boolean
  readonly clock?: Clock
}

export function createResolver(options: ResolverOptions = {}): Resolver {
  const { nameservers, discreet = false, clock = systemClock, configuration } = options
  const { lookups = lookupsOfProcess() } = options
  const hosts = createHostsFile(options.hostsFile)
  const asSystem = nameservers === undefined && !discreet
  const system = options.system ?? (asSystem ? getaddrinfo : undefined)
  const isSearching = asSystem || configuration !== undefined

  function queryOne({
    host: name,
    ip_family,
    signal,
    left_ms,
  }: Asking): Promise<readonly Address[]> {
    const query = { name, ip_family, nameservers, discreet, clock, signal, within_ms: left_ms() }
    return queryAddresses(query)
  }

  /** `undefined` if the name is known below no search domain. */
  async function askBelowDomains(asking: Asking): Promise<readonly Address[] | undefined> {
    if (!isSearching || asking.host.endsWith('.')) return undefined
    for (const domain of await searchDomains(configuration)) {
      try {
        return await queryOne({ ...asking, host: `${asking.host}.${domain}` })
      } catch (error) {
        if (!(error instanceof CheckFailure)) throw error
        // The system may know better whom to ask.
        if (!isNotFound(error)) return undefined
      }
    }
    return undefined
  }

  /** `undefined` if the system has no addresses either. */
  async function askSystem(asking: Asking): Promise<readonly Address[] | undefined> {
    if (system === undefined) return undefined
    const { host, account_id, signal, left_ms } = asking
    const request = { host, account_id, signal, within_ms: left_ms(), clock }
    const all = await lookups.run(request, () => system(host).catch(() => []))
    const wanted = ofFamily(all, asking.ip_family)
    return wanted.length > 0 ? wanted : undefined
  }

  async function resolve(
    host: string,
    ip_family: IpFamily,
    { signal, within_ms, account_id }: Wait,
  ): Promise<readonly Address[]> {
    signal.throwIfAborted()
    if (host.includes(':') || toAddress(host) !== undefined) return literal(host, ip_family)
    const until = within_ms === undefined ? undefined : clock.monotonic() + within_ms
    const left_ms = (): number | undefined =>
      until === undefined ? undefined : Math.max(0, until - clock.monotonic())
    const name = host.toLowerCase().replace(/\.$/, '')
    const local = ofFamily(await hosts.find(name), ip_family)
    if (local.length > 0) return local
    // RFC 6761, 6.3: such names are never sent to a name server.
    if (name === 'localhost' || name.endsWith('.localhost')) return ofFamily(LOOPBACK, ip_family)
    const asking = { host, ip_family, account_id, signal, left_ms }
    try {
      return await queryOne(asking)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const known = (await askBelowDomains(asking)) ?? (await askSystem(asking))
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
