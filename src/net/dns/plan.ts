/**
 * Prepares a query before it is sent: the canonical name and the parsed name servers. Cached, since
 * a check repeats the same query.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { DnsQuery } from '../net.ts'
import type { Question } from './message.ts'
import { parseNameServer } from './name-server.ts'
import type { NameServer } from './name-server.ts'
import { parseDnsName } from './names.ts'

/** Maximum number of name servers queried. */
const MAX_SERVERS = 8

export interface Plan {
  readonly question: Question
  /** `undefined` where the query names none. */
  readonly servers: readonly NameServer[] | undefined
}

/**
 * @throws CheckFailure `dns_nxdomain`, `dns_nameserver_unresolvable` for an invalid name or name
 * server
 */
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
