/**
 * Turns the answer of a name server into a verdict.
 *
 * @module
 */

import { compilePattern } from '../../fields/pattern.ts'
import type { DnsRecord } from '../../net/dns/message.ts'
import type { DnsAnswer } from '../../net/net.ts'
import { down, unknown, up } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import type { SharedCause } from '../causes.ts'
import { notSearched } from '../causes.ts'
import { containing, parseExpected, readValue } from './expected.ts'
import type { Expectation } from './expected.ts'
import type { DnsSettings } from './fields.ts'

export const DNS_CAUSES = {
  /**
   * `details.answers` contains the current records. If the change is intended, update `expected` or
   * `nameserver`; if not, check the account at the DNS provider.
   */
  dns_mismatch: { text: 'The records are not what is expected', phase: 'resolve' },
  /** As `dns_mismatch`. */
  dns_unexpected_record: { text: 'There is a record that should not be there', phase: 'resolve' },
  /** As `dns_server_failure`. */
  dns_malformed: { text: 'The name server sent an answer that cannot be read', phase: 'resolve' },
  /**
   * The signatures of the zone or its DS record at the parent are wrong or have expired: users of validating
   * resolvers cannot reach the name. Check the signer, and the last change of keys.
   */
  dnssec_bogus: { text: 'The answer is refuted by DNSSEC', phase: 'resolve' },
  /** settings: Ask a validating resolver (`nameserver`); then check that the parent has a DS record of the zone. */
  dnssec_unproven: { text: 'The answer is not proven by DNSSEC', phase: 'resolve' },
  /** A secondary does not get the zone: check its log and the transfers. A change takes a moment to arrive. */
  dns_serial_mismatch: { text: 'The name servers have different serial numbers', phase: 'resolve' },
  /** settings: As `dns_mismatch`. */
  dns_nameserver_unresolvable: { text: 'The name server has no address', phase: 'resolve' },
} as const

export type DnsCause = keyof typeof DNS_CAUSES | SharedCause

/** The parts of an answer that belong to the queried name. */
export interface Found {
  /** Targets of the aliases (CNAME), in order. */
  readonly chain: readonly string[]
  /**
   * Records of the queried type at the end of the chain, sorted by value: servers rotate their
   * records.
   */
  readonly records: readonly DnsRecord[]
}

/** Longer chains count as loops; resolvers give up far earlier. */
const MAX_CHAIN = 16

/** Ignores records of the answer that do not belong to the name. */
export function findRecords({ name, type, records }: DnsAnswer): Found {
  const chain: string[] = []
  let owner = name
  while (type !== 'CNAME' && chain.length < MAX_CHAIN) {
    const alias = records.find((record) => record.type === 'CNAME' && record.name === owner)
    if (alias === undefined || chain.includes(alias.value)) break
    owner = alias.value
    chain.push(owner)
  }
  const wanted = records.filter((record) => record.type === type && record.name === owner)
  return { chain, records: wanted.sort((a, b) => (a.value < b.value ? -1 : 1)) }
}

type Expecting = Pick<DnsSettings, 'match' | 'expected' | 'rrtype'>

/** For `ctx.inTurns`. */
export function* judge(
  answer: DnsAnswer,
  found: Found,
  settings: Expecting,
): Generator<void, Judgement<DnsCause>> {
  const { match } = settings
  if (answer.rcode === 'NXDOMAIN') {
    if (match === 'nxdomain' || match === 'none') return up()
    return down('dns_nxdomain', `${subject(answer, found)} does not exist`)
  }
  if (answer.rcode !== 'NOERROR') return failed(answer)
  if (found.records.length === 0 && answer.left_out !== undefined) {
    const text = `What ${answer.name} leads to is not allowed as a target`
    return down('connect_blocked', text, { phase: 'resolve' })
  }
  if (match === 'nxdomain') return exists(answer, found)
  if (found.records.length === 0 && match !== 'none') {
    const text = `${subject(answer, found)} has no record of the type ${answer.type}`
    return down('dns_no_records', text)
  }
  return yield* compare(
    found.records.map(({ value }) => value),
    settings,
  )
}

/** The name, with the targets of its aliases. */
function subject({ name }: DnsAnswer, { chain }: Found): string {
  const end = chain.at(-1)
  return end === undefined ? name : `${end}, for which ${name} is an alias,`
}

function failed({ name, rcode, server }: DnsAnswer): Judgement<DnsCause> {
  return rcode === 'REFUSED'
    ? down('dns_refused', `${server} refused to answer for ${name}`)
    : down('dns_server_failure', `${server} answered ${rcode} for ${name}`)
}

