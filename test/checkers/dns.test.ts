import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dns } from '../../src/checkers/dns/index.ts'
import { findRecords, judge } from '../../src/checkers/dns/judge.ts'
import type { CheckerInput } from '../../src/checkers/checker.ts'
import { ValidationError } from '../../src/errors.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { DNS } from '../support/hostile/dns.ts'
import { scriptedDns } from '../support/scripted-dns.ts'
import { closedPort } from '../support/scripted-server.ts'
import { bindServer, EXAMPLE_ZONE, startBind } from '../support/servers/bind.ts'
import type { BindServer } from '../support/servers/bind.ts'
import { describeWithServer, forThisTest } from '../support/servers/need.ts'

type DnsInput = Omit<CheckerInput<ReturnType<typeof dns>>, 'type'>

describeWithServer(bindServer, 'the records of a name in BIND', () => {
  let shared: BindServer
  beforeAll(async () => {
    shared = await startBind()
  })
  afterAll(() => shared.stop())
  const start = () => forThisTest(startBind())
  const ask = (server: BindServer, input: Partial<DnsInput>) =>
    check(dns(), {
      dns_name: 'www.example.test',
      nameserver: `127.0.0.1:${server.ports.dns}`,
      ...input,
    })
  const causeOf = async (server: BindServer, input: Partial<DnsInput>) =>
    (await ask(server, input)).cause_code

  it('are measured: values, lifetimes, flags, who answered', async () => {
    const server = shared
    const outcome = await ask(server, {})
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, remote_ip: '127.0.0.1' })
    expect(Object.keys(outcome.phases)).toEqual(['resolve_ms'])
    expect(outcome.details).toEqual({
      rcode: 'NOERROR',
      answers: expect.arrayContaining([
        { type: 'A', value: '127.0.0.9', ttl: 60 },
        { type: 'A', value: '127.0.0.10', ttl: 60 },
      ]) as unknown,
      min_ttl: 60,
      authoritative: true,
      truncated: false,
      authenticated: false,
      server: `127.0.0.1:${server.ports.dns}`,
      transport: 'udp',
    })
    for (const name of Object.keys(outcome.details)) {
      expect(Object.keys(dns().measurements)).toContain(name)
    }
  })

  it.each<[string, Partial<DnsInput>]>([
    ['one of several is there', { expected: '127.0.0.9' }],
    ['one of those that may be there is', { expected: ['192.0.2.1', '127.0.0.9'] }],
    ['a range holds one', { expected: '127.0.0.8/30' }],
    ['all are there', { match: 'all', expected: '127.0.0.10, 127.0.0.9' }],
    [
      'these and no others, in any order',
      { match: 'exact', expected: ['127.0.0.10', '127.0.0.9'] },
    ],
    ['none is there', { match: 'none', expected: '192.0.2.1' }],
    ['the name is an alias', { dns_name: 'alias.example.test', expected: '127.0.0.9' }],
    [
      'the alias itself',
      { dns_name: 'alias.example.test', rrtype: 'CNAME', expected: 'WWW.Example.test.' },
    ],
    ['IPv6 in another spelling', { rrtype: 'AAAA', expected: '0:0:0:0:0:0:0:9' }],
    [
      'MX as dig has it',
      { dns_name: 'example.test', rrtype: 'MX', expected: '10  Mail.example.test.' },
    ],
    [
      'TXT with quotes and in pieces',
      { dns_name: 'example.test', rrtype: 'TXT', expected: '"two " "strings"' },
    ],
    ['TXT without quotes', { dns_name: 'example.test', rrtype: 'TXT', expected: 'v=spf1 -all' }],
    ['CAA', { dns_name: 'example.test', rrtype: 'CAA', expected: '0 issue ca.example.test' }],
    [
      'SRV',
      {
        dns_name: '_imap._tcp.example.test',
        rrtype: 'SRV',
        expected: '10 60 143 mail.example.test',
      },
    ],
    [
      'a part of one',
      { dns_name: 'example.test', rrtype: 'TXT', match: 'contains', expected: 'spf1' },
    ],
    [
      'a pattern matches one',
      { dns_name: 'example.test', rrtype: 'SOA', match: 'regex', expected: ' 20240101\\d{2} ' },
    ],
    ['a wildcard answers', { dns_name: 'anything.wild.example.test', expected: '127.0.0.42' }],
    ['what must not exist does not', { dns_name: 'nowhere.example.test', match: 'nxdomain' }],
    [
      'what does not exist has none of these',
      { dns_name: 'nowhere.example.test', match: 'none', expected: '127.0.0.9' },
    ],
  ])('are as expected: %s', async (_, input) => {
    expect(await ask(shared, input)).toMatchObject({ verdict: 'ok' })
  })

  it.each<[string, Partial<DnsInput>, string]>([
    ['dns_mismatch', { expected: '192.0.2.1' }, 'none of these is there'],
    ['dns_mismatch', { match: 'all', expected: '127.0.0.9, 192.0.2.1' }, 'one is missing'],
    [
      'dns_mismatch',
      { match: 'exact', expected: '127.0.0.9, 127.0.0.10, 192.0.2.1' },
      'one is missing from the set',
    ],
    ['dns_unexpected_record', { match: 'exact', expected: '127.0.0.9' }, 'there is one more'],
    ['dns_unexpected_record', { match: 'none', expected: '127.0.0.0/24' }, 'one is in the range'],
    ['dns_unexpected_record', { match: 'nxdomain' }, 'the name exists'],
    [
      'dns_mismatch',
      { dns_name: 'v4only.example.test', rrtype: 'AAAA', match: 'nxdomain' },
      'it exists without such records',
    ],
    ['dns_mismatch', { match: 'contains', expected: '192.0.2' }, 'no record has it'],
    ['dns_mismatch', { match: 'regex', expected: '^10\\.' }, 'no record matches'],
    ['dns_nxdomain', { dns_name: 'nowhere.example.test' }, 'the name does not exist'],
    ['dns_nxdomain', { dns_name: 'dangling.example.test' }, 'its alias does not exist'],
    [
      'dns_no_records',
      { dns_name: 'v4only.example.test', rrtype: 'AAAA' },
      'it has none of the type',
    ],
    ['dns_no_records', { dns_name: 'outside.example.test' }, 'its alias leads elsewhere'],
    ['dns_server_failure', { dns_name: 'loop1.example.test' }, 'its alias leads back'],
    ['dns_server_failure', { dns_name: 'broken.test' }, 'the zone is broken'],
    ['dns_refused', { dns_name: 'refused.test' }, 'nobody may ask'],
    [
      'dns_nameserver_unresolvable',
      { nameserver: 'ns.nowhere.invalid' },
      'the name server has no address',
    ],
  ])('fail with %s: %j (%s)', async (cause, input) => {
    const server = shared
    const unknown = await scriptedDns(() => ({ rcode: 3 }))
    const settings = { dns_name: 'www.example.test', nameserver: `127.0.0.1:${server.ports.dns}` }
    const outcome = await check(
      dns(),
      { ...settings, ...input },
      { nameservers: [unknown.address] },
    )
    expect(outcome).toMatchObject({ verdict: 'fail', cause_code: cause, phase: 'resolve' })
  })

  it('come with the chain of aliases', async () => {
    const server = shared
    const { details } = await ask(server, { dns_name: 'chain1.example.test' })
    expect(details['cname_chain']).toEqual(
      ['chain2', 'chain3', 'alias', 'www'].map((name) => `${name}.example.test`),
    )
    expect(details['answers']).toHaveLength(2)
  })

  it('are fetched over TCP when they are too long for UDP', async () => {
    const server = shared
    const outcome = await ask(server, { dns_name: 'long.example.test', rrtype: 'TXT' })
    expect(outcome.details).toMatchObject({ truncated: true, transport: 'tcp' })
    expect(outcome.details['answers']).toHaveLength(40)
  })

  it('are asked for over TLS, and a wrong certificate fails', async () => {
    const server = shared
    const tls = { nameserver: `tls://127.0.0.1:${server.ports.dot}` }
    expect(await ask(server, tls)).toMatchObject({ verdict: 'ok' })
    const expired = await forThisTest(startBind({ certificate: 'expired' }))
    expect(await causeOf(server, { nameserver: `tls://127.0.0.1:${expired.ports.dot}` })).toBe(
      'tls_expired',
    )
  })

  it('are asked of the next name server when one is dead', async () => {
    const server = shared
    const nameserver = `127.0.0.1:${await closedPort()}, 127.0.0.1:${server.ports.dns}`
    const outcome = await ask(server, { nameserver })
    expect(outcome).toMatchObject({ verdict: 'ok' })
    expect(outcome.details['attempts']).toMatchObject([
      { result: 'connect_refused' },
      { result: 'NOERROR' },
    ])
  })

  it('are seen to change, and the serial number with them', async () => {
    const server = await start()
    const soa = { dns_name: 'example.test', rrtype: 'SOA' } as const
    expect((await ask(server, soa)).details['soa_serial']).toBe(2024010101)
    await server.replaceZone(
      EXAMPLE_ZONE.replace('2024010101', '2024010102').replace('127.0.0.10', '127.0.0.11'),
    )
    expect((await ask(server, soa)).details['soa_serial']).toBe(2024010102)
    const both = { match: 'exact', expected: '127.0.0.9, 127.0.0.10' } as const
    expect(await ask(server, both)).toMatchObject({
      cause_code: 'dns_mismatch',
      cause_text: '"127.0.0.10" is expected, there is "127.0.0.11", "127.0.0.9"',
    })
  })

  it('cannot be asked for when the server has gone', async () => {
    const server = await start()
    await server.halt()
    expect(await causeOf(server, {})).toBe('connect_refused')
    await server.restart()
    expect(await causeOf(server, {})).toBeNull()
  })
})

