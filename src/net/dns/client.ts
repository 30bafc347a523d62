/**
 * The DNS client of one check: name servers in order, each tried twice over UDP, and over TCP if an
 * answer is truncated.
 *
 * @module
 */

import { getServers } from 'node:dns'
import { CheckFailure } from '../failure.ts'
import type { DnsAnswer, DnsAttempt, DnsQuery } from '../net.ts'
import { createAsker, UNNAMED } from './ask.ts'
import type { Asker, AskerParts, Place } from './ask.ts'
import type { Inside } from './inside.ts'
import type { CodecLoader, Question, Reply } from './message.ts'
import { formatNameServer, parseNameServer, parseDnsName } from './names.ts'
import type { NameServer } from './names.ts'

/** Maximum time per attempt while other name servers remain. */
const TIMEOUT_MS = 3000

/**
 * Part of the deadline reserved for testing whether a silent name server of the location answers at
 * all.
 */
const ALIVE_MS = 1000

/** Part of the deadline reserved for reporting that there was no answer. */
const LAST_WORDS_MS = 100

export interface DnsParts extends AskerParts {
  readonly codec: CodecLoader
  /** `planOf`, cached per query. */
  readonly planned: (query: DnsQuery) => Plan
  /** Loads a package; the time it takes is not measured as part of the check. */
  readonly loading: <T>(work: () => Promise<T>) => Promise<T>
  /** Milliseconds until the deadline of the check. */
  readonly deadlineIn: () => number
  /** Name servers of the location; default: those of the system, read again for every query. */
  readonly nameservers?: readonly string[] | undefined
  /**
   * Set if users are not trusted: restricts their queries and answers to public names and
   * addresses.
   */
  readonly inside?: Inside | undefined
}

export interface DnsClient {
  query(query: DnsQuery): Promise<DnsAnswer>
}

export function createDnsClient(parts: DnsParts): DnsClient {
  return { query: (query) => ask(parts, query) }
}

interface Asking {
  readonly parts: DnsParts
  /** Shown instead of the addresses of the name servers. */
  readonly called: string | undefined
  readonly asker: Asker
  readonly question: Question
}

async function ask(parts: DnsParts, query: DnsQuery): Promise<DnsAnswer> {
  const plan = parts.planned(query)
  const { question } = plan
  const own = query.nameservers === undefined
  const inside = own && query.unshown !== true ? parts.inside : undefined
  const operators = own || query.trusted === true
  if (operators && query.vouched !== true) parts.inside?.refuse(question.name)
  const asker = createAsker(parts, await parts.codec(parts.loading))
  const called = operators && parts.inside !== undefined ? UNNAMED : undefined
  const asking = { parts, question, asker, called }
  // The system's name servers may have changed since the last query.
  const servers = plan.servers ?? readNameServers(parts.nameservers ?? getServers())
  const reserve_ms = Math.min(own ? ALIVE_MS : LAST_WORDS_MS, parts.deadlineIn() / 4)
  const budget_ms = Math.min(parts.deadlineIn() - reserve_ms, query.timeout_ms ?? Infinity)
  const outcome = await askInTurn(asking, { servers, trusted: operators, budget_ms })
  if ('answer' in outcome) {
    const { answer } = outcome
    return inside === undefined ? answer : parts.inTurns(inside.clear(answer))
  }
  throw own ? await blame(asking, servers, outcome.failures) : firstOf(outcome.failures)
}

interface ServerList {
  readonly servers: readonly NameServer[]
  readonly trusted: boolean
  readonly budget_ms: number
}

/** `failures`: of each name server, in order. */
type Outcome = { readonly answer: DnsAnswer } | { readonly failures: readonly CheckFailure[] }

async function askInTurn(asking: Asking, list: ServerList): Promise<Outcome> {
  const { clock, signal } = asking.parts
  const until = clock.monotonic() + list.budget_ms
  const attempts: DnsAttempt[] = []
  let undecided: DnsAnswer | undefined
  const failures: CheckFailure[] = []
  for (const [index, server] of list.servers.entries()) {
    const later = list.servers.length - index - 1
    const from = clock.monotonic()
    const timeoutFor = (tries: number): number => {
      const left = Math.max(1, until - clock.monotonic())
      const share = left / (tries + 2 * later)
      return tries + later === 1 ? left : Math.min(share, TIMEOUT_MS)
    }
    const note = (result: string): void => {
      const duration_ms = Math.round(clock.monotonic() - from)
      attempts.push({ server: asking.called ?? formatNameServer(server), result, duration_ms })
    }
    try {
      const { reply, place } = await askServer(asking, {
        server,
        trusted: list.trusted,
        timeoutFor,
      })
      note(reply.rcode)
      const answer = { ...describe(asking.question, reply, place), attempts }
      if (decides(reply)) return { answer }
      undecided ??= answer
    } catch (error) {
      if (signal.aborted || !(error instanceof CheckFailure)) throw error
      note(error.code)
      failures.push(error)
    }
  }
  if (undecided !== undefined) return { answer: undecided }
  return { failures }
}

