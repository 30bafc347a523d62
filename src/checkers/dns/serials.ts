/**
 * The serial number of a zone at each of its name servers.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { CheckFailure } from '../../net/failure.ts'
import type { DnsQuery } from '../../net/net.ts'
import { down, up } from '../checker.ts'
import type { CheckContext, Judgement } from '../checker.ts'
import { findRecords } from './judge.ts'
import type { DnsCause } from './judge.ts'

/** Name servers asked; zones have two to eight. */
const MAX_SERVERS = 13

interface SerialAnswer {
  readonly server: string
  readonly serial?: number
  /** Why there is no serial. */
  readonly failure?: CheckFailure
}

/** Asks each of `nameservers`, or the name servers of the zone. */
export async function sameSerial(ctx: CheckContext, query: DnsQuery): Promise<Judgement<DnsCause>> {
  const servers = query.nameservers ?? (await serversOf(ctx, query))
  const answers = await Promise.all(servers.map((server) => serialAt(ctx, query, server)))
  const shown = answers.map(({ server, serial, failure }): JsonObject =>
    serial === undefined ? { server, cause_code: failure?.code ?? null } : { server, serial },
  )
  ctx.measure({ serials: shown })
  const silent = answers.find(({ failure }) => failure !== undefined)
  if (silent?.failure !== undefined) throw silent.failure
  const serials = new Set(answers.map(({ serial }) => serial))
  if (serials.size < 2) return up()
  const each = answers.map(({ server, serial }) => `${server} has ${serial}`).join(', ')
  return down('dns_serial_mismatch', `The name servers differ: ${each}`, { phase: 'resolve' })
}

async function serversOf(ctx: CheckContext, { name }: DnsQuery): Promise<readonly string[]> {
  const answer = await ctx.net.dns({ name, type: 'NS' })
  const names = findRecords(answer).records.map(({ value }) => value.replace(/\.$/, ''))
  if (names.length > 0) return names.slice(0, MAX_SERVERS)
  const text = `${answer.name} has no record of the type NS: it is not a zone`
  throw new CheckFailure('dns_no_records', text, { phase: 'resolve' })
}

async function serialAt(ctx: CheckContext, query: DnsQuery, server: string): Promise<SerialAnswer> {
  try {
    const answer = await ctx.net.dns({ ...query, nameservers: [server], recursion: false })
    const serial = Number(findRecords(answer).records[0]?.value.split(' ')[2])
    if (!Number.isNaN(serial)) return { server, serial }
    const text = `${server} answered ${answer.rcode} for ${answer.name}, without a SOA record`
    return { server, failure: new CheckFailure('dns_server_failure', text, { phase: 'resolve' }) }
  } catch (error) {
    if (ctx.signal.aborted || !(error instanceof CheckFailure)) throw error
    return { server, failure: error }
  }
}