describe('an address as the name', () => {
  it.each([
    ['192.0.2.7', '7.2.0.192.in-addr.arpa'],
    ['2001:DB8::7', `7.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`],
  ])('%s is asked for as %s', async (dns_name, reversed) => {
    const server = await scriptedDns(({ name }) => ({
      answers: [{ type: 'PTR', name, ttl: 60, data: 'Host.Example.test' }],
    }))
    const outcome = await check(dns(), {
      dns_name,
      rrtype: 'PTR',
      nameserver: server.address,
      expected: 'host.example.test.',
    })
    expect(outcome).toMatchObject({ verdict: 'ok' })
    expect(server.questions).toEqual([`PTR ${reversed}`])
  })
})

describe('without a name server of its own', () => {
  it('the location is asked', async () => {
    const server = await scriptedDns(({ name }) => ({
      answers: [{ type: 'A', name, ttl: 30, data: '192.0.2.1' }],
    }))
    const outcome = await check(
      dns(),
      { dns_name: 'BÜCHER.example' },
      { nameservers: [server.address] },
    )
    expect(outcome).toMatchObject({ verdict: 'ok', details: { min_ttl: 30 } })
    expect(server.questions).toEqual(['A xn--bcher-kva.example'])
  })

  it('a dead resolver of the location is unknown and opens no incident', async () => {
    const nameservers = [`127.0.0.1:${await closedPort()}`]
    const outcome = await check(dns(), { dns_name: 'example.test' }, { nameservers })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_resolver_broken' })
  })
})

