import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/errors.ts'
import {
  clientAddress,
  clientOf,
  neighbourhoodOf,
  noteClient,
} from '../../src/net/peer/client-address.ts'
import { readTrustProxy } from '../../src/net/peer/trusted-proxies.ts'
import type { TrustProxy } from '../../src/net/peer/trusted-proxies.ts'

function seen(
  trust: TrustProxy | undefined,
  [remoteAddress, forwardedFor, forwardedProto]: readonly (string | undefined)[],
) {
  const arrival = { remoteAddress, encrypted: false, forwardedFor, forwardedProto }
  return clientOf(arrival, trust === undefined ? undefined : readTrustProxy(trust))
}
const address = (trust: TrustProxy | undefined, peer?: string, chain?: string) =>
  seen(trust, [peer, chain]).address

describe('the address of a client', () => {
  it('is that of the socket where no proxy is trusted, whatever the headers say', () => {
    const { address, secure } = seen(undefined, ['203.0.113.9', '198.51.100.1', 'https'])
    expect([address, secure]).toEqual(['203.0.113.9', false])
  })

  it.each([
    ['the one the proxy names', 'loopback', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['an IPv6 one', 'loopback', '::1', '2001:DB8:0:0::7', '2001:db8::7'],
    [
      'the rightmost that is no proxy',
      'loopback',
      '127.0.0.1',
      '6.6.6.6, 198.51.100.1',
      '198.51.100.1',
    ],
    [
      'behind two proxies',
      'loopback, 10.0.0.0/8',
      '::1',
      '6.6.6.6, 198.51.100.1,10.1.1.1',
      '198.51.100.1',
    ],
    [
      'that of a stranger who connects directly',
      '10.0.0.0/8',
      '203.0.113.9',
      '6.6.6.6',
      '203.0.113.9',
    ],
    ['the proxy itself without a header', 'loopback', '127.0.0.1', undefined, '127.0.0.1'],
    [
      'the outermost where all are proxies',
      'private',
      '127.0.0.1',
      '10.0.0.3, 192.168.1.1',
      '10.0.0.3',
    ],
    ['of one hop', 1, '203.0.113.9', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['of two hops', '2', '203.0.113.9', '198.51.100.1, 203.0.113.8', '198.51.100.1'],
    ['with a port behind it', 1, '127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['in brackets', 1, '127.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    ['in brackets with a port', 1, '127.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
    ['of a neighbour on the same link', undefined, 'fe80::1%eth0', undefined, 'fe80::1'],
    ['of a neighbour that is a proxy', 'linklocal', 'fe80::1%eth0', '198.51.100.1', '198.51.100.1'],
    ['of the most hops', '16', '203.0.113.9', '6.6.6.6', '6.6.6.6'],
    ['of a number of hops between spaces', ' 1 ', '203.0.113.9', '198.51.100.1', '198.51.100.1'],
    ['one, however it is written', 1, '127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    [
      'of a trusted proxy on a dual-stack socket',
      'loopback',
      '::ffff:127.0.0.1',
      '198.51.100.1',
      '198.51.100.1',
    ],
  ] as const)('is %s', (_name, trust, peer, chain, expected) => {
    expect(address(trust, peer, chain)).toBe(expected)
  })

  it.each([
    'unknown',
    '',
    '_hidden',
    '1.2.3',
    '1.2.3.4.5',
    'for=198.51.100.1',
    'for=198.51.100.1:443',
    '198.51.100.1:443x',
    'for=[2001:db8::7]:443',
    '[2001:db8::7]:443x',
    '[2001:db8::7]443',
    '%00',
    '999.1.1.1',
    'fe80::1%eth0',
    '<b>',
  ])('is the proxy where the header says %j, and never what stands there', (garbage) => {
    expect(address('loopback', '127.0.0.1', garbage)).toBe('127.0.0.1')
    expect(address('loopback', '127.0.0.1', `198.51.100.1, ${garbage}`)).toBe('127.0.0.1')
    expect(address('loopback', '127.0.0.1', `${garbage}, 198.51.100.1`)).toBe('198.51.100.1')
  })

  it('is an address or nothing for any header', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (chain) => {
        const found = address('private', '127.0.0.1', chain)
        expect(found).toMatch(/^[\da-f.:]{2,39}$/)
      }),
    )
  })

  it('is looked for behind 16 proxies and no further', () => {
    const chain = (proxies: number) =>
      ['198.51.100.1', ...Array.from({ length: proxies - 1 }, () => '10.0.0.2')].join()
    expect(address('10.0.0.0/8', '10.0.0.1', chain(16))).toBe('198.51.100.1')
    expect(address('10.0.0.0/8', '10.0.0.1', chain(17))).toBe('10.0.0.2')
  })

  it('is unknown on a socket without addresses, but for a number of hops', () => {
    expect(address('loopback', undefined, '198.51.100.1')).toBeUndefined()
    expect(address(1, undefined, '198.51.100.1')).toBe('198.51.100.1')
  })

  it('came by https where a trusted proxy says so', () => {
    const secure = (trust: TrustProxy | undefined, proto: string) =>
      seen(trust, ['127.0.0.1', undefined, proto]).secure
    expect(secure('loopback', 'https')).toBe(true)
    expect(secure('loopback', 'HTTPS, http')).toBe(true)
    expect(secure('loopback', 'http')).toBe(false)
    expect(secure('loopback', 'javascript')).toBe(false)
    expect(secure('10.0.0.1', 'https')).toBe(false)
    expect(secure('loopback', ' https ')).toBe(true)
  })

  it.each([
    ['http', false],
    ['https', true],
    ['ftp', true],
    [undefined, true],
  ])(
    'came by https over a connection that is encrypted itself, but for %s: %s',
    (proto, secure) => {
      const arrival = { remoteAddress: '127.0.0.1', encrypted: true, forwardedFor: undefined }
      const trust = readTrustProxy('loopback')
      expect(clientOf({ ...arrival, forwardedProto: proto }, trust).secure).toBe(secure)
    },
  )
})

describe('trusted proxies', () => {
  it.each(
    [
      [
        '',
        'yes',
        'true',
        '0',
        '17',
        '-1',
        '1.5',
        '10.0.0.0/33',
        '10.0.0.1/8',
        'loopback,',
        'proxy.test',
      ],
    ].flat(),
  )('are not %j', (given) => {
    expect(() => readTrustProxy(given)).toThrow(/is no|is not a|has no prefix|is ambiguous/)
  })

  it.each([0, 17, 1.5, NaN, true as never, null as never, {} as never])('are not %j', (given) => {
    expect(() => readTrustProxy(given)).toThrow(/expected|from 1 to 16/)
  })

  it.each<[unknown, string]>([
    ['proxy.test', '"proxy.test" is not a CIDR range'],
    ['10.0.0.1/8', '"10.0.0.1/8" is ambiguous: it has bits beyond its prefix length'],
    [null, '"null" is no proxy'],
    [['loopback', 10], '"10" is no proxy'],
  ])('are not %j, and the error says what would be', (given, problem) => {
    expect(() => readTrustProxy(given as TrustProxy)).toThrow(
      new ConfigurationError(
        `${problem}; addresses, ranges such as 10.0.0.0/8, loopback, linklocal, uniquelocal, ` +
          'private, or a number of proxies are expected',
      ),
    )
  })

  it('keep the error of a range as the cause', () => {
    const cause = expect.any(RangeError) as RangeError
    expect(() => readTrustProxy('10.0.0.0/33')).toThrow(expect.objectContaining({ cause }))
  })

  it.each([
    ['loopback', ['127.0.0.1', '127.255.255.255', '::1'], ['126.255.255.255', '128.0.0.0', '::2']],
    ['linklocal', ['169.254.1.1', 'fe80::1', 'febf::1'], ['169.253.1.1', 'fec0::1', '10.0.0.1']],
    [
      'uniquelocal',
      ['10.1.2.3', '172.16.0.1', '172.31.0.1', '192.168.1.1', 'fc00::1', 'fd00::1'],
      ['11.0.0.1', '172.32.0.1', '192.169.1.1', 'fe00::1', '127.0.0.1', 'fe80::1'],
    ],
    [
      'private',
      ['127.0.0.1', '::1', '169.254.1.1', 'fe80::1', '10.1.2.3', 'fd00::1'],
      ['11.0.0.1', '2001:db8::1'],
    ],
  ])('are those of the name %s, and no others', (name, inside, outside) => {
    const isTrusted = (proxy: string): boolean =>
      address(name, proxy, '198.51.100.1') === '198.51.100.1'
    expect(inside.filter(isTrusted)).toEqual(inside)
    expect(outside.filter(isTrusted)).toEqual([])
  })

  it('take lists as well', () => {
    expect(address(['loopback', '10.0.0.0/8'], '10.9.9.9', '198.51.100.1')).toBe('198.51.100.1')
  })
})

describe('whom a limit counts as one', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['a name of the host', 'a name of the host'],
  ])('%s is %s', (given, expected) => {
    expect(neighbourhoodOf(given)).toBe(expected)
  })

  it('keeps neighbouring /64 networks apart', () => {
    expect(neighbourhoodOf('2001:db8:1:3::9')).not.toBe(neighbourhoodOf('2001:db8:1:2::9'))
  })
})

describe('the client of a request', () => {
  const request = (): Request => new Request('http://watchpost.test/')

  it('is what was noted for it, and unknown for every other request', () => {
    const noted = request()
    noteClient(noted, '198.51.100.1')
    expect(clientAddress(noted)).toBe('198.51.100.1')
    expect(clientAddress(request())).toBeUndefined()
  })

  it('is unknown where no address was known, or something else stands there', () => {
    const unknown = request()
    noteClient(unknown, undefined)
    expect(clientAddress(unknown)).toBeUndefined()
    const strange = request()
    noteClient(strange, 7 as never)
    expect(clientAddress(strange)).toBeUndefined()
  })

  it('is found by another copy of the module: the name of its symbol is fixed', () => {
    const noted = request()
    noteClient(noted, '::1')
    expect(Reflect.get(noted, Symbol.for('watchpost.client'))).toBe('::1')
  })
})
