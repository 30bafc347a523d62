import { expect, it } from 'vitest'
import { bindServer, EXAMPLE_ZONE, startBind } from './bind.ts'
import type { DnsHeader, DNS_TYPES } from './dns-bytes.ts'
import { dnsHeader, dnsQuery, framed } from './dns-bytes.ts'
import { hello, helloUdp } from './hello.ts'
import { describeWithServer, forThisTest } from './need.ts'
import { smokeTest } from './smoke.ts'

type Type = keyof typeof DNS_TYPES

async function ask(port: number, name: string, type: Type = 'A'): Promise<DnsHeader> {
  return dnsHeader(await helloUdp(port, dnsQuery(name, type)))
}

async function askStream(port: number, name: string, type: Type, tls: boolean): Promise<DnsHeader> {
  const send = framed(dnsQuery(name, type))
  const text = await hello(port, { send, tls, until: /^[^]{14}/ })
  return dnsHeader(Buffer.from(text, 'latin1').subarray(2))
}

const summary = ({ rcode, answers, truncated }: DnsHeader): string =>
  `${rcode} ${answers}${truncated ? ' TC' : ''}`

smokeTest({
  need: bindServer,
  start: startBind,
  greetings: async ({ ports }) => [
    summary(await ask(ports.dns, 'www.example.test')),
    summary(await askStream(ports.dns, 'www.example.test', 'A', false)),
    summary(await askStream(ports.dot, 'www.example.test', 'A', true)),
  ],
  expected: [/^NOERROR 2$/, /^NOERROR 2$/, /^NOERROR 2$/],
})

describeWithServer(bindServer, 'the zones of BIND', () => {
  it('answer as they say', async () => {
    const { ports } = await forThisTest(startBind())
    const heard = async (name: string, type: Type = 'A'): Promise<string> =>
      summary(await ask(ports.dns, name, type))
    expect(await heard('example.test', 'MX')).toBe('NOERROR 2')
    expect(await heard('example.test', 'CAA')).toBe('NOERROR 1')
    expect(await heard('_imap._tcp.example.test', 'SRV')).toBe('NOERROR 1')
    expect(await heard('chain1.example.test')).toBe('NOERROR 6')
    expect(await heard('anything.wild.example.test')).toBe('NOERROR 1')
    expect(await heard('v4only.example.test', 'AAAA')).toBe('NOERROR 0')
    expect(await heard('nowhere.example.test')).toBe('NXDOMAIN 0')
    expect(await heard('long.example.test', 'TXT')).toMatch(/^NOERROR \d+ TC$/)
    expect(summary(await askStream(ports.dns, 'long.example.test', 'TXT', false))).toBe(
      'NOERROR 40',
    )
    expect(await heard('refused.test')).toBe('REFUSED 0')
    expect(await heard('broken.test')).toBe('SERVFAIL 0')
    expect(await heard('unknown.test')).toBe('REFUSED 0')
  })

  it('can refuse everything', async () => {
    const { ports } = await forThisTest(startBind({ refuse: true }))
    expect(summary(await ask(ports.dns, 'www.example.test'))).toBe('REFUSED 0')
  })

  it('can be changed while they are served', async () => {
    const server = await forThisTest(startBind())
    await server.replaceZone(`${EXAMPLE_ZONE}new IN A 127.0.0.5\n`)
    expect(summary(await ask(server.ports.dns, 'new.example.test'))).toBe('NOERROR 1')
  })
})
