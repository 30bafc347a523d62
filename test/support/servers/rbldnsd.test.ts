import { expect, it } from 'vitest'
import { dnsHeader, dnsQuery } from './dns-bytes.ts'
import { helloUdp } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { rbldnsdServer, startRbldnsd } from './rbldnsd.ts'
import { smokeTest } from './smoke.ts'

const REVERSED_V6_LISTED = `2.0.0.0.0.0.f.7.f.f.f.f.${'0.'.repeat(20)}bl6.test`

/** The last four bytes of an answer with one address are that address. */
async function lookUp(port: number, name: string): Promise<string> {
  const answer = await helloUdp(port, dnsQuery(name))
  const { rcode, answers } = dnsHeader(answer)
  if (answers === 0) return rcode
  const address = /\0\x01\0\x01[^]{4}\0\x04([^]{4})/.exec(answer.toString('latin1'))?.[1] ?? ''
  return [...Buffer.from(address, 'latin1')].join('.')
}

smokeTest({
  need: rbldnsdServer,
  start: startRbldnsd,
  greetings: async ({ ports }) => [await lookUp(ports.dns, '2.0.0.127.bl.test')],
  expected: [/^127\.0\.0\.2$/],
})

describeWithServer(rbldnsdServer, 'the lists of rbldnsd', () => {
  it.each([
    ['1.0.0.127.bl.test', 'NXDOMAIN'],
    ['7.2.0.192.bl.test', '127.0.0.4'],
    [REVERSED_V6_LISTED, '127.0.0.2'],
    ['test.dbl.test', '127.0.1.2'],
    ['www.listed.example.dbl.test', '127.0.1.2'],
    ['invalid.dbl.test', 'NXDOMAIN'],
    ['1.0.0.127.limited.test', '127.255.255.254'],
    ['1.0.0.127.everything.test', '127.0.0.2'],
    ['invalid.everything.test', '127.0.0.2'],
    ['2.0.0.127.empty.test', 'NXDOMAIN'],
    ['2.0.0.127.unknown.test', 'REFUSED'],
  ])('%s → %s', async (name, expected) => {
    const { ports } = await forThisTest(startRbldnsd())
    expect(await lookUp(ports.dns, name)).toBe(expected)
  })

  it('can lose the test entry, refuse a zone and list more', async () => {
    const { ports } = await forThisTest(
      startRbldnsd({
        withoutTestEntry: true,
        refuse: ['dbl.test'],
        addresses: ['198.51.100.7 :127.0.0.9:Seen sending spam'],
      }),
    )
    expect(await lookUp(ports.dns, '2.0.0.127.bl.test')).toBe('NXDOMAIN')
    expect(await lookUp(ports.dns, 'test.dbl.test')).toBe('REFUSED')
    expect(await lookUp(ports.dns, '7.100.51.198.bl.test')).toBe('127.0.0.9')
  })
})
