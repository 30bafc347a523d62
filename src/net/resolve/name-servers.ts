/**
 * A and AAAA records from the name servers, through c-ares: it can be cancelled, and it does not
 * occupy the threads that `getaddrinfo` does.
 *
 * @module
 */

import { getServers, promises } from 'node:dns'
import type { Clock } from '../../clock.ts'
import { toAddress } from '../connection/endpoint.ts'
import { CheckFailure } from '../failure.ts'
import type { IpFamily } from '../connection/endpoint.ts'
import type { Address } from '../connection/endpoint.ts'
import { waitFor } from '../timing/wait.ts'
import type { StopSignal } from '../timing/stop.ts'

/** Patience per name server and try; with two tries a silent server is given up after 3 to 4 s. */
const PATIENCE_MS = { most: 1000, least: 250 } as const
const TRIES = 2

/**
 * Shares of the time that is left for asking, then for asking for the root, then for asking again: a check
 * that is over before its silent name servers are found out would blame its target.
 */
const SHARE = { name: 0.6, root: 0.15, again: 0.15 } as const

/** Once one family has answered, the other one is awaited this long: some servers never answer for AAAA. */
const OTHER_FAMILY_MS = 300

export interface NameQuery {
  readonly name: string
  readonly ip_family: IpFamily
  readonly nameservers: readonly string[] | undefined
  /** Texts of failures name no name server. */
  readonly discreet: boolean
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: StopSignal
  /** Milliseconds left for the whole check, if that is bounded. */
  readonly within_ms?: number | undefined
}

type Family = 4 | 6
/** As c-ares says it. */
const OVERDUE = { code: 'ETIMEOUT' } as const

type Answer = { readonly addresses: readonly Address[] } | { readonly error: unknown }

/** @throws CheckFailure by the worst answer of those asked for; the signal's reason when it aborts */
export async function queryAddresses(query: NameQuery): Promise<readonly Address[]> {
  const answers = await ask(query, { tries: TRIES, share: SHARE.name })
  const found = interleave(answers)
  if (found.length > 0) return found
  const code = worstOf(answers)
  if (code !== 'ETIMEOUT' && code !== 'ESERVFAIL') throw failureOf(query, answers)
  if (isOurs(code, await askForRoot(query))) throw brokenResolver(query, answers)
  // Lost on its way, or asked a moment before the servers had their own network back.
  const second = await ask(query, { tries: 1, share: SHARE.again })
  const late = interleave(second)
  if (late.length > 0) return late
  throw failureOf(query, second)
}

function serversFor({ nameservers, within_ms = Infinity }: NameQuery, tries: number) {
  const { least, most } = PATIENCE_MS
  const timeout = Math.round(Math.min(most, Math.max(least, within_ms / 8)))
  const servers = new promises.Resolver({ timeout, tries })
  if (nameservers !== undefined) servers.setServers(nameservers)
  return servers
}

/** Told after this share of the time that is left; never, where that is not bounded. */
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
  // One per query: `cancel` ends everything that a resolver has under way. Making one takes 0.03 ms.
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

/** IPv4 first, then by turns: of four addresses that are tried, both families get their share. */
function interleave(answers: readonly Answer[]): readonly Address[] {
  const all = answers.flatMap((answer) => ('addresses' in answer ? answer.addresses : []))
  const v4 = all.filter(({ family }) => family === 4)
  const v6 = all.filter(({ family }) => family === 6)
  const turns = Array.from({ length: Math.max(v4.length, v6.length) }, (_, turn) => turn)
  return turns.flatMap((turn) => [v4[turn] ?? [], v6[turn] ?? []].flat())
}

/** c-ares codes, the one that leaves most in the dark first: that of the other family is then no answer. */
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
 * Whether it is our name servers that are in trouble. One that answers, if only to refuse, for the root but
 * not for a name waits for the servers of that name: their failure, not ours. One that fails for the root
 * as well has lost its way to everybody.
 */
function isOurs(code: 'ETIMEOUT' | 'ESERVFAIL', root: string | null): boolean {
  if (code === 'ESERVFAIL') return root === 'ESERVFAIL'
  return root === 'ETIMEOUT' || root === 'ECONNREFUSED'
}

/** What the name servers say of the root: a code of c-ares, `null` for an answer. */
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