/** Whether this answer is final; otherwise the next name server is queried. */
function decides({ rcode }: Reply): boolean {
  return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
}

interface OneServer {
  readonly server: NameServer
  readonly trusted: boolean
  /** The time to wait for the first of the remaining attempts at this server. */
  readonly timeoutFor: (tries: number) => number
}

async function askServer(
  { asker, question, parts, called }: Asking,
  { server, trusted, timeoutFor }: OneServer,
): Promise<{ readonly reply: Reply; readonly place: Pick<Place, 'server' | 'scheme'> }> {
  if (server.scheme === 'https') {
    const place = { ...server, server: called ?? formatNameServer(server) }
    return { reply: await asker.overHttps(question, place, timeoutFor(1)), place }
  }
  const found = asker.placed(server, trusted) ?? (await asker.locate(server))
  const place = called === undefined ? found : { ...found, server: called }
  if (server.scheme !== 'udp') {
    return { reply: await asker.overStream(question, place, timeoutFor(1)), place }
  }
  let reply: Reply
  try {
    reply = await asker.overUdp(question, place, timeoutFor(2))
  } catch (error) {
    const lost = error instanceof CheckFailure && error.code === 'dns_timeout'
    if (!lost || parts.signal.aborted) throw error
    reply = await asker.overUdp(question, place, timeoutFor(1))
  }
  if (!reply.truncated) return { reply, place }
  const overTcp = { ...place, scheme: 'tcp' } as const
  const whole = await asker.overStream(question, overTcp, timeoutFor(1))
  return { reply: { ...whole, truncated: true }, place: overTcp }
}

function describe(
  { name, type }: Question,
  reply: Reply,
  place: Pick<Place, 'server' | 'scheme'>,
): Omit<DnsAnswer, 'attempts'> {
  return { name, type, ...reply, server: place.server, transport: place.scheme }
}

/**
 * A failure of the location's own name servers is a failure of the location. If one still answers
 * for the root, even with REFUSED, it was waiting for the name servers of the queried name.
 */
async function blame(
  { parts, asker, called }: Asking,
  servers: readonly NameServer[],
  failures: readonly CheckFailure[],
): Promise<CheckFailure> {
  const malformed = failures.find(({ code }) => code === 'dns_malformed')
  if (malformed !== undefined) return malformed
  const silence = failures.find(({ code }) => code === 'dns_timeout')
  if (silence !== undefined) {
    const question = { name: '.', type: 'NS', recursion: true } as const
    const each = servers.map(async (server) => {
      const timeout_ms = Math.max(1, Math.min(ALIVE_MS, parts.deadlineIn() - LAST_WORDS_MS))
      const found = asker.placed(server, true) ?? (await asker.locate(server))
      const place = called === undefined ? found : { ...found, server: called }
      await asker.overUdp(question, place, timeout_ms)
    })
    if ((await Promise.allSettled(each)).some(({ status }) => status === 'fulfilled')) {
      return silence
    }
  }
  parts.signal.throwIfAborted()
  const list = servers.map(formatNameServer).join(', ') || 'none configured'
  const which = called === undefined ? ` (${list})` : ''
  const text = `No name server of this location can be reached${which}`
  return new CheckFailure('probe_resolver_broken', text, {
    phase: 'resolve',
    cause: firstOf(failures),
  })
}

function firstOf([failure]: readonly CheckFailure[]): CheckFailure {
  if (failure !== undefined) return failure
  return new CheckFailure('dns_nameserver_unresolvable', 'There is no name server to ask', {
    phase: 'resolve',
  })
}

/** Maximum number of name servers queried. */
const MAX_SERVERS = 8

export interface Plan {
  readonly question: Question
  /** `undefined` where the query names none. */
  readonly servers: readonly NameServer[] | undefined
}

/**
 * Prepares a query before it is sent: the canonical name and the parsed name servers. The result is
 * cached, since a check repeats the same query.
 *
 * @throws CheckFailure `dns_nxdomain`, `dns_nameserver_unresolvable` for an invalid name or name
 * server
 */
export function planOf(query: DnsQuery): Plan {
  const { name: text, type, recursion = true, validated, unchecked, nameservers } = query
  const name = parseDnsName(text)
  if (name === undefined) {
    throw new CheckFailure('dns_nxdomain', `${text} is not a valid name`, { phase: 'resolve' })
  }
  const servers = nameservers === undefined ? undefined : readNameServers(nameservers)
  return { question: { name, type, recursion, validated, unchecked }, servers }
}

/** @throws CheckFailure `dns_nameserver_unresolvable` */
function readNameServers(texts: readonly string[]): readonly NameServer[] {
  return texts.slice(0, MAX_SERVERS).map((text) => {
    const server = parseNameServer(text)
    if (server !== undefined) return server
    throw new CheckFailure('dns_nameserver_unresolvable', `"${text}" is not a name server`, {
      phase: 'resolve',
    })
  })
}