function exists(answer: DnsAnswer, found: Found): Judgement<DnsCause> {
  if (found.records.length === 0) {
    return down(
      'dns_mismatch',
      `${answer.name} exists, without a record of the type ${answer.type}`,
    )
  }
  return down('dns_unexpected_record', `${answer.name} exists: ${list(valuesOf(found))}`)
}

function* compare(
  values: readonly string[],
  { match, expected = [], rrtype }: Expecting,
): Generator<void, Judgement<DnsCause>> {
  if (expected.length === 0) return up()
  if (match === 'regex') {
    const { missing, unseen } = unmatched(values, expected)
    if (missing.length > 0) return mismatch(missing, values)
    return unseen === undefined ? up() : unknown('too_long', notSearched(unseen))
  }
  const tests = expected.map((text) => [text, testOf(text, match, rrtype)] as const)
  const { missing, matched, unexpected } = yield* sorted(values, rrtype, tests)
  switch (match) {
    case 'any':
      return missing.length < expected.length ? up() : mismatch(missing, values)
    case 'none':
      return matched.length === 0 ? up() : surplus(matched)
    case 'exact':
      if (missing.length > 0) return mismatch(missing, values)
      return unexpected.length === 0 ? up() : surplus(unexpected)
    case 'all':
    case 'contains':
    case 'nxdomain':
      return missing.length === 0 ? up() : mismatch(missing, values)
  }
}

/** Values compared in one step, each with up to fifty that are expected. */
const STEP_VALUES = 64

interface Sorted {
  /** Expected, and not there. */
  readonly missing: readonly string[]
  readonly matched: readonly string[]
  readonly unexpected: readonly string[]
}

function* sorted(
  values: readonly string[],
  rrtype: string,
  tests: readonly (readonly [text: string, test: Expectation])[],
): Generator<void, Sorted> {
  const missing = new Set(tests)
  const matched: string[] = []
  const unexpected: string[] = []
  for (const [at, text] of values.entries()) {
    const value = readValue(text, rrtype)
    const met = tests.filter(([, test]) => test(value))
    met.forEach((each) => missing.delete(each))
    if (met.length > 0) matched.push(text)
    else unexpected.push(text)
    if (at % STEP_VALUES === STEP_VALUES - 1) yield
  }
  return { missing: [...missing].map(([text]) => text), matched, unexpected }
}

function testOf(
  text: string,
  match: Exclude<DnsSettings['match'], 'regex'>,
  rrtype: string,
): Expectation {
  if (match === 'contains') return containing(text, rrtype)
  return parseExpected(text, rrtype) ?? (() => false)
}

interface Unmatched {
  readonly missing: readonly string[]
  /** A pattern that was not applied to all text and did not match the part that it searched. */
  readonly unseen: { readonly source: string; readonly searched: number } | undefined
}

/**
 * The patterns that match no value. Together they search no more characters than one pattern may,
 * each its share: the answer comes from the server, and a search blocks the event loop.
 */
function unmatched(values: readonly string[], expected: readonly string[]): Unmatched {
  const characters = values.join('').length
  const missing: string[] = []
  let unseen: Unmatched['unseen']
  for (const source of expected) {
    const pattern = compilePattern(source)
    const searched = Math.max(LEAST_SEARCHED, Math.floor(pattern.searched / expected.length))
    let left = searched
    const isThere = values.some((value) => {
      const part = value.slice(0, left)
      left -= part.length
      return part !== '' && pattern.test(part)
    })
    if (isThere) continue
    if (characters > searched) unseen ??= { source, searched }
    else missing.push(source)
  }
  return { missing, unseen }
}

/** Minimum characters per pattern, however many there are: enough for a short record. */
const LEAST_SEARCHED = 64

function mismatch(missing: readonly string[], values: readonly string[]): Judgement<DnsCause> {
  const there = values.length === 0 ? 'there is no record' : `there is ${list(values)}`
  return down('dns_mismatch', `${list(missing)} is expected, ${there}`)
}

function surplus(values: readonly string[]): Judgement<DnsCause> {
  return down('dns_unexpected_record', `${list(values)} should not be there`)
}

function valuesOf({ records }: Found): readonly string[] {
  return records.map(({ value }) => value)
}

/** At most three values, each shortened. */
function list(values: readonly string[]): string {
  const shown = values.slice(0, 3).map((value) => `"${cut(value)}"`)
  const more = values.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function cut(value: string): string {
  return value.length > 80 ? `${value.slice(0, 79)}…` : value
}
