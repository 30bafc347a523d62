/**
 * The address guard: decides which targets of untrusted users the engine connects to. It checks
 * URLs, names and addresses. As a {@link TargetPolicy} it runs at connection time: every resolved
 * address passes it, and the connection goes to exactly that address.
 *
 * @module watchpost/guard
 */

import { isIP } from 'node:net'
import { systemClock } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import { ConfigurationError } from '../../errors.ts'
import { categoryOf, isMetadataAddress, judgeAddress, ownCategoryOf } from './address.ts'
import type { AddressCategory } from './address.ts'
import { readGuardOptions } from './guard-options.ts'
import type { GuardOptions, GuardRules } from './guard-options.ts'
import { contains, nat64IPv4, parseIp, unmapped } from './ip.ts'
import type { Ip } from './ip.ts'
import type { TargetPolicy } from '../net.ts'
import { createResolver } from '../resolve/resolver.ts'
import { parseTargetUrl } from './target-url.ts'
import type { TargetUrl, UrlRefusal } from './target-url.ts'

export type { GuardOptions } from './guard-options.ts'

/** Stable codes; new ones may be added, none is removed. */
export type GuardReason =
  UrlRefusal | AddressCategory | 'blocked_name' | 'denied' | 'unresolvable' | 'too_many_addresses'

export type Refused = { readonly allowed: false; readonly reason: GuardReason }
export type AddressVerdict = { readonly allowed: true } | Refused
export type UrlVerdict = { readonly allowed: true; readonly addresses: readonly string[] } | Refused

/** Resolves a host name to its addresses; an empty list or an error if there are none. */
export type ResolveHost = (host: string) => Promise<readonly string[]> | readonly string[]

export interface CheckUrlOptions {
  /** Default: the hosts file and the name servers of the system. */
  readonly resolve?: ResolveHost | undefined
}

export interface Guard {
  /**
   * Checks everything that is known before a connection: the text of the URL, its name, and every
   * address of that name. One refused address refuses the URL. Resolves within 5 s. A verdict on a
   * name holds for `addresses` only: connect to those, or pass `policy` to the code that connects.
   */
  checkUrl(url: string | URL, options?: CheckUrlOptions): Promise<UrlVerdict>
  checkAddress(address: string): AddressVerdict
  /** {@link Guard.checkUrl} without DNS: a name is checked as a name only. */
  checkUrlText(url: string | URL): { readonly allowed: true; readonly target: TargetUrl } | Refused
  /** The operator has allowed an address or name that is refused by default. */
  readonly opensInside: boolean
  /** For the `network`: checks name and address right before the connection. */
  readonly policy: TargetPolicy
}

/** Maximum addresses per name; a longer answer is suspicious. */
const MAX_ADDRESSES = 16
const RESOLVE_MS = 5000

/**
 * Refuses everything but public unicast addresses, unless allowed.
 *
 * @throws ConfigurationError for a wrong or unknown option
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const rules = readGuardOptions(options)
  const clock = options.clock ?? systemClock

  function checkUrlText(url: string | URL): ReturnType<Guard['checkUrlText']> {
    const target = parseTargetUrl(String(url))
    if (typeof target === 'string') return refused(target)
    if (rules.ports !== undefined && !rules.ports.has(target.port)) return refused('port')
    const reason =
      isIP(target.host) === 0
        ? judgeName(rules, target.host)
        : judge(rules, target.host, target.host)
    return reason === undefined ? { allowed: true, target } : refused(reason)
  }

  async function checkUrl(url: string | URL, given: CheckUrlOptions = {}): Promise<UrlVerdict> {
    const read = checkUrlText(url)
    if (!read.allowed) return read
    const { host } = read.target
    if (isIP(host) !== 0) return { allowed: true, addresses: [host] }
    const addresses = await addressesOf(host, given.resolve, clock)
    if (addresses.length === 0) return refused('unresolvable')
    if (addresses.length > MAX_ADDRESSES) return refused('too_many_addresses')
    for (const address of addresses) {
      const reason = judge(rules, host, address)
      if (reason !== undefined) return refused(reason)
    }
    return { allowed: true, addresses }
  }

  return {
    checkUrl,
    checkUrlText,
    checkAddress(address) {
      const reason = judge(rules, address, address)
      return reason === undefined ? { allowed: true } : refused(reason)
    },
    opensInside: rules.allowed.length > 0 || rules.hosts.size > 0,
    policy: ({ host, address }) =>
      judgeName(rules, canonicalName(host)) ?? judge(rules, canonicalName(host), address),
  }
}

/** The operator's rule for targets of checks. */
export type TargetRule = 'open' | 'public' | TargetPolicy

