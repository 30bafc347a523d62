/**
 * What strangers may learn through the name servers of this location: these also know the names of its
 * own network, and answer for public names with what is true inside. Names inside are not asked for, and
 * records that lead inside are left out.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { DnsAnswer, TargetPolicy } from '../net.ts'
import type { DnsRecord } from './message.ts'
import { bindingAddresses } from './service-binding.ts'
import { reverseRange } from './names.ts'

export interface Inside {
  /** @throws CheckFailure `connect_blocked` for a name inside */
  refuse(name: string): void
  /** Without the records that lead inside; `left_out` counts them. */
  clear(answer: DnsAnswer): DnsAnswer
}

/**
 * Names of no public zone: RFC 6761 and 7686 (special use), 6762 (.local), 8375 (home.arpa), 9476 (.alt), ICANN's `.internal`, and those that
 * ICANN does not delegate since they are so widely used inside (RFC 6762, appendix G).
 */
const SUFFIXES =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|onion|alt)$/

/** Stands for the addresses behind a name inside, which are not known before it is asked for. */
const SOMEWHERE_INSIDE = '10.0.0.1'

/** Whether a name can only be one of an inner network: of a single label, or below a suffix of no public zone. */
export function isInnerName(name: string): boolean {
  return (name !== '.' && !name.includes('.')) || SUFFIXES.test(name)
}

/** The policy of addresses, in terms of names: what it lets nobody dial, it lets nobody ask about. */
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
    clear(answer) {
      const records = answer.records.filter((record) => !leadsInside(record))
      const left_out = answer.records.length - records.length
      return left_out === 0 ? answer : { ...answer, records, left_out }
    },
  }
}

/** In which word of the value a type has the name of a host. */
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
