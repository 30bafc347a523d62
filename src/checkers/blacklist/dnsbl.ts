/**
 * Queries DNS blocklists (RFC 5782). A list is used only after its self-test has passed, and only
 * codes that mean a listing count.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import { reversedLabels } from '../../net/dns/names.ts'
import { parseCidr, parseIp, contains } from '../../net/guard/ip.ts'
import type { DnsAnswer, DnsQuery } from '../../net/net.ts'
import type { CheckContext } from '../checker.ts'
import type { ListKind } from './catalogue.ts'
import { createCache, createPacer } from './pacer.ts'
import type { SelectedList } from './selection.ts'

/**
 * Why a list gave no usable answer. `blocked`: it refuses the query (rate limit, or a public
 * resolver); `selftest_failed`: it lists what it must not, or lacks its test entry; `hijacked`: the
 * answer is not a code of a list; `busy`: the rate limit would delay the query beyond the deadline.
 */
export type ListError =
  'blocked' | 'selftest_failed' | 'timeout' | 'failed' | 'hijacked' | 'busy' | 'not_applicable'

export type Lookup =
  | { readonly state: 'clean' }
  | { readonly state: 'listed'; readonly codes: readonly string[]; readonly reason: string | null }
  | { readonly state: 'error'; readonly error: ListError }

export interface Entry {
  readonly kind: ListKind
  /** Address or name. */
  readonly what: string
}

export type DnsblContext = Pick<CheckContext, 'account_id' | 'net' | 'clock' | 'signal'>

export interface DnsblClient {
  /**
   * Whether the list works for entries of this kind; a success is cached for a day, a failure for
   * 15 minutes.
   */
  selfTest(ctx: DnsblContext, list: SelectedList, ask: Asking): Promise<ListError | null>
  lookUp(ctx: DnsblContext, list: SelectedList, ask: Asking): Promise<Lookup>
}

export interface Asking {
  readonly entry: Entry
  /** Milliseconds left for the query. */
  readonly left: () => number
}

export interface DnsblOptions {
  readonly nameservers?: readonly string[]
  /** Minimum time between two queries to one zone. */
  readonly paceMs: number
}

/** At most as long as the lists let resolvers cache an answer. */
const CACHE_MS = 15 * 60_000
const WORKING_MS = 24 * 3_600_000
const CACHE_ENTRIES = 10_000

/** Timeout of one query; the servers of some lists are slow, those of dead lists silent. */
const QUERY_MS = 5000

const REASON_CHARACTERS = 300

/** Lists give a few. A hostile server gives thousands, and every cached answer holds them. */
const MAX_CODES = 20

const CODES = parseCidr('127.0.0.0/8')
/** The range by which lists signal an error instead of a listing (Spamhaus: 252, 254, 255). */
const REFUSALS = parseCidr('127.255.255.0/24')

