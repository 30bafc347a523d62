import { createServer } from 'node:net'
import type { Answer, Question } from 'dns-packet'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CheckerInput } from '../../src/checkers/checker.ts'
import { dns } from '../../src/checkers/dns/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { systemClock } from '../../src/clock.ts'
import { orderRunner } from '../../src/engine/checks/order-runner.ts'
import { parseSettings, runCheck } from '../../src/engine/checks/run-check.ts'
import { silentLogger } from '../../src/logger.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import type { TargetRule } from '../../src/net/guard/guard.ts'
import type { CheckOrder } from '../../src/probes/transport.ts'
import type { TargetPolicy } from '../../src/net/net.ts'
import { check } from '../support/check.ts'
import type { Checked } from '../support/check.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import type { ScriptedDns } from '../support/scripted-dns.ts'
import { closedPort } from '../support/scripted-server.ts'

type DnsInput = Omit<CheckerInput<ReturnType<typeof dns>>, 'type'>

const a = (name: string, data: string): Answer => ({ type: 'A', name, ttl: 60, data })

/** Of HTTPS records: priority 1, target `.`, and one address as a hint. */
const hinting = (...ip: readonly number[]): Buffer => Buffer.from([0, 1, 0, 0, 4, 0, 4, ...ip])

const ZONE: Readonly<Record<string, readonly Answer[]>> = {
  'public.example.org': [a('public.example.org', '93.184.216.34')],
  'split.example.org': [a('split.example.org', '10.1.2.3')],
  'mixed.example.org': [
    a('mixed.example.org', '93.184.216.34'),
    a('mixed.example.org', '192.168.7.8'),
  ],
  'alias.example.org': [
    { type: 'CNAME', name: 'alias.example.org', ttl: 60, data: 'db01.corp' },
    a('db01.corp', '10.9.8.7'),
  ],
  'mail.example.org': [
    { type: 'MX', name: 'mail.example.org', ttl: 60, data: { preference: 5, exchange: 'mx.lan' } },
  ],
  '8.8.8.8.in-addr.arpa': [
    { type: 'PTR', name: '8.8.8.8.in-addr.arpa', ttl: 60, data: 'dns.google' },
  ],
  '1.0.0.10.in-addr.arpa': [
    { type: 'PTR', name: '1.0.0.10.in-addr.arpa', ttl: 60, data: 'gateway.internal' },
  ],
  'vault.internal': [a('vault.internal', '93.184.216.34')],
}

const HINTS: Readonly<Record<string, Buffer>> = {
  'h.example.org': hinting(10, 1, 2, 3),
  'p.example.org': hinting(93, 184, 216, 34),
}

function answer({ type, name }: Question): { rcode?: number; answers?: readonly Answer[] } {
  const hint = HINTS[name]
  if ((type as string) === 'UNKNOWN_65' && hint !== undefined) {
    return { answers: [{ type, name, ttl: 60, data: hint } as unknown as Answer] }
  }
  const answers = ZONE[name]
  return answers === undefined ? { rcode: 3 } : { answers }
}

const PUBLIC = targetPolicy('public')

async function ask(
  input: DnsInput,
  policy: TargetPolicy = PUBLIC,
): Promise<{ readonly outcome: Checked; readonly server: ScriptedDns }> {
  const server = await scriptedDns(answer)
  const options = { nameservers: [server.address], policy, strangers: true }
  return { outcome: await check(dns(), input, options), server }
}

