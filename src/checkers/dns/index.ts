/**
 * `dns`: queries the records of a name and compares them with the expected values.
 *
 * @module watchpost/checkers/dns
 */

import type { JsonObject } from '../../model.ts'
import { reverseName } from '../../net/dns/names.ts'
import type { DnsAnswer, DnsQuery } from '../../net/net.ts'
import { defineChecker } from '../checker.ts'
import { judgeDnssec } from './dnssec.ts'
import { dnsFields, refineDns } from './fields.ts'
import type { DnsSettings } from './fields.ts'
import { DNS_CAUSES, findRecords, judge } from './judge.ts'
import type { Found } from './judge.ts'
import { sameSerial } from './serials.ts'

/** Maximum records in the details. */
const MAX_SHOWN = 100

export const dns = () => {
  // The query depends only on the settings, which are the same object in every check.
  const queries = new WeakMap<DnsSettings, DnsQuery>()
  return defineChecker({
    type: 'dns',
    title: 'DNS records',
    description:
      'Queries name servers for the records of a name and compares them with the expected values.',
    fields: dnsFields,
    causes: DNS_CAUSES,
    figures: ['min_ttl'],
    measurements: {
      rcode: 'Response code: NOERROR, NXDOMAIN, SERVFAIL, REFUSED, …',
      answers: 'Records of the wanted type, at most 100: type, value and ttl (seconds)',
      min_ttl: 'Smallest ttl of these records, in seconds',
      cname_chain: 'Where the aliases of the name lead, in their order; only where it is one',
      soa_serial: 'Serial number of the zone, if SOA was queried',
      authoritative: 'true: the answer comes from a server of the zone itself (AA)',
      truncated: 'true: truncated over UDP (TC), then queried again over TCP',
      authenticated: 'true: the resolver has checked it with DNSSEC (AD)',
      left_out:
        'Records that lead into an inner network and are not shown; only where there are any, and targets are not open',
      server:
        'Name server that answered, host:port; resolver for those of the location where targets are not open',
      serials:
        'Serial number at each name server, or the cause of having none; only with same_serial',
      transport: 'udp, tcp, tls or https',
      attempts:
        'Every name server that was asked, with result and duration_ms; only where there were several',
    },
    highlights: {
      rcode: { title: 'Response code' },
      server: { title: 'Name server' },
      min_ttl: { title: 'Shortest TTL, s' },
    },
    refine: refineDns,
    target: ({ dns_name, rrtype }) => `${dns_name} ${rrtype}`,

    async run(ctx, settings) {
      const query = queries.get(settings) ?? queryFor(settings)
      if (!queries.has(settings)) queries.set(settings, query)
      const answer = await ctx.net.dns(query)
      const found = findRecords(answer)
      ctx.measure(measured(answer, found))
      const unproven = settings.dnssec ? await judgeDnssec(ctx.net, query, answer) : undefined
      const judged = unproven ?? (await ctx.inTurns(judge(answer, found, settings)))
      return settings.same_serial && judged.verdict === 'ok' ? sameSerial(ctx, query) : judged
    },
  })
}

function queryFor({ dns_name, rrtype, nameserver, dnssec }: DnsSettings): DnsQuery {
  return Object.freeze({
    name: reverseName(dns_name) ?? dns_name,
    type: rrtype,
    ...(dnssec ? { validated: true } : {}),
    ...(nameserver !== undefined ? { nameservers: nameserver } : {}),
  })
}

function measured(answer: DnsAnswer, { chain, records }: Found): JsonObject {
  const { rcode, authoritative, truncated, authenticated, server, transport, attempts } = answer
  const { left_out } = answer
  const shown = records.slice(0, MAX_SHOWN)
  const serial = answer.type === 'SOA' ? Number(records[0]?.value.split(' ')[2]) : NaN
  return {
    rcode,
    answers: shown.map(({ type, value, ttl }) => ({ type, value, ttl })),
    min_ttl: records.length === 0 ? null : Math.min(...records.map(({ ttl }) => ttl)),
    ...(chain.length > 0 ? { cname_chain: [...chain] } : {}),
    ...(left_out === undefined ? {} : { left_out }),
    ...(Number.isNaN(serial) ? {} : { soa_serial: serial }),
    ...{ authoritative, truncated, authenticated, server, transport },
    ...(attempts.length > 1 ? { attempts: attempts.map((attempt) => ({ ...attempt })) } : {}),
  }
}