describe('a silent name server', () => {
  it('is given up within the deadline, with a cause of its own', async () => {
    await withDeadline(800, async (timeout_ms) => {
      const server = await scriptedDns(() => undefined)
      const input = { dns_name: 'example.test', nameserver: server.address }
      const outcome = await check(dns(), input, { timeout_ms })
      expect(outcome).toMatchObject({
        verdict: 'fail',
        cause_code: 'dns_timeout',
        phase: 'resolve',
      })
      expect(outcome.duration_ms).toBeLessThan(timeout_ms + 2000)
      expect(server.questions).toHaveLength(2)
    })
  })
})

describe('settings of dns', () => {
  const parse = (input: Record<string, unknown>) =>
    parseSettings(dns(), { dns_name: 'example.test', ...input })
  const problems = (input: Record<string, unknown>): unknown => {
    try {
      parse(input)
      return undefined
    } catch (error) {
      return error instanceof ValidationError ? error.fields : error
    }
  }

  it('are stored in one spelling', () => {
    expect(
      parse({
        dns_name: ' _DMARC.Bücher.Example. ',
        rrtype: 'txt',
        nameserver: ' 192.0.2.1:53,tls://NS.example,[2001:db8::1]:5353 ',
        expected: 'a, b\n"c\nd"\n',
      }),
    ).toEqual({
      dns_name: '_dmarc.xn--bcher-kva.example',
      rrtype: 'TXT',
      dnssec: false,
      same_serial: false,
      nameserver: '192.0.2.1, tls://ns.example, [2001:db8::1]:5353',
      expected: ['a, b', '"c\nd"'],
      match: 'any',
    })
  })

  it('are split at commas where no value holds any, but not in a pattern', () => {
    expect(parse({ expected: '192.0.2.1,192.0.2.2' })).toMatchObject({
      expected: ['192.0.2.1', '192.0.2.2'],
    })
    expect(parse({ match: 'regex', expected: '^1{1,3}' })).toMatchObject({ expected: ['^1{1,3}'] })
  })

  it.each([
    ['dns_name', { dns_name: `${'a'.repeat(64)}.example` }],
    ['dns_name', { dns_name: `${'a.'.repeat(127)}a` }],
    ['dns_name', { dns_name: 'a..b' }],
    ['dns_name', { dns_name: 'white space.example' }],
    ['dns_name', { dns_name: '192.0.2.1' }],
    ['rrtype', { rrtype: 'AXFR' }],
    ['nameserver', { nameserver: 'quic://192.0.2.1' }],
    ['nameserver', { nameserver: '192.0.2.1:0' }],
    ['nameserver', { nameserver: '192.0.2' }],
    ['nameserver', { nameserver: '2001:db8::1:zz' }],
    ['nameserver', { nameserver: ' , ' }],
    ['nameserver', { nameserver: Array.from({ length: 9 }, (_, i) => `192.0.2.${i}`) }],
    ['expected', { expected: '::1' }],
    ['expected', { rrtype: 'AAAA', expected: '192.0.2.1' }],
    ['expected', { expected: '192.0.2.1/24' }],
    ['expected', { match: 'exact' }],
    ['expected', { match: 'nxdomain', expected: '192.0.2.1' }],
    ['expected', { match: 'regex', expected: '(' }],
    ['expected', { match: 'regex', expected: '(a)\\1' }],
    ['match', { match: 'most' }],
  ])('are refused, and %s is named: %j', (name, input) => {
    expect(problems(input)).toEqual({
      [name]: expect.stringMatching(/^(invalid|out_of_range): /) as unknown,
    })
  })

  it.each([
    ['nameserver', { nameserver: `quic://${'x'.repeat(10_000)}` }],
    ['expected', { expected: 'x'.repeat(1000) }],
  ])('are not repeated whole where %s is refused', (name, input) => {
    const refused = problems(input) as Record<string, string>
    expect(refused[name]).toMatch(/^invalid: "[^"]{60}…" /)
    expect(refused[name]!.length).toBeLessThan(300)
  })

  it('name their target without the expectations', () => {
    expect(dns().target(parse({ expected: '192.0.2.1' }) as never)).toBe('example.test A')
  })
})

