import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:https'
import type { ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { dns } from '../../src/checkers/dns/index.ts'
import { systemClock } from '../../src/clock.ts'
import { parseSettings, runCheck } from '../../src/engine/checks/run-check.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { bindServer, EXAMPLE_ZONE, startBind } from '../support/servers/bind.ts'
import type { BindServer } from '../support/servers/bind.ts'
import { dnsHeader, dnsQuery } from '../support/servers/dns-bytes.ts'
import { helloUdp } from '../support/servers/hello.ts'
import { describeWithServer } from '../support/servers/need.ts'

const checker = dns()
const at = ({ ports }: BindServer) => `127.0.0.1:${ports.dns}`

describeWithServer(bindServer, 'BIND', () => {
  let zone: BindServer
  let resolver: BindServer
  /** Trusts a key that the zone does not have. */
  let betrayed: BindServer

  beforeAll(async () => {
    zone = await startBind({ signed: true })
    const key = await signingKey(zone)
    const port = zone.ports.dns
    ;[resolver, betrayed] = await Promise.all([
      startBind({ validates: { port, key } }),
      startBind({ validates: { port, key: anotherKey() } }),
    ])
  })
  afterAll(() => Promise.all([zone, resolver, betrayed].map((server) => server.stop())))

  const ask = (server: BindServer, dns_name: string) =>
    check(checker, { dns_name, nameserver: at(server), dnssec: true })

  it('that validates vouches for a signed name, and for one that does not exist', async () => {
    expect(await ask(resolver, 'www.signed.test')).toMatchObject({
      verdict: 'ok',
      details: { authenticated: true, answers: [{ value: '127.0.0.9' }] },
    })
    const nothing = await ask(resolver, 'nothing.signed.test')
    expect(nothing).toMatchObject({ cause_code: 'dns_nxdomain', details: { authenticated: true } })
  })

  it('that cannot validate a signed name refuses it, which is told from other failures', async () => {
    const outcome = await ask(betrayed, 'www.signed.test')
    expect(outcome, outcome.cause_text ?? '').toMatchObject({
      verdict: 'fail',
      cause_code: 'dnssec_bogus',
      cause_text: expect.stringContaining('without validation it is NOERROR') as string,
      details: { rcode: 'SERVFAIL' },
    })
    expect(await ask(zone, 'www.broken.test')).toMatchObject({ cause_code: 'dns_server_failure' })
  })

  it('that validates nothing, or a zone without signatures, is unproven', async () => {
    expect(await ask(zone, 'www.signed.test')).toMatchObject({
      cause_code: 'dnssec_unproven',
      cause_text: expect.stringContaining('a server of the zone itself') as string,
    })
    expect(await ask(resolver, 'www.example.test')).toMatchObject({ cause_code: 'dnssec_unproven' })
  })

  it('is asked neither for AD nor with CD where dnssec is off', async () => {
    const settings = { dns_name: 'www.signed.test', nameserver: at(betrayed) }
    expect(await check(checker, settings)).toMatchObject({ cause_code: 'dns_server_failure' })
  })

  it('has one serial number everywhere, or the servers that differ are named', async () => {
    const settings = {
      ...({ dns_name: 'example.test', rrtype: 'SOA', same_serial: true } as const),
      nameserver: `${at(resolver)}, ${at(betrayed)}`,
    }
    expect(await check(checker, settings)).toMatchObject({
      verdict: 'ok',
      details: {
        serials: [
          { server: at(resolver), serial: 2024010101 },
          { server: at(betrayed), serial: 2024010101 },
        ],
      },
    })
    await betrayed.replaceZone(EXAMPLE_ZONE.replace('2024010101', '2024010102'))
    expect(await check(checker, settings)).toMatchObject({
      verdict: 'fail',
      cause_code: 'dns_serial_mismatch',
      cause_text: `The name servers differ: ${at(resolver)} has 2024010101, ${at(betrayed)} has 2024010102`,
    })
    const lost = { ...settings, nameserver: `${at(resolver)}, 127.0.0.1:9` }
    expect(await check(checker, lost)).toMatchObject({
      verdict: 'fail',
      cause_code: 'connect_refused',
      details: { serials: [{ serial: 2024010101 }, { cause_code: 'connect_refused' }] },
    })
  })

  it('finds the name servers of the zone by itself', async () => {
    const settings = { dns_name: 'example.test', rrtype: 'SOA', same_serial: true } as const
    const hosts = { 'ns.example.test': ['127.0.0.77'], 'ns2.example.test': ['127.0.0.78'] }
    const outcome = await check(checker, settings, { nameservers: [at(resolver)], hosts })
    // Nobody listens at their addresses.
    expect(outcome.details['serials']).toEqual([
      { server: 'ns.example.test', cause_code: 'connect_refused' },
      { server: 'ns2.example.test', cause_code: 'connect_refused' },
    ])
  })

  it('answers over HTTPS', async () => {
    const url = await gateway((message) => helloUdp(zone.ports.dns, message))
    const outcome = await check(checker, { dns_name: 'www.example.test', nameserver: url })
    expect(outcome, outcome.cause_text ?? '').toMatchObject({
      verdict: 'ok',
      details: { transport: 'https', server: url, answers: [{}, {}] },
    })
  })
})

describe('a name server over HTTPS', () => {
  const ask = (nameserver: string, options = {}) =>
    check(checker, { dns_name: 'www.example.test', nameserver }, options)

  it.each<[string, (response: ServerResponse) => unknown, string]>([
    ['another status', (r) => r.writeHead(404).end(), 'dns_malformed'],
    ['a page', (r) => r.setHeader('content-type', 'text/html').end('hello'), 'dns_malformed'],
    ['nothing of use', (r) => r.setHeader('content-type', TYPE).end('hello'), 'dns_malformed'],
    ['megabytes', (r) => r.setHeader('content-type', TYPE).end(Buffer.alloc(3e6)), 'dns_malformed'],
    ['a reset', (r) => r.destroy(), 'closed_early'],
  ])('that sends %s', async (_, answer, cause_code) => {
    const url = await serve((response) => void answer(response))
    const outcome = await ask(url)
    expect(outcome, outcome.cause_text ?? '').toMatchObject({ verdict: 'fail', cause_code })
  })

  it('that never answers meets the deadline, and the next one is asked', async () => {
    const url = await serve(() => undefined)
    await withDeadline(600, async (timeout_ms) => {
      const outcome = await ask(`${url}, 127.0.0.1:9`, { timeout_ms })
      expect(outcome.verdict).toBe('fail')
      expect(outcome.details['attempts'] ?? outcome.cause_code).toBeDefined()
    })
  })

  it('is held against its certificate, and passes the guard', async () => {
    const url = await serve(() => undefined)
    expect(await ask(url, { ca: certificates().selfSigned.cert })).toMatchObject({
      cause_code: expect.stringMatching(/^tls_/) as string,
    })
    const policy = () => 'private'
    expect(await ask(url, { policy })).toMatchObject({ cause_code: 'connect_blocked' })
  })

  it.each([
    ['https://dns.example', 'https://dns.example/dns-query'],
    ['https://dns.example/x{?dns}', 'https://dns.example/x'],
    ['HTTPS://[2001:db8::1]:8443/q?a=b', 'https://[2001:db8::1]:8443/q?a=b'],
  ])('%s is kept as %s', (nameserver, kept) => {
    const stored = parseSettings(checker, { dns_name: 'a.test', nameserver })
    expect(stored).toMatchObject({ nameserver: kept })
  })

  it.each([
    'https://',
    'https://u:p@dns.example/',
    'https://dns.example/a b',
    'http://dns.example/',
  ])('%s is none', (nameserver) => {
    expect(() => parseSettings(checker, { dns_name: 'a.test', nameserver })).toThrow(
      /is no name server/,
    )
  })
})

it('same_serial goes with SOA', () => {
  expect(() => parseSettings(checker, { dns_name: 'a.test', same_serial: true })).toThrow(/SOA/)
})

const TYPE = 'application/dns-message'

/** Answers with what `resolve` makes of the message. */
function gateway(resolve: (message: Buffer) => Promise<Buffer>): Promise<string> {
  return serve((response, body) => {
    void resolve(body).then((answer) => response.setHeader('content-type', TYPE).end(answer))
  })
}

async function serve(answer: (response: ServerResponse, body: Buffer) => void): Promise<string> {
  const { key, chain } = certificates().good
  const server = createServer({ key, cert: chain }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => answer(response, Buffer.concat(parts)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/dns-query`
}

/** ECDSA P-256, as the zone has: both coordinates (RFC 6605, 4). */
function anotherKey(): string {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const bytes = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
  return `257 3 13 ${bytes.toString('base64')}`
}

/** The key of the zone, once it is signed: `257 3 13 …`. The key is there before the other records are signed. */
async function signingKey(server: BindServer): Promise<string> {
  const signature = dnsQuery('www.signed.test', 'RRSIG')
  while (dnsHeader(await helloUdp(server.ports.dns, signature)).answers === 0)
    await systemClock.sleep(50)
  const settings = { dns_name: 'signed.test', rrtype: 'DNSKEY', nameserver: at(server) } as const
  for (;;) {
    const { details } = await runCheck(checker, settings)
    const keys = (details['answers'] ?? []) as readonly { readonly value: string }[]
    const found = keys.find(({ value }) => value.startsWith('257 '))
    if (found !== undefined) return found.value
    await systemClock.sleep(50)
  }
}
