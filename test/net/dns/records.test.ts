/** Record data as text, and the names of types and codes. */
import { describe, expect, it } from 'vitest'
import {
  canonicalIpv6,
  packetType,
  rcodeName,
  recordText,
  typeName,
} from '../../../src/net/dns/records.ts'

describe('the data of a record', () => {
  const bytes = Buffer.from('00ff10', 'hex')

  it.each<[string, unknown, string]>([
    ['A', '192.0.2.1', '192.0.2.1'],
    ['AAAA', '2001:DB8:0:0::1', '2001:db8::1'],
    ['CNAME', 'Www.Example.', 'www.example'],
    ['DNAME', 'Example', 'example'],
    ['NS', 'NS.example', 'ns.example'],
    ['PTR', '.', '.'],
    ['MX', { preference: 10, exchange: 'MX.example.' }, '10 mx.example'],
    ['MX', { exchange: '.' }, '0 .'],
    ['SRV', { priority: 1, weight: 2, port: 443, target: 'A.example' }, '1 2 443 a.example'],
    ['SRV', { port: 443, target: 'a.example' }, '0 0 443 a.example'],
    ['TXT', ['v=spf1 ', Buffer.from('-all')], 'v=spf1 -all'],
    ['TXT', 'One Text', 'One Text'],
    ['CAA', { flags: 128, tag: 'Issue', value: 'Ca.example' }, '128 issue "Ca.example"'],
    ['CAA', { tag: 'issue', value: '' }, '0 issue ""'],
    [
      'SOA',
      {
        ...{ mname: 'NS.example', rname: 'Admin.example', serial: 1, refresh: 2, retry: 3 },
        ...{ expire: 4, minimum: 5 },
      },
      'ns.example admin.example 1 2 3 4 5',
    ],
    ['SOA', { mname: 'a', rname: 'b' }, 'a b 0 0 0 0 0'],
    ['DS', { keyTag: 1, algorithm: 8, digestType: 2, digest: bytes }, '1 8 2 00ff10'],
    ['DNSKEY', { flags: 257, algorithm: 13, key: bytes }, '257 3 13 AP8Q'],
    ['TLSA', { usage: 3, selector: 1, matchingType: 1, certificate: bytes }, '3 1 1 00ff10'],
    ['SSHFP', { algorithm: 4, hash: 2, fingerprint: 'ABCD' }, '4 2 abcd'],
    [
      'NAPTR',
      {
        ...{ order: 1, preference: 2, flags: 'u', services: 'E2U', regexp: '!.*!x!' },
        replacement: 'A.example.',
      },
      '1 2 "u" "E2U" "!.*!x!" a.example',
    ],
    ['UNKNOWN_999', bytes, '\\# 3 00ff10'],
    ['UNKNOWN_999', Buffer.alloc(0), '\\# 0'],
    ['RP', { mbox: 'a' }, '{"mbox":"a"}'],
  ])('of type %s: %j', (type, data, text) => {
    expect(recordText(type, data)).toBe(text)
  })

  it.each([
    ['A', '192.0.2'],
    ['A', '2001:db8::1'],
    ['AAAA', '192.0.2.1'],
    ['AAAA', 'fe80::1%eth0'],
  ])('of type %s is malformed where it is %s', (type, data) => {
    expect(() => recordText(type, data)).toThrow('an address that is none')
  })
})

it('an address of IPv6 has one spelling, hexadecimal where it stands for one of IPv4', () => {
  expect(canonicalIpv6('2001:0DB8::0001')).toBe('2001:db8::1')
  expect(canonicalIpv6('::ffff:192.0.2.1')).toBe('::ffff:c000:201')
  expect(canonicalIpv6('192.0.2.1')).toBeUndefined()
  expect(canonicalIpv6('fe80::1%1')).toBeUndefined()
})

it('types have the names of the registry, and numbers where they have none here', () => {
  expect([typeName('UNKNOWN_65'), typeName('UNKNOWN_64'), typeName('MX')]).toEqual([
    ...['HTTPS', 'SVCB', 'MX'],
  ])
  expect(typeName('UNKNOWN_999')).toBe('TYPE999')
  expect(typeName('X_UNKNOWN_1')).toBe('X_UNKNOWN_1')
  expect([packetType('HTTPS'), packetType('SVCB'), packetType('MX')]).toEqual([
    ...['UNKNOWN_65', 'UNKNOWN_64', 'MX'],
  ])
})

it('response codes have the names of the registry', () => {
  const codes = [...Array.from({ length: 12 }, (_, n) => n), 16, 17, 18, 22, 23, 99]
  expect(codes.map(rcodeName)).toEqual([
    ...['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED', 'YXDOMAIN', 'YXRRSET'],
    ...['NXRRSET', 'NOTAUTH', 'NOTZONE', 'RCODE11', 'BADVERS', 'BADKEY', 'BADTIME', 'BADTRUNC'],
    ...['BADCOOKIE', 'RCODE99'],
  ])
})