describe('hostile name servers', () => {
  it.each(DNS.map((server) => [server.name, server] as const))('%s', async (_, hostile) => {
    const running = await hostile.start()
    const input = { dns_name: 'example.test', nameserver: `127.0.0.1:${running.port}` }
    // The cause of an answer that breaks the protocol has a name of its own here.
    const right = hostile.expect?.map((code) =>
      code === 'protocol_error' ? 'dns_malformed' : code,
    )
    try {
      await withDeadline(700, async (timeout_ms) => {
        const outcome = await check(dns(), input, { timeout_ms })
        expect(outcome.duration_ms).toBeLessThan(timeout_ms + 2300)
        expect(outcome.cause_code).not.toBe('internal_error')
        if (outcome.verdict === 'ok') return
        expect(outcome.verdict).toBe('fail')
        if (right !== undefined) expect(right).toContain(outcome.cause_code)
        else expect(outcome.cause_code).toMatch(/^(dns_|closed_early|connect_reset)/)
      })
    } finally {
      await running.close()
      expect(running.faults()).toEqual([])
    }
  })

  it('leave no socket behind', async () => {
    await expect
      .poll(() => process.getActiveResourcesInfo().filter((name) => /udp|tcp/i.test(name)))
      .toEqual([])
  })
})

describe('patterns for dns records', () => {
  /** A TXT record of 1000 characters with an exclamation mark at its end. */
  function verdictOf(expected: readonly string[]) {
    const value = `${'a'.repeat(999)}!`
    const answer = {
      name: 'a.test',
      type: 'TXT',
      rcode: 'NOERROR',
      server: '192.0.2.1',
      truncated: false,
      authenticated: false,
      authoritative: true,
      records: [{ name: 'a.test', type: 'TXT', ttl: 60, value }],
    } as unknown as Parameters<typeof judge>[0]
    const settings = { match: 'regex', expected, rrtype: 'TXT' } as const
    const steps = judge(answer, findRecords(answer), settings)
    for (;;) {
      const { done, value: judged } = steps.next()
      if (done === true) return judged.verdict
    }
  }
  const large = `${'b?'.repeat(480)}!`

  it('look at no more together than one may', () => {
    expect(verdictOf([large])).toBe('ok')
    // What was not looked at says nothing.
    expect(verdictOf([large, large])).toBe('unknown')
    expect(verdictOf(['b', large])).toBe('fail')
    expect(verdictOf(['a!', 'aa!', 'aaa!'])).toBe('ok')
  })

  it('see the beginning of a record, however many they are', () => {
    expect(verdictOf(Array.from({ length: 50 }, () => '^a{64}'))).toBe('ok')
    expect(verdictOf(Array.from({ length: 50 }, () => `^a{64}${'b?'.repeat(400)}`))).toBe('ok')
  })

  it('have at most 4096 characters together', () => {
    const settings = { dns_name: 'a.test', rrtype: 'TXT', match: 'regex' } as const
    const expected = ['a'.repeat(2048), 'b'.repeat(2048)]
    expect(() => parseSettings(dns(), { ...settings, expected: [...expected, 'c'] })).toThrow()
    expect(parseSettings(dns(), { ...settings, expected: ['a'.repeat(900)] })).toBeDefined()
  })
})
