import { describe, expect, it } from 'vitest'
import {
  asciiName,
  formatNameServer,
  parseDnsName,
  parseNameServer,
  reversedLabels,
  reverseName,
  reverseRange,
  urlOf,
} from '../../../src/net/dns/names.ts'

describe('a DNS name', () => {
  it.each([
    ['Example.COM.', 'example.com'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['*.example.com', '*.example.com'],
    ['0/25.2.0.192.in-addr.arpa', '0/25.2.0.192.in-addr.arpa'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['пример。испытание', 'xn--e1afmkfd.xn--80akhbyknj4f'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    ['.', '.'],
  ])('%s is %s', (text, name) => {
    expect(parseDnsName(text)).toBe(name)
  })

  it.each([
    '',
    '..',
    'a..b',
    '.a',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(126)}ab`,
    'a b',
    'a\\.b',
    'a"b',
    'a\0b',
    `${'ü'.repeat(63)}.example`,
  ])('%j is none', (text) => {
    expect(parseDnsName(text)).toBeUndefined()
  })

  it('of an address has its parts the other way round', () => {
    expect(reverseName('192.0.2.7')).toBe('7.2.0.192.in-addr.arpa')
    expect(reversedLabels('::ffff:7f00:2')).toBe(`2.0.0.0.0.0.f.7.f.f.f.f${'.0'.repeat(20)}`)
    expect(reverseName('::1')).toBe(`1${'.0'.repeat(31)}.ip6.arpa`)
    expect(reversedLabels('192.0.2.7')).toBe('7.2.0.192')
    expect(reverseName('example.com')).toBeUndefined()
    expect(reversedLabels('example.com')).toBeUndefined()
  })

  it('has 253 characters at most, a dot behind it not counted', () => {
    const longest = `${'a'.repeat(63)}.`.repeat(3) + 'a'.repeat(61)
    expect(longest).toHaveLength(253)
    expect(parseDnsName(longest)).toBe(longest)
    expect(parseDnsName(`${longest}.`)).toBe(longest)
    expect(parseDnsName(`${longest}a`)).toBeUndefined()
  })

  it('beyond ASCII is converted, unless it is too long for a name', () => {
    expect(asciiName('Büro_1')).toBe('xn--bro_1-kva')
    expect(asciiName('Buero_1')).toBe('Buero_1')
    expect(asciiName('ü'.repeat(5000))).toBe('')
    // Of 254 characters, with the dot of the root.
    expect(asciiName('ü.'.repeat(127))).toMatch(/^xn--/)
    expect(asciiName(`${'ü.'.repeat(127)}ü`)).toBe('')
  })
})

describe('a reverse zone', () => {
  const zeros = (count: number) => Array<string>(count).fill('0000')
  const ones = (count: number) => Array<string>(count).fill('ffff')

  it.each<[string, [string, string] | undefined]>([
    ['7.2.0.192.in-addr.arpa', ['192.0.2.7', '192.0.2.7']],
    ['2.0.192.in-addr.arpa', ['192.0.2.0', '192.0.2.255']],
    ['10.in-addr.arpa', ['10.0.0.0', '10.255.255.255']],
    // Labels behind the address, and those that are none.
    ['x.9.7.2.0.192.in-addr.arpa', ['192.0.2.7', '192.0.2.7']],
    ['0/25.2.0.192.in-addr.arpa', ['192.0.2.0', '192.0.2.255']],
    ['256.2.0.192.in-addr.arpa', ['192.0.2.0', '192.0.2.255']],
    ['0255.2.0.192.in-addr.arpa', ['192.0.2.0', '192.0.2.255']],
    ['007.2.0.192.in-addr.arpa', ['192.0.2.7', '192.0.2.7']],
    [
      'b.d.0.1.0.0.2.ip6.arpa',
      [['2001', '0db0', ...zeros(6)].join(':'), ['2001', '0dbf', ...ones(6)].join(':')],
    ],
    [
      `${'0.'.repeat(31)}2.ip6.arpa`,
      [['2000', ...zeros(7)].join(':'), ['2000', ...zeros(7)].join(':')],
    ],
    [
      `f.${'0.'.repeat(31)}2.ip6.arpa`,
      [['2000', ...zeros(7)].join(':'), ['2000', ...zeros(7)].join(':')],
    ],
    ['10.2.ip6.arpa', [['2000', ...zeros(7)].join(':'), ['2fff', ...ones(7)].join(':')]],
    ['g.ip6.arpa', undefined],
    ['in-addr.arpa', undefined],
    ['ip6.arpa', undefined],
    ['a.in-addr.arpa', undefined],
    ['10.in-addr.arpa.example', undefined],
    ['10.xin-addr.arpa', undefined],
    ['10.in-addrxarpa', undefined],
    ['shop.example', undefined],
  ])('%s', (name, range) => {
    expect(reverseRange(name)).toEqual(range)
  })
})

const https = (host: string, port = 443, path = '/dns-query') => ({
  ...{ scheme: 'https', host, port, path },
})

describe('a name server', () => {
  it.each([
    ['192.0.2.1', { scheme: 'udp', host: '192.0.2.1', port: 53 }],
    ['192.0.2.1:5353', { scheme: 'udp', host: '192.0.2.1', port: 5353 }],
    ['2001:db8::1', { scheme: 'udp', host: '2001:db8::1', port: 53 }],
    ['[2001:db8::1]:5353', { scheme: 'udp', host: '2001:db8::1', port: 5353 }],
    ['NS.example.', { scheme: 'udp', host: 'ns.example', port: 53 }],
    ['tcp://192.0.2.1', { scheme: 'tcp', host: '192.0.2.1', port: 53 }],
    ['tls://[2001:db8::1]', { scheme: 'tls', host: '2001:db8::1', port: 853 }],
    ['TLS://dns.example:8853/', { scheme: 'tls', host: 'dns.example', port: 8853 }],
    ['192.0.2.1:1', { scheme: 'udp', host: '192.0.2.1', port: 1 }],
    ['192.0.2.1:65535', { scheme: 'udp', host: '192.0.2.1', port: 65_535 }],
    ['tcp://https:5353', { scheme: 'tcp', host: 'https', port: 5353 }],
    ['1und1.example', { scheme: 'udp', host: '1und1.example', port: 53 }],
    ['https://dns.example:1/', https('dns.example', 1)],
    ['https://Dns.example', https('dns.example')],
    ['HTTPS://192.0.2.1/', https('192.0.2.1')],
    ['https://[2001:db8::1]:8443/q?a=1', https('2001:db8::1', 8443, '/q?a=1')],
    ['https://dns.example/dns-query{?dns}', https('dns.example')],
    [`https://dns.example/${'x'.repeat(499)}`, https('dns.example', 443, `/${'x'.repeat(499)}`)],
  ])('%s can be read and written', (text, server) => {
    expect(parseNameServer(text)).toEqual(server)
    expect(parseNameServer(formatNameServer(server as never))).toEqual(server)
  })

  it.each([
    '',
    '192.0.2',
    '256.0.0.1',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.1:',
    '[192.0.2.1]',
    '2001:db8::1:zz',
    'quic://192.0.2.1',
    'user@192.0.2.1',
    'tls://dns.example/path',
    'a b',
    'x192.0.2.1:53x',
    'xtcp://192.0.2.1',
    'https:dns.example:x',
    'https://user@dns.example/',
    'https://:secret@dns.example/',
    'https://dns.example:0/',
    'https://dns.example/a b',
    'https://dns.example/a,b',
    'https://dns.example/{?dns}/x',
    'https://1.2.3.x/..{',
    `https://dns.example/${'x'.repeat(500)}`,
    `https://${'a'.repeat(64)}.example/`,
  ])('%j is none', (text) => {
    expect(parseNameServer(text)).toBeUndefined()
  })

  it.each([
    [{ scheme: 'udp', host: '192.0.2.1', port: 53 }, '192.0.2.1'],
    [{ scheme: 'udp', host: '2001:db8::1', port: 53 }, '[2001:db8::1]'],
    [{ scheme: 'udp', host: 'ns.example', port: 5353 }, 'ns.example:5353'],
    [{ scheme: 'tcp', host: '192.0.2.1', port: 53 }, 'tcp://192.0.2.1'],
    [{ scheme: 'tls', host: 'ns.example', port: 53 }, 'tls://ns.example:53'],
    [https('dns.example'), 'https://dns.example/dns-query'],
    [https('2001:db8::1', 8443, '/q'), 'https://[2001:db8::1]:8443/q'],
  ] as const)('%j is written as %s', (server, text) => {
    expect(formatNameServer(server as never)).toBe(text)
  })

  it('over HTTPS has the usual path where it has none', () => {
    expect(urlOf({ scheme: 'https', host: 'dns.example', port: 443 })).toBe(
      'https://dns.example/dns-query',
    )
  })
})
