/**
 * Restricts what untrusted users learn through the location's name servers, which may also resolve
 * internal names and answer for public names with internal addresses. Internal names are not
 * queried, and records that lead to internal addresses are removed.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { DnsAnswer, TargetPolicy } from '../net.ts'
import type { DnsRecord } from './message.ts'
import { reverseRange } from './names.ts'

export interface Inside {
  /** @throws CheckFailure `connect_blocked` for an internal name */
  refuse(name: string): void
  /** The answer without records that lead to internal addresses; `left_out` counts them. For `Turns.run`. */
  clear(answer: DnsAnswer): Generator<void, DnsAnswer>
}

/**
 * Suffixes outside the public DNS: RFC 6761 and 7686 (special use), 6762 (.local), 8375
 * (home.arpa), 9476 (.alt), ICANN's `.internal`, and those that ICANN does not delegate because
 * they are widely used internally (RFC 6762, appendix G).
 */
const SUFFIXES =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion|alt)$/

/**
 * Stands for the unknown address of an internal name, which is not resolved before the decision.
 */
const SOMEWHERE_INSIDE = '10.0.0.1'

/** Judged in one step: each takes 10 µs, and an answer has up to 4,000. */
const STEP_RECORDS = 128

/**
 * Whether a name can only be internal: a single label, or below a suffix outside the public DNS.
 */
export function isInnerName(name: string): boolean {
  return !name.includes('.') || SUFFIXES.test(name)
}

/**
 * Applies the address policy to names: a name is queried only if the policy would allow connecting
 * to it.
 */
export function createInside(policy: TargetPolicy): Inside {
  const refused = (host: string, address: string): boolean =>
    policy({ host, address }) !== undefined

  function isInside(name: string): boolean {
    const range = reverseRange(name)
    if (range !== undefined) return range.every((address) => refused(address, address))
    return isInnerName(name) && refused(name, SOMEWHERE_INSIDE)
  }

  function leadsInside({ name, type, value }: DnsRecord): boolean {
    if (isInside(name)) return true
    if (type === 'A' || type === 'AAAA') return refused(name, value)
    if (type === 'HTTPS' || type === 'SVCB') {
      const binding = bindingAddresses(value)
      return (
        binding === undefined ||
        isInside(binding.target) ||
        binding.addresses.some((address) => refused(name, address))
      )
    }
    const target = targetIn(type, value)
    return target !== undefined && isInside(target)
  }

  return {
    refuse(name) {
      if (!isInside(name)) return
      const text = `${name} is a name of an inner network, which is not allowed as a target`
      throw new CheckFailure('connect_blocked', text, { phase: 'resolve' })
    },
    *clear(answer) {
      const records: DnsRecord[] = []
      for (const [at, record] of answer.records.entries()) {
        if (!leadsInside(record)) records.push(record)
        if (at % STEP_RECORDS === STEP_RECORDS - 1) yield
      }
      const left_out = answer.records.length - records.length
      return left_out === 0 ? answer : { ...answer, records, left_out }
    },
  }
}

/** Position of the host name in the record data, by type. */
const TARGET_WORDS: Readonly<Partial<Record<string, number>>> = {
  CNAME: 0,
  DNAME: 0,
  NS: 0,
  PTR: 0,
  SOA: 0,
  MX: 1,
  SRV: 3,
  NAPTR: -1,
}

function targetIn(type: string, value: string): string | undefined {
  const word = TARGET_WORDS[type]
  return word === undefined ? undefined : value.split(' ').at(word)
}

/** The part of an HTTPS or SVCB record that names the connection endpoint (RFC 9460, 2.2 and 7.3). */
interface ServiceBinding {
  /** Lower case; `.` is the owner of the record itself. */
  readonly target: string
  readonly addresses: readonly string[]
}

const IPV4_HINT = 4
const IPV6_HINT = 6

/** Reads `\# <length> <hex>` (RFC 3597); `undefined` if the data is invalid. */
function bindingAddresses(text: string): ServiceBinding | undefined {
  const hex = /^\\# \d+ ((?:[0-9a-f]{2})+)$/.exec(text)?.[1]
  if (hex === undefined) return undefined
  try {
    return readBinding(Buffer.from(hex, 'hex'))
  } catch (error) {
    // Truncated: a length points beyond the end.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readBinding(data: Buffer): ServiceBinding | undefined {
  const labels: string[] = []
  let at = 2
  for (let length = data.readUInt8(at++); length > 0; length = data.readUInt8(at++)) {
    labels.push(data.toString('latin1', at, at + length).toLowerCase())
    at += length
  }
  const addresses: string[] = []
  while (at < data.length) {
    const key = data.readUInt16BE(at)
    const end = at + 4 + data.readUInt16BE(at + 2)
    if (end > data.length) return undefined
    const value = data.subarray(at + 4, end)
    if (key === IPV4_HINT) addresses.push(...split(value, 4).map(ipv4))
    if (key === IPV6_HINT) addresses.push(...split(value, 16).map(ipv6))
    at = end
  }
  return { target: labels.join('.') || '.', addresses }
}

function split(value: Buffer, size: number): readonly Buffer[] {
  const count = Math.floor(value.length / size)
  return Array.from({ length: count }, (_, n) => value.subarray(n * size, (n + 1) * size))
}

function ipv4(ip: Buffer): string {
  return [...ip].join('.')
}

function ipv6(ip: Buffer): string {
  return ip.toString('hex').replace(/.{4}(?=.)/g, '$&:')
}
