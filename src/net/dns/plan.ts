/**
 * What can be said of a query before anybody is asked: the name in its canonical form, the name servers
 * taken apart. Checks ask the same query again and again, so it is worked out once.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { DnsQuery } from '../net.ts'
import type { Question } from './message.ts'
import { parseNameServer } from './name-server.ts'
import type { NameServer } from './name-server.ts'
import { parseDnsName } from './names.ts'

/** Name servers asked at most. */
const MAX_SERVERS = 8

export interface Plan {
  readonly question: Question
  /** `undefined` where the query names none. */
  readonly servers: readonly NameServer[] | undefined
}

/** @throws CheckFailure `dns_nxdomain`, `dns_nameserver_unresolvable` for what can be no name, no name server */
export function planOf({ name: text, type, recursion = true, nameservers }: DnsQuery): Plan {
  const name = parseDnsName(text)
  if (name === undefined) {
    throw new CheckFailure('dns_nxdomain', `${text} is not a valid name`, { phase: 'resolve' })
  }
  const servers = nameservers === undefined ? undefined : readNameServers(nameservers)
  return { question: { name, type, recursion }, servers }
}

/** @throws CheckFailure `dns_nameserver_unresolvable` */
export function readNameServers(texts: readonly string[]): readonly NameServer[] {
  return texts.slice(0, MAX_SERVERS).map((text) => {
    const server = parseNameServer(text)
    if (server !== undefined) return server
    throw new CheckFailure('dns_nameserver_unresolvable', `"${text}" is not a name server`, {
      phase: 'resolve',
    })
  })
}
