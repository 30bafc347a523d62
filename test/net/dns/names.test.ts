import { describe, expect, it } from 'vitest'
import {
  parseDnsName,
  reversedLabels,
  reverseName,
  formatNameServer,
  parseNameServer,
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
    expect(reverseName('example.com')).toBeUndefined()
  })
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
  ])('%j is none', (text) => {
    expect(parseNameServer(text)).toBeUndefined()
  })
})