export function createDnsblClient({ nameservers, paceMs }: DnsblOptions): DnsblClient {
  const pacer = createPacer(paceMs)
  const answers = createCache<Lookup>(CACHE_ENTRIES)
  const tests = createCache<{ readonly error: ListError | null }>(CACHE_ENTRIES)
  // Lists answer with loopback addresses as codes (RFC 5782, 2.1), which must not be filtered.
  const servers = nameservers === undefined ? { unshown: true } : { nameservers, trusted: true }

  async function lookUp(ctx: DnsblContext, list: SelectedList, ask: Asking): Promise<Lookup> {
    const name = queryName(list.zone, ask.entry)
    const cached = answers.get(name, ctx.clock.now())
    if (cached !== undefined) return cached
    if (!(await pacer.turn(list.zone, ctx, ask.left()))) return failure('busy')
    // Another check may have queried the same name while this one waited.
    const meanwhile = answers.get(name, ctx.clock.now())
    if (meanwhile !== undefined) return meanwhile
    const found = await query(ctx, list, { name, left: ask.left })
    if (found.state !== 'error') answers.set(name, found, ctx.clock.now() + CACHE_MS)
    return found
  }

  async function query(
    { net }: DnsblContext,
    list: SelectedList,
    { name, left }: { readonly name: string; readonly left: () => number },
  ): Promise<Lookup> {
    const timeout_ms = Math.min(QUERY_MS, left())
    if (timeout_ms <= 0) return failure('timeout')
    const { vouched } = list
    const asked = { name, timeout_ms, vouched, ...servers } satisfies Partial<DnsQuery>
    try {
      const found = read(list, await net.dns({ ...asked, type: 'A' }))
      if (found.state !== 'listed') return found
      const reason = await net.dns({ ...asked, type: 'TXT' }).then(reasonOf, () => null)
      return { ...found, reason }
    } catch (error) {
      if (!(error instanceof CheckFailure)) throw error
      return failure(error.code === 'dns_timeout' ? 'timeout' : 'failed')
    }
  }

  async function runTest(
    ctx: DnsblContext,
    list: SelectedList,
    { entry, left }: Asking,
  ): Promise<ListError | null> {
    const { listed, unlisted } = testEntries(list, entry.kind)
    const positive = await lookUp(ctx, list, { entry: { ...entry, what: listed }, left })
    if (positive.state === 'error') return positive.error
    if (positive.state === 'clean') return 'selftest_failed'
    const negative = await lookUp(ctx, list, { entry: { ...entry, what: unlisted }, left })
    if (negative.state === 'error') return negative.error
    return negative.state === 'listed' ? 'selftest_failed' : null
  }

  return {
    lookUp,
    async selfTest(ctx, list, ask) {
      const key = `${ask.entry.kind} ${list.zone}`
      const known = tests.get(key, ctx.clock.now())
      if (known !== undefined) return known.error
      const error = await runTest(ctx, list, ask)
      const ours = error === 'busy' || error === 'timeout' || error === 'failed'
      const keep_ms = error === null ? WORKING_MS : CACHE_MS
      if (!ours) tests.set(key, { error }, ctx.clock.now() + keep_ms)
      return error
    },
  }
}

/** RFC 5782: 2.1 and 2.4 for addresses, 3.1 for names. */
function queryName(zone: string, { kind, what }: Entry): string {
  return `${kind === 'domain' ? what : (reversedLabels(what) ?? what)}.${zone}`
}

/** RFC 5782, 5: an entry that every list has, and one that no list may have. */
function testEntries(
  list: SelectedList,
  kind: ListKind,
): { readonly listed: string; readonly unlisted: string } {
  if (list.selfTest !== undefined) return list.selfTest
  if (kind === 'ipv4') return { listed: '127.0.0.2', unlisted: '127.0.0.1' }
  if (kind === 'ipv6') return { listed: '::ffff:7f00:2', unlisted: '::ffff:7f00:1' }
  return { listed: 'test', unlisted: 'invalid' }
}

function read(list: SelectedList, { rcode, records }: DnsAnswer): Lookup {
  if (rcode === 'NXDOMAIN') return { state: 'clean' }
  if (rcode === 'REFUSED') return failure('blocked')
  if (rcode !== 'NOERROR') return failure('failed')
  const addresses = records.filter(({ type }) => type === 'A').map(({ value }) => value)
  const codes = [...new Set(addresses.filter((address) => isIn(CODES, address)))].sort()
  const refusal = (code: string): boolean =>
    isIn(REFUSALS, code) || list.refusals?.includes(code) === true
  if (codes.some(refusal)) return failure('blocked')
  if (codes.length > 0) return { state: 'listed', codes: codes.slice(0, MAX_CODES), reason: null }
  // Resolvers that redirect unknown names to an advertising page answer with that page's address.
  return addresses.length > 0 ? failure('hijacked') : { state: 'clean' }
}

function isIn(range: typeof CODES, address: string): boolean {
  const ip = parseIp(address)
  return ip !== undefined && contains(range, ip)
}

function reasonOf({ records }: DnsAnswer): string | null {
  const text = records.find(({ type }) => type === 'TXT')?.value
  if (text === undefined) return null
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, REASON_CHARACTERS)
}

function failure(error: ListError): Lookup {
  return { state: 'error', error }
}
