import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isMetadataAddress, judgeAddress } from '../../src/net/guard/address.ts'
import { contains, parseCidr, parseIp, unmapped } from '../../src/net/guard/ip.ts'
import { ALLOWED_ADDRESSES, REFUSED_ADDRESSES } from './guard-corpus.ts'

describe('parseIp', () => {
  it('reads what net.isIP takes for an address, and nothing else', () => {
    const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.%]{0,24}$/))
    fc.assert(
      fc.property(text, (candidate) => {
        const expected = candidate.includes('%') ? 0 : isIP(candidate)
        expect(parseIp(candidate)?.family ?? 0).toBe(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('gives every spelling of an address the same number', () => {
    fc.assert(
      fc.property(fc.ipV6(), (spelling) => {
        const canonical = new URL(`http://[${spelling}]/`).hostname.slice(1, -1)
        expect(parseIp(spelling)).toEqual(parseIp(canonical))
      }),
      { numRuns: 1000 },
    )
    expect(parseIp('::ffff:1.2.3.4')?.value).toBe(0xffff01020304n)
    expect(parseIp('1:2:3:4:5:6:7:8')?.value).toBe(0x00010002000300040005000600070008n)
    expect(parseIp('1::8')?.value).toBe((1n << 112n) | 8n)
    expect(parseIp('255.0.0.1')?.value).toBe(0xff000001n)
  })
})

describe('parseCidr', () => {
  it('holds exactly the addresses of the range', () => {
    const range = parseCidr('172.16.0.0/12')
    const holds = (text: string): boolean => contains(range, unmapped(parseIp(text)!))
    expect(['172.16.0.0', '172.31.255.255', '::ffff:172.20.0.1'].map(holds)).toEqual([
      true,
      true,
      true,
    ])
    expect(['172.15.255.255', '172.32.0.0', '::ac10:1'].map(holds)).toEqual([false, false, false])
  })

  it('takes a bare address for itself and a mapped range for the IPv4 range', () => {
    expect(parseCidr('10.0.0.1')).toEqual(parseCidr('10.0.0.1/32'))
    expect(parseCidr('::1')).toEqual(parseCidr('::1/128'))
    expect(parseCidr('::ffff:10.0.0.0/104')).toEqual(parseCidr('10.0.0.0/8'))
    expect(parseCidr('::ffff:0:0/96')).toEqual(parseCidr('0.0.0.0/0'))
    expect(parseCidr('::fffe:0:0/95')).toMatchObject({ family: 6, prefix: 95 })
    expect(contains(parseCidr('0.0.0.0/0'), parseIp('255.1.2.3')!)).toBe(true)
    expect(contains(parseCidr('::/0'), parseIp('ffff::')!)).toBe(true)
  })

  it.each([
    '',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8.0',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
    '10.0.0.1/8',
    '10.0.0/8',
    '::/129',
    'fe80::1%eth0/64',
    'example.com',
    '10.0.0.0-10.0.0.9',
  ])('refuses %j', (text) => {
    expect(() => parseCidr(text)).toThrow(RangeError)
  })
})

describe('judgeAddress', () => {
  const refused = Object.entries(REFUSED_ADDRESSES)
    // By itself an embedding form is judged by its own registry entry; the guard looks inside.
    .filter(([reason]) => !['unspecified', 'loopback', 'link_local', 'metadata'].includes(reason))
    .flatMap(([reason, list]) => list.map((address) => [address, reason] as const))

  it.each(refused)('says of %j that it is %s', (address, reason) => {
    expect(judgeAddress(address)).toBe(reason)
  })

  it.each(ALLOWED_ADDRESSES)('has nothing against %s', (address) => {
    expect(judgeAddress(address)).toBeUndefined()
  })

  it('never takes an IPv6 address outside of 2000::/3 for public', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
        fc.pre(value >> 125n !== 1n && value >> 32n !== 0xffffn)
        const hex = value.toString(16).padStart(32, '0')
        expect(judgeAddress(hex.match(/.{4}/g)!.join(':'))).toBeDefined()
      }),
      { numRuns: 2000 },
    )
  })
})

describe('isMetadataAddress', () => {
  it.each([...REFUSED_ADDRESSES.metadata!, '64:ff9b::a9fe:a9fe', 'fe80::a9fe:a9fe%eth0'])(
    'knows %s',
    (address) => {
      expect(isMetadataAddress(address)).toBe(true)
    },
  )

  it.each(['169.254.169.253', '10.0.0.1', '127.0.0.1', '::1', '8.8.8.8', 'nonsense', ''])(
    'does not take %j for one',
    (address) => {
      expect(isMetadataAddress(address)).toBe(false)
    },
  )
})