/**
 * The policy for targets of checks. `open`: everything except metadata services of clouds, for
 * operators who monitor their own network. `public`: what {@link createGuard} allows. A function
 * decides alone.
 */
export function targetPolicy(targets: TargetRule, options: GuardOptions = {}): TargetPolicy {
  if (typeof targets === 'function') return targets
  if (targets === 'public') return createGuard(options).policy
  if ((targets as string) !== 'open') {
    throw new ConfigurationError(`targets: "open", "public" or a function is expected`)
  }
  const rules = readGuardOptions(options)
  return ({ host, address }) =>
    isMetadataAddress(address) && judge(rules, canonicalName(host), address) !== undefined
      ? 'metadata'
      : undefined
}

/**
 * Names of this machine or its network, whatever they resolve to (RFC 6761, 6762, 7686, 8375,
 * 9476).
 */
const BLOCKED_SUFFIX = /(?:^|\.)(?:localhost|local|internal|localdomain|home\.arpa|onion)$/
const BLOCKED_NAMES = new Set(['ip6-localhost', 'ip6-loopback'])

function judgeName(rules: GuardRules, name: string): 'blocked_name' | undefined {
  if (rules.hosts.has(name)) return undefined
  return BLOCKED_NAMES.has(name) || BLOCKED_SUFFIX.test(name) ? 'blocked_name' : undefined
}

function judge(rules: GuardRules, host: string, address: string): GuardReason | undefined {
  const ip = parseIp(address)
  if (ip === undefined) return judgeAddress(address)
  return judgeIp(rules, ip, rules.hosts.get(host)?.anyAddress === true)
}

function judgeIp(rules: GuardRules, ip: Ip, anyAddress: boolean): GuardReason | undefined {
  const meant = unmapped(ip)
  if (rules.denied.some((range) => contains(range, meant))) return 'denied'
  const translated = nat64IPv4(meant)
  if (translated !== undefined) {
    return rules.nat64 ? judgeIp(rules, translated, anyAddress) : 'nat64'
  }
  // Checked first, so that a wide entry of the allow-list does not open this machine under an
  // alternative spelling of its address.
  const own = ownCategoryOf(meant)
  if (own !== undefined) return rules.allowedOwn(meant) ? undefined : own
  const isOpened = anyAddress || rules.allowed.some((range) => contains(range, meant))
  return isOpened ? undefined : categoryOf(meant)
}

async function addressesOf(
  host: string,
  resolve: ResolveHost | undefined,
  clock: Clock,
): Promise<readonly string[]> {
  const late = new AbortController()
  const timer = clock.timer(RESOLVE_MS, () => late.abort())
  const ask = resolve ?? ((name) => askSystem(name, clock, late.signal))
  try {
    return await Promise.race([ask(host), aborted(late.signal)])
  } catch {
    return []
  } finally {
    timer.cancel()
  }
}

async function askSystem(
  host: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<readonly string[]> {
  // Discreet: whoever saves a contact does not have this machine look up names, which cannot be cancelled.
  const found = await createResolver({ clock, discreet: true }).resolve(host, 'auto', {
    signal,
    within_ms: RESOLVE_MS,
  })
  return found.map(({ address }) => address)
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

function canonicalName(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}

function refused(reason: GuardReason): Refused {
  return { allowed: false, reason }
}