describe('through the name servers of the location, strangers', () => {
  it.each<DnsInput>([
    { dns_name: 'vault.internal' },
    { dns_name: 'VAULT.Internal.', rrtype: 'TXT' },
    { dns_name: 'vault.internal', match: 'nxdomain' },
    { dns_name: 'vault.ｉnternal' },
    { dns_name: 'internal', rrtype: 'NS' },
    ...['local', 'localhost', 'lan', 'home.arpa', 'corp', 'home', 'private', 'intranet'].map(
      (suffix) => ({ dns_name: `printer.${suffix}` }),
    ),
    ...['test', 'invalid', 'onion', 'alt', 'localdomain'].map((suffix) => ({
      dns_name: `printer.${suffix}`,
    })),
    { dns_name: 'gitlab' },
    { dns_name: '10.0.0.1', rrtype: 'PTR' },
    { dns_name: '1.0.0.10.in-addr.arpa', rrtype: 'PTR' },
    { dns_name: '10.in-addr.arpa', rrtype: 'SOA' },
    { dns_name: 'x.0.168.192.in-addr.arpa', rrtype: 'PTR' },
    { dns_name: '127.0.0.1', rrtype: 'PTR' },
    { dns_name: '169.254.169.254', rrtype: 'PTR' },
    { dns_name: '100.64.0.1', rrtype: 'PTR' },
    { dns_name: '::1', rrtype: 'PTR' },
    { dns_name: 'fd00::1', rrtype: 'PTR' },
    { dns_name: 'fe80::1', rrtype: 'PTR' },
    { dns_name: 'd.f.ip6.arpa', rrtype: 'NS' },
  ])('may not ask about %j, and nobody is asked', async (input) => {
    const { outcome, server } = await ask(input)
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: 'connect_blocked',
      phase: 'resolve',
    })
    expect(server.questions).toEqual([])
  })

  it.each<[DnsInput, object]>([
    [{ dns_name: 'public.example.org' }, { answers: [{ value: '93.184.216.34' }] }],
    [{ dns_name: '8.8.8.8', rrtype: 'PTR' }, { answers: [{ value: 'dns.google' }] }],
    [{ dns_name: 'mixed.example.org' }, { answers: [{ value: '93.184.216.34' }], left_out: 1 }],
    [
      { dns_name: 'mixed.example.org', match: 'exact', expected: '93.184.216.34' },
      { answers: [{}], left_out: 1 },
    ],
    [{ dns_name: 'p.example.org', rrtype: 'HTTPS' }, { answers: [{}] }],
  ])('are told of %j what is public', async (input, details) => {
    const { outcome } = await ask(input)
    expect(outcome).toMatchObject({ verdict: 'ok', details })
    expect(JSON.stringify(outcome)).not.toContain('192.168')
  })

  it.each<DnsInput>([
    { dns_name: 'split.example.org' },
    { dns_name: 'split.example.org', match: 'none', expected: '10.1.2.3' },
    { dns_name: 'split.example.org', match: 'nxdomain' },
    { dns_name: 'alias.example.org' },
    { dns_name: 'alias.example.org', rrtype: 'CNAME' },
    { dns_name: 'mail.example.org', rrtype: 'MX' },
    { dns_name: 'h.example.org', rrtype: 'HTTPS' },
  ])('are not told what lies inside: %j', async (input) => {
    const { outcome } = await ask(input)
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: 'connect_blocked' })
    expect(JSON.stringify(outcome)).not.toMatch(/10\.1\.2|10\.9\.8|0a0102|db01|mx\.lan|corp/)
  })

  it('are not told who those are: not in details, address, or words', async () => {
    const { outcome } = await ask({ dns_name: 'public.example.org' })
    expect(outcome).toMatchObject({ remote_ip: null, details: { server: 'resolver' } })
    const silent = await scriptedDns(() => undefined)
    const torn = await scriptedDns(() => ({ answers: [a('x', '1.1.1.1')], rcode: 5 }))
    const dead = `127.0.0.1:${await closedPort()}`
    for (const nameservers of [[silent.address], [dead], [dead, silent.address], [torn.address]]) {
      const options = { nameservers, policy: PUBLIC, strangers: true, timeout_ms: 1500 }
      const input = { dns_name: 'public.example.org' }
      const told = JSON.stringify([
        await check(dns(), input, options),
        await check(dns(), { ...input, nameserver: 'ns.example.org' }, options),
        await check(tcp(), { host: 'www.example.org', port: 80 }, options),
      ])
      expect(told).not.toContain('127.0.0.1')
    }
  })

  it('are not told over TCP either', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { readonly port: number }
    const options = { nameservers: [`tcp://127.0.0.1:${port}`], policy: PUBLIC, strangers: true }
    const outcome = await check(dns(), { dns_name: 'public.example.org' }, options)
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_resolver_broken' })
    expect(JSON.stringify(outcome)).not.toContain('127.0.0.1')
  })

  it('learn of no name inside by any other type', async () => {
    const { address, questions } = await scriptedDns(answer)
    const options = { nameservers: [address], policy: PUBLIC, strangers: true }
    for (const host of ['vault.internal', 'gitlab', 'nowhere.internal']) {
      expect(await check(tcp(), { host, port: 80 }, options)).toMatchObject({
        cause_code: 'connect_blocked',
      })
    }
    expect(questions).toEqual([])
  })

  it('go by a policy of the host where it has one', async () => {
    const only = (denied: string): TargetPolicy => {
      return ({ address }) => (address.startsWith(denied) ? 'inside' : undefined)
    }
    const allowed = await ask({ dns_name: 'split.example.org' }, only('192.168.'))
    expect(allowed.outcome).toMatchObject({ verdict: 'ok', details: { server: 'resolver' } })
    expect((await ask({ dns_name: 'vault.internal' }, only('192.168.'))).outcome.verdict).toBe('ok')
    const denied = await ask({ dns_name: '10.0.0.1', rrtype: 'PTR' }, only('10.'))
    expect(denied.outcome.cause_code).toBe('connect_blocked')
  })
})

it('an own name server is asked about anything, and everything it says is shown', async () => {
  const server = await scriptedDns(answer)
  const options = { strangers: true, policy: () => undefined }
  const input = { dns_name: 'split.example.org', nameserver: server.address }
  expect(await check(dns(), input, options)).toMatchObject({
    verdict: 'ok',
    remote_ip: '127.0.0.1',
    details: { answers: [{ value: '10.1.2.3' }], server: server.address },
  })
  const guarded = { strangers: true, policy: PUBLIC }
  expect(await check(dns(), input, guarded)).toMatchObject({ cause_code: 'connect_blocked' })
})

it('where targets are open, everything is shown', async () => {
  const server = await scriptedDns(answer)
  const options = { nameservers: [server.address], policy: targetPolicy('open') }
  expect(await check(dns(), { dns_name: 'vault.internal' }, options)).toMatchObject({
    verdict: 'ok',
    remote_ip: '127.0.0.1',
    details: { server: server.address },
  })
})

describe('targets other than open are for strangers', () => {
  const refused = { verdict: 'fail', cause_code: 'connect_blocked' }
  const settings = { dns_name: 'vault.internal' }

  it.each<TargetRule>(['public', () => 'no'])('in runCheck, with %s', async (targets) => {
    expect(await runCheck(dns(), settings, { targets })).toMatchObject(refused)
  })

  it.each<TargetRule>(['public', () => 'no'])(
    'in an engine or a probe, with %s',
    async (targets) => {
      const run = orderRunner({
        checkerOf: () => dns(),
        clock: systemClock,
        log: silentLogger,
        targets,
      })
      const order = {
        type: 'dns',
        settings: parseSettings(dns(), settings),
        timeout_ms: 5000,
        interval_sec: 60,
        location: { id: 1, name: 'here' },
        memo: null,
      } as unknown as CheckOrder
      const { outcome } = await run(order, new AbortController().signal)
      expect(outcome).toMatchObject(refused)
    },
  )
})
