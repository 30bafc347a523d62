/** What untrusted users learn of an inner network through the name servers of a location: nothing. */
import { describe, expect, it } from 'vitest'
import { createInside, isInnerName } from '../../../src/net/dns/inside.ts'
import type { DnsRecord } from '../../../src/net/dns/message.ts'
import type { DnsAnswer } from '../../../src/net/net.ts'
import { createGuard } from '../../../src/net/guard/guard.ts'

const record = (type: string, value: string, name = 'shop.example'): DnsRecord => ({
  ...{ type, value, name, ttl: 60 },
})

/** Service binding data: priority 1, these labels, and these parameters. */
function binding(labels: readonly string[], parameters: readonly [number, string][] = []): string {
  const number = (value: number) => {
    const bytes = Buffer.alloc(2)
    bytes.writeUInt16BE(value)
    return bytes
  }
  const target = [...labels, ''].flatMap((label) => [
    Buffer.from([label.length]),
    Buffer.from(label),
  ])
  const values = parameters.flatMap(([key, hex]) => [
    ...[number(key), number(hex.length / 2), Buffer.from(hex, 'hex')],
  ])
  const data = Buffer.concat([number(1), ...target, ...values])
  return `\\# ${data.length} ${data.toString('hex')}`
}

const { refuse, clear } = createInside(createGuard().policy)
const cleared = (...records: readonly DnsRecord[]) => left({ records } as unknown as DnsAnswer)
function left(answer: DnsAnswer): DnsAnswer {
  const steps = clear(answer)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
/** Whether an answer with this record alone leaves it in. */
const shows = (...of: Parameters<typeof record>) => cleared(record(...of)).records.length === 1

describe('a policy', () => {
  it('that lets an account into 10.0.0.0/8 lets it ask for the names there', () => {
    const own = createInside(createGuard({ allowCidrs: ['10.0.0.0/8'] }).policy)
    expect(() => own.refuse('db.corp')).not.toThrow()
    expect(() => own.refuse('1.0.0.127.in-addr.arpa')).toThrow('inner network')
  })
})

it('an answer of hundreds of records is judged in steps of 128', () => {
  const steps = (count: number) => {
    const records = Array.from({ length: count }, () => record('A', '192.0.2.1'))
    const judging = clear({ records } as unknown as DnsAnswer)
    let yields = 0
    while (judging.next().done !== true) yields++
    return yields
  }
  expect([1, 127, 128, 300, 384].map(steps)).toEqual([0, 0, 1, 2, 3])
})

describe('a name', () => {
  it.each([
    ...['localhost', 'db01', 'x.localhost', 'printer.local', 'a.localdomain', 'vault.internal'],
    ...['a.intranet', 'a.private', 'a.corp', 'a.home', 'a.lan', 'a.home.arpa', 'home.arpa'],
    ...['a.test', 'a.invalid', 'a.onion', 'a.alt', '7.0.0.10.in-addr.arpa', '10.in-addr.arpa'],
    ...['1.0.0.127.in-addr.arpa', 'd.f.ip6.arpa', '0.8.e.f.ip6.arpa'],
  ])('%s is of an inner network, and not asked for', (name) => {
    expect(() => refuse(name)).toThrow(`${name} is a name of an inner network`)
    expect(() => refuse(name)).toThrow(
      expect.objectContaining({ code: 'connect_blocked', phase: 'resolve' }),
    )
  })

  it.each([
    ...['shop.example', '.', 'corp.example', 'notlocal.example', 'mylan.net', 'a.localx'],
    // The zone above public networks, though its first address is none of them.
    '192.in-addr.arpa',
    ...['8.8.8.8.in-addr.arpa', 'in-addr.arpa', '8.in-addr.arpa', 'a.in-addr.arpa', '0.2.ip6.arpa'],
  ])('%s is not', (name) => {
    expect(() => refuse(name)).not.toThrow()
  })

  it('of an inner network may be asked for where the policy lets it', () => {
    const open = createInside(() => undefined)
    for (const name of ['db01', '1.0.0.127.in-addr.arpa'])
      expect(() => open.refuse(name)).not.toThrow()
    expect([isInnerName('db01'), isInnerName('.'), isInnerName('a.b')]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe('an answer', () => {
  it('without a record of an inner network is left as it is', () => {
    const answer = {
      records: [record('A', '8.8.8.8'), record('TXT', '10.0.0.1')],
    } as unknown as DnsAnswer
    expect(left(answer)).toBe(answer)
  })

  it('says how many records were left out', () => {
    const shown = record('A', '8.8.8.8')
    expect(cleared(record('A', '10.0.0.1'), shown, record('AAAA', 'fd00::1'))).toEqual({
      ...{ records: [shown], left_out: 2 },
    })
  })

  it.each<[string, string, boolean]>([
    ['A', '10.0.0.1', false],
    ['A', '8.8.8.8', true],
    ['AAAA', '::1', false],
    ['AAAA', '2606:4700::1', true],
    ['CNAME', 'db01', false],
    ['CNAME', 'shop.example', true],
    ['DNAME', 'a.corp', false],
    ['NS', 'ns.lan', false],
    ['PTR', 'printer.local', false],
    ['SOA', 'ns.internal admin.example 1 2 3 4 5', false],
    ['SOA', 'ns.example admin.internal 1 2 3 4 5', true],
    ['MX', '10 mx.corp', false],
    ['MX', '10 mx.example', true],
    ['SRV', '0 0 443 db01', false],
    ['SRV', '0 0 443 a.example', true],
    ['NAPTR', '1 2 "u" "E2U" "!a b!" sip.corp', false],
    ['NAPTR', '1 2 "u" "E2U" "!a b!" sip.example', true],
    ['TXT', 'db01', true],
    ['CAA', '0 issue "db01"', true],
  ])('shows a record of type %s with %s: %s', (type, value, shown) => {
    expect(shows(type, value)).toBe(shown)
  })

  it('of an inner name shows nothing', () => {
    expect(shows('TXT', 'x', 'db01')).toBe(false)
    expect(shows('PTR', 'shop.example', '7.0.0.10.in-addr.arpa')).toBe(false)
  })
})

describe.each(['HTTPS', 'SVCB'])('a record of type %s', (type) => {
  it.each<[string, string, boolean]>([
    ['of its own name', binding([]), true],
    ['of a public name', binding(['a', 'example']), true],
    ['of an inner name', binding(['DB01']), false],
    ['of a name below an inner suffix', binding(['a', 'Corp']), false],
    ['with public addresses', binding([], [[4, '0808080808080404']]), true],
    ['with an inner address', binding([], [[4, '080808080a000001']]), false],
    ['with a public address of IPv6', binding([], [[6, '26064700000000000000000000000001']]), true],
    ['with an inner address of IPv6', binding([], [[6, `${'0'.repeat(31)}1`]]), false],
    [
      'with other parameters first',
      binding(
        [],
        [
          [1, '026832'],
          [3, '01bb'],
          [4, '0a000001'],
        ],
      ),
      false,
    ],
    [
      'with other parameters alone',
      binding(
        [],
        [
          [1, '026832'],
          [3, '01bb'],
          [5, '0a000001'],
        ],
      ),
      true,
    ],
    ['with a key as long as an address', binding([], [[5, '0'.repeat(32)]]), true],
    ['with half an address', binding([], [[4, '0a00']]), true],
    ['that is cut off in its name', '\\# 4 00010561', false],
    ['that is cut off in its parameters', '\\# 5 0001000004', false],
    ['whose parameter goes on behind its end', '\\# 7 00010000040004', false],
    ['without data', '\\# 0', false],
    ['that is no data', 'a.example', false],
    ['with more than data', `${binding([])} x`, false],
    ['with less than data', `x ${binding([])}`, false],
  ])('%s', (_, value, shown) => {
    expect(shows(type, value)).toBe(shown)
  })
})
