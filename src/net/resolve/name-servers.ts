/**
 * A and AAAA records from the name servers through c-ares, which is cancellable and does not occupy
 * the threads that `getaddrinfo` uses.
 *
 * @module
 */

import { getServers, promises } from 'node:dns'
import type { Clock } from '../../clock.ts'
import { toAddress } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import type { IpFamily, Address } from '../connection/endpoint.ts'
import { waitFor } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'

/**
 * Timeout per name server and attempt; with two attempts a silent server is given up after 3 to 4
 * s.
 */
const TIMEOUT_MS = { most: 1000, least: 250 } as const
const TRIES = 2

/**
 * Shares of the remaining time for the query, for a query of the root, and for a retry: the check
 * must identify a silent name server before its deadline, or the failure would be attributed to the
 * target.
 */
const SHARE = { name: 0.6, root: 0.15, again: 0.15 } as const

/**
 * After one family has answered, how long to wait for the other: some servers never answer AAAA
 * queries.
 */
const OTHER_FAMILY_MS = 300

export interface NameQuery {
  readonly name: string
  readonly ip_family: IpFamily
  readonly nameservers: readonly string[] | undefined
  /** Error texts do not name the name servers. */
  readonly discreet: boolean
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
  /** Milliseconds until the deadline of the check, if there is one. */
  readonly within_ms?: number | undefined
}

type Family = 4 | 6
/** The error code of c-ares. */
const OVERDUE = { code: 'ETIMEOUT' } as const

type Answer = { readonly addresses: readonly Address[] } | { readonly error: unknown }

/**
 * @throws CheckFailure for the worst answer of the queried families; the signal's reason when it
 * aborts
 */
export async function queryAddresses(query: NameQuery): Promise<readonly Address[]> {
  const answers = await ask(query, { tries: TRIES, share: SHARE.name })
  const found = interleave(answers)
  if (found.length > 0) return found
  const code = worstOf(answers)
  if (code !== 'ETIMEOUT' && code !== 'ESERVFAIL') throw failureOf(query, answers)
  if (isOurs(code, await askForRoot(query))) throw brokenResolver(query, answers)
  // The packet was lost, or the name servers had a short outage.
  const second = await ask(query, { tries: 1, share: SHARE.again })
  const late = interleave(second)
  if (late.length > 0) return late
  throw failureOf(query, second)
}

function serversFor({ nameservers, within_ms = Infinity }: NameQuery, tries: number) {
  const { least, most } = TIMEOUT_MS
  const timeout = Math.round(Math.min(most, Math.max(least, within_ms / 8)))
  const servers = new promises.Resolver({ timeout, tries })
  if (nameservers !== undefined) servers.setServers(nameservers)
  return servers
}

/** Fires after this share of the remaining time; never without a deadline. */
function overdue(
  { clock, within_ms }: NameQuery,
  share: number,
  give_up: () => void,
): { cancel(): void } {
  return within_ms === undefined
    ? { cancel: () => undefined }
    : clock.timer(within_ms * share, give_up)
}

interface Asking {
  readonly tries: number
  readonly share: number
}

function ask(query: NameQuery, { tries, share }: Asking): Promise<readonly Answer[]> {
  // One resolver per query: `cancel` ends all queries of a resolver. Creating one takes 0.03 ms.
  const servers = serversFor(query, tries)
  const families: readonly Family[] =
    query.ip_family === 'auto' ? [4, 6] : [query.ip_family === 'ipv4' ? 4 : 6]
  return waitFor<readonly Answer[]>(query.signal, ({ resolve }) => {
    const answers: Answer[] = []
    let grace: { cancel(): void } | undefined
    const late = overdue(query, share, () => resolve([...answers, { error: OVERDUE }]))
    for (const family of families) {
      void answerOf(servers, query.name, family).then((answer) => {
        answers.push(answer)
        if (answers.length === families.length) resolve(answers)
        else if ('addresses' in answer)
          grace = query.clock.timer(OTHER_FAMILY_MS, () => resolve(answers))
      })
    }
    return () => {
      late.cancel()
      grace?.cancel()
      servers.cancel()
    }
  })
}

