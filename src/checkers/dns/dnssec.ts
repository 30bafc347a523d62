/**
 * DNSSEC as a validating resolver says it: AD proves an answer; a failure that goes away with CD is one of the
 * signatures (RFC 4035, 3.2; RFC 6840, 5.7).
 *
 * @module
 */

import type { DnsAnswer, DnsQuery, Net } from '../../net/net.ts'
import { down } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import type { DnsCause } from './judge.ts'

/** Why the answer is not proven; `undefined` if it is, or if DNSSEC is not the reason. */
export async function judgeDnssec(
  net: Pick<Net, 'dns'>,
  query: DnsQuery,
  answer: DnsAnswer,
): Promise<Judgement<DnsCause> | undefined> {
  const { name, rcode, server, authenticated, authoritative } = answer
  if (rcode === 'SERVFAIL') {
    const unchecked = await net.dns({ ...query, unchecked: true })
    if (unchecked.rcode !== 'NOERROR' && unchecked.rcode !== 'NXDOMAIN') return undefined
    const text = `${server} refuses the answer for ${name} because of its DNSSEC signatures; without validation it is ${unchecked.rcode}`
    return down('dnssec_bogus', text, { phase: 'resolve' })
  }
  if (authenticated || (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN')) return undefined
  const why = authoritative
    ? 'it is a server of the zone itself, which validates nothing'
    : 'the zone is not signed, or the name server does not validate'
  const text = `${server} does not vouch for the answer for ${name} with DNSSEC: ${why}`
  return down('dnssec_unproven', text, { phase: 'resolve' })
}
