/**
 * A and AAAA records from the name servers, through c-ares: it can be cancelled, and it does not
 * occupy the threads that `getaddrinfo` does.
 *
 * @module
 */

import { promises } from 'node:dns'
import type { Clock } from '../clock.ts'
import { toAddress } from './endpoint.ts'
import { CheckFailure } from './failure.ts'
import type { Address, IpFamily } from './net.ts'
import { waitFor } from './wait.ts'

/** Patience per name server and try; with two tries a silent server is given up after 3 s. */
const PATIENCE = { timeout: 1000, tries: 2 } as const

/** Once one family has answered, the other one is awaited this long: some servers never answer for AAAA. */
const OTHER_FAMILY_MS = 300

export interface NameQuery {
  readonly name: string
  readonly ip_family: IpFamily
  readonly nameservers: readonly string[] | undefined
  readonly clock: Pick<Clock, 'timer'>
  readonly signal: AbortSignal
}

type Family = 4 | 6
type Answer = { readonly addresses: readonly Address[] } | { readonly error: unknown }

/** @throws CheckFailure by the worst answer of those asked for; the signal's reason when it aborts */
export async function queryAddresses(query: NameQuery): Promise<readonly Address[]> {
  // One per query: `cancel` ends everything that a resolver has under way. Making one takes 0.03 ms.
  const servers = new promises.Resolver(PATIENCE)
  if (query.nameservers !== undefined) servers.setServers(query.nameservers)
  const answers = await ask(servers, query)
  const found = interleave(answers)
  if (found.length > 0) return found
  throw await judge(servers, query, answers)
}

function ask(servers: promises.Resolver, query: NameQuery): Promise<readonly Answer[]> {
  const families: readonly Family[] =
    query.ip_family === 'auto' ? [4, 6] : [query.ip_family === 'ipv4' ? 4 : 6]
  return waitFor<readonly Answer[]>(query.signal, ({ resolve }) => {
    const answers: Answer[] = []
    let grace: { cancel(): void } | undefined
    for (const family of families) {
      void answerOf(servers, query.name, family).then((answer) => {
        answers.push(answer)
        if (answers.length === families.length) resolve(answers)
        else if ('addresses' in answer)
          grace = query.clock.timer(OTHER_FAMILY_MS, () => resolve(answers))
      })
    }
    return () => {
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

async function judge(
  servers: promises.Resolver,
  query: NameQuery,
  answers: readonly Answer[],
): Promise<CheckFailure> {
  const errors = answers.flatMap((answer) => ('error' in answer ? [answer.error] : []))
  const codes = errors.map((error) => (error as NodeJS.ErrnoException).code)
  const options = { phase: 'resolve', cause: errors[0] } as const
  const verdict = VERDICTS.find(([code]) => codes.includes(code))
  const broken = verdict === undefined || (verdict[0] === 'ETIMEOUT' && !(await isAlive(query)))
  if (broken) {
    const list = servers.getServers().join(', ')
    const text = `No name server of this location can be reached (${list || 'none configured'})`
    return new CheckFailure('probe_resolver_broken', text, options)
  }
  const family = { auto: '', ipv4: ' of IPv4', ipv6: ' of IPv6' }[query.ip_family]
  const text = verdict[2].replace('{name}', () => query.name).replace('{family}', family)
  return new CheckFailure(verdict[1], text, options)
}

/**
 * Whether a name server answers at all. One that answers, if only to refuse, for the root but not for
 * a name waits for the servers of that name: their failure, not ours.
 */
async function isAlive({ nameservers, signal }: NameQuery): Promise<boolean> {
  const servers = new promises.Resolver({ timeout: PATIENCE.timeout, tries: 1 })
  if (nameservers !== undefined) servers.setServers(nameservers)
  return waitFor<boolean>(signal, ({ resolve }) => {
    servers.resolveNs('.').then(
      () => resolve(true),
      ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ETIMEOUT' && code !== 'ECONNREFUSED'),
    )
    return () => servers.cancel()
  })
}