async function answerOf(servers: promises.Resolver, name: string, family: Family): Promise<Answer> {
  try {
    const texts = await (family === 4 ? servers.resolve4(name) : servers.resolve6(name))
    return { addresses: texts.flatMap((text) => toAddress(text) ?? []) }
  } catch (error) {
    return { error }
  }
}

/** Alternates the families, IPv4 first, so that the four addresses that are tried include both. */
function interleave(answers: readonly Answer[]): readonly Address[] {
  const all = answers.flatMap((answer) => ('addresses' in answer ? answer.addresses : []))
  const v4 = all.filter(({ family }) => family === 4)
  const v6 = all.filter(({ family }) => family === 6)
  const turns = Array.from({ length: Math.max(v4.length, v6.length) }, (_, turn) => turn)
  return turns.flatMap((turn) => [v4[turn] ?? [], v6[turn] ?? []].flat())
}

/**
 * c-ares codes, the least informative first: one family with such a code makes the whole answer
 * unusable.
 */
const VERDICTS = [
  ['ETIMEOUT', 'dns_timeout', 'No name server answered for {name} in time'],
  ['ESERVFAIL', 'dns_server_failure', 'The name servers of {name} answered with a failure'],
  ['EFORMERR', 'dns_server_failure', 'The name server could not read the query for {name}'],
  ['EBADRESP', 'dns_server_failure', 'The name server sent a malformed answer for {name}'],
  ['ENOTIMP', 'dns_server_failure', 'The name server does not implement the query for {name}'],
  ['EREFUSED', 'dns_refused', 'The name server refused to answer for {name}'],
  ['ENOTFOUND', 'dns_nxdomain', '{name} does not exist'],
  ['EBADNAME', 'dns_nxdomain', '{name} is not a valid host name'],
  ['ENODATA', 'dns_no_records', '{name} has no address{family}'],
] as const

function worstOf(answers: readonly Answer[]): string | undefined {
  const codes = errorsOf(answers).map((error) => (error as NodeJS.ErrnoException).code)
  return VERDICTS.find(([code]) => codes.includes(code))?.[0]
}

function errorsOf(answers: readonly Answer[]): unknown[] {
  return answers.flatMap((answer) => ('error' in answer ? [answer.error] : []))
}

function failureOf(query: NameQuery, answers: readonly Answer[]): CheckFailure {
  const worst = worstOf(answers)
  const verdict = VERDICTS.find(([code]) => code === worst)
  if (verdict === undefined) return brokenResolver(query, answers)
  const family = { auto: '', ipv4: ' of IPv4', ipv6: ' of IPv6' }[query.ip_family]
  const text = verdict[2].replace('{name}', () => query.name).replace('{family}', family)
  return new CheckFailure(verdict[1], text, { phase: 'resolve', cause: errorsOf(answers)[0] })
}

function brokenResolver(
  { nameservers, discreet }: NameQuery,
  answers: readonly Answer[],
): CheckFailure {
  const list = (nameservers ?? getServers()).join(', ') || 'none configured'
  const which = discreet ? '' : ` (${list})`
  const text = `No name server of this location answers as it should${which}`
  const options = { phase: 'resolve', cause: errorsOf(answers)[0] } as const
  return new CheckFailure('probe_resolver_broken', text, options)
}

/**
 * Whether the location's own name servers fail. If one answers a query of the root, even with
 * REFUSED, but not the name, it waits for the name servers of that name: their failure. If the root
 * query fails as well, the location's name servers have no upstream.
 */
function isOurs(code: 'ETIMEOUT' | 'ESERVFAIL', root: string | null): boolean {
  if (code === 'ESERVFAIL') return root === 'ESERVFAIL'
  return root === 'ETIMEOUT' || root === 'ECONNREFUSED'
}

/** The result of querying the root: a code of c-ares, `null` for an answer. */
async function askForRoot(query: NameQuery): Promise<string | null> {
  const servers = serversFor(query, 1)
  return waitFor<string | null>(query.signal, ({ resolve }) => {
    servers.resolveNs('.').then(
      () => resolve(null),
      ({ code }: NodeJS.ErrnoException) => resolve(code ?? null),
    )
    const late = overdue(query, SHARE.root, () => resolve(OVERDUE.code))
    return () => {
      late.cancel()
      servers.cancel()
    }
  })
}
