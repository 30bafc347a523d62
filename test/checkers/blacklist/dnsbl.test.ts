import type { Answer } from 'dns-packet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blacklist } from '../../../src/checkers/blacklist/index.ts'
import type { BlacklistOptions } from '../../../src/checkers/blacklist/index.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/clock.ts'
import type { JsonObject } from '../../../src/model.ts'
import { targetPolicy } from '../../../src/net/guard/guard.ts'
import { check } from '../../support/check.ts'
import { withDeadline } from '../../support/deadlines.ts'
import { DNS } from '../../support/hostile/dns.ts'
import { scriptedDns } from '../../support/scripted-dns.ts'
import { closedPort } from '../../support/scripted-server.ts'
import { rbldnsdServer, startRbldnsd } from '../../support/servers/rbldnsd.ts'
import type { RbldnsdServer } from '../../support/servers/rbldnsd.ts'
import { describeWithServer, forThisTest } from '../../support/servers/need.ts'

interface Input {
  readonly target: string
  readonly lists: string | readonly string[]
}

const paceMs = 0
const through = (server: { readonly ports: { readonly dns: number } }): string[] => [
  `127.0.0.1:${server.ports.dns}`,
]

const ask = (nameservers: readonly string[], input: Input, options: BlacklistOptions = {}) =>
  check(blacklist({ paceMs, nameservers, ...options }), input as never)

describeWithServer(rbldnsdServer, 'a target on the lists of rbldnsd', () => {
  let server: RbldnsdServer
  beforeAll(async () => {
    server = await startRbldnsd({ domains: ['.bad.example :127.0.1.4:Phishing, see bl.test'] })
  })
  afterAll(() => server.stop())

  it('is down with everything a person needs to get off the list', async () => {
    const own = { id: 'own', zone: 'bl.test', delist_url: 'https://bl.test/remove' }
    const outcome = await check(blacklist({ paceMs, nameservers: through(server), lists: [own] }), {
      target: '192.0.2.7',
    })
    expect(outcome).toMatchObject({
      verdict: 'fail',
      cause_code: 'list_listed',
      cause_text: '192.0.2.7 is listed by own for listed',
    })
    expect(outcome.details).toMatchObject({
      lists: [
        {
          id: 'own',
          zone: null,
          entry: '192.0.2.7',
          codes: ['127.0.0.4'],
          categories: ['listed'],
          reason: 'Listed, see http://bl.test/lookup?192.0.2.7',
          delist_url: 'https://bl.test/remove',
        },
      ],
      checked: [{ id: 'own', zone: null, listed: true, error: null }],
      lists_checked: 1,
      lists_failed: 0,
    })
    const { measurements } = blacklist()
    for (const name of Object.keys(outcome.details)) {
      expect(Object.keys(measurements)).toContain(name)
    }
  })

  it.each([
    ['an IPv6 address', '2001:db8::7', 'bl6.test'],
    ['a domain', 'listed.example', 'dbl.test'],
    ['a host below a listed domain', 'mail.listed.example', 'dbl.test'],
    ['a page of a listed host', 'https://www.bad.example:8443/some/page?x=1', 'dbl.test'],
  ])('may be %s', async (_, target, lists) => {
    expect(await ask(through(server), { target, lists })).toMatchObject({
      verdict: 'fail',
      cause_code: 'list_listed',
    })
  })

  it.each([
    ['198.51.100.1', 'bl.test'],
    ['2001:db9::1', 'bl6.test'],
    ['good.example', 'dbl.test'],
    ['198.51.100.1', 'bl.test, bl6.test'],
  ])('%s is up: it is not on %s', async (target, lists) => {
    expect(await ask(through(server), { target, lists })).toMatchObject({ verdict: 'ok' })
  })

  it('is looked for with all public addresses of its name', async () => {
    const hosts = { 'mail.example': ['198.51.100.1', '10.0.0.1', '192.0.2.9', '2001:db8::9'] }
    const outcome = await check(
      blacklist({ paceMs, nameservers: through(server) }),
      { target: 'mail.example', lists: ['bl.test', 'bl6.test', 'dbl.test'] },
      { hosts },
    )
    const entries = (outcome.details['lists'] as { entry: string }[]).map(({ entry }) => entry)
    expect(entries.sort()).toEqual(['192.0.2.9', '2001:db8::9'])
    expect(outcome.details['addresses']).toEqual(
      expect.arrayContaining(['198.51.100.1', '192.0.2.9', '2001:db8::9']),
    )
    expect(JSON.stringify(outcome.details)).not.toContain('10.0.0.1')
    expect(outcome.cause_text).toContain('mail.example (as 192.0.2.9)')
  })

  it.each([
    ['limited.test', 'probe_dnsbl_blocked', 'blocked'],
    ['everything.test', 'probe_dnsbl_selftest_failed', 'selftest_failed'],
    ['empty.test', 'probe_dnsbl_selftest_failed', 'selftest_failed'],
    ['unknown.test', 'probe_dnsbl_blocked', 'blocked'],
  ])('is unknown where its only list is %s: %s', async (lists, cause_code, error) => {
    const outcome = await ask(through(server), { target: '198.51.100.1', lists })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code })
    expect(outcome.details['checked']).toMatchObject([{ id: lists, listed: false, error }])
  })

  it('is up where one list of several works, unless the host wants more', async () => {
    const input = { target: '198.51.100.1', lists: 'bl.test, limited.test, everything.test' }
    const outcome = await ask(through(server), input)
    expect(outcome).toMatchObject({
      verdict: 'ok',
      details: { lists_checked: 1, lists_failed: 2 },
    })
    expect(await ask(through(server), input, { minWorking: 2 })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_dnsbl_blocked',
    })
  })

  it('stays down, so to speak, while the list that had it is silent', async () => {
    const input = { target: '192.0.2.7', lists: 'bl.test' }
    const first = await ask(through(server), input)
    expect(first.memo).toEqual({ listed: ['bl.test'] })

    const dead = await forThisTest(startRbldnsd({ refuse: ['bl.test'] }))
    const checker = blacklist({ paceMs, nameservers: through(dead) })
    const both = { ...input, lists: ['bl.test', 'bl6.test', 'dbl.test'] }
    const later = await check(
      checker,
      { ...both, target: '192.0.2.7' },
      { memo: first.memo ?? null },
    )
    expect(later).toMatchObject({
      verdict: 'unknown',
      cause_text: 'bl.test had the target last time and refuses to answer us',
    })
    expect(later.memo).toBeUndefined()

    const clean = { target: '198.51.100.1', lists: 'bl.test' }
    const ended = await check(blacklist({ paceMs, nameservers: through(server) }), clean as never, {
      memo: first.memo ?? null,
    })
    expect(ended).toMatchObject({ verdict: 'ok', memo: { listed: [] } })
  })
})

describe('what a list answers', () => {
  it('outside of 127.0.0.0/8 is no listing but a resolver that lies', async () => {
    const server = await list(() => ['198.51.100.80'])
    const outcome = await ask([server.address], { target: '192.0.2.7', lists: 'lies.example' })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_dnsbl_failed' })
    expect(outcome.details['checked']).toMatchObject([{ error: 'hijacked' }])
  })

  it.each([
    ['127.255.255.252', 'zen.spamhaus.org'],
    ['127.255.255.254', 'zen.spamhaus.org'],
    ['127.255.255.255', 'any.example'],
  ])('%s by %s is a refusal, even after its test entries were right', async (code, zone) => {
    const server = await list((entry) =>
      entry.startsWith('2.0.0.127') ? ['127.0.0.2'] : entry.startsWith('1.0.0.127') ? [] : [code],
    )
    const outcome = await ask([server.address], { target: '192.0.2.7', lists: zone })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_dnsbl_blocked' })
  })

  it('is told in categories, and a monitor can do without some', async () => {
    const server = await list((entry) => working(entry) ?? ['127.0.0.4', '127.0.0.10'])
    const zen = { target: '192.0.2.7', lists: 'spamhaus-zen' }
    const outcome = await ask([server.address], zen)
    expect(outcome.details['lists']).toMatchObject([
      {
        id: 'spamhaus-zen',
        categories: ['exploited', 'policy'],
        codes: ['127.0.0.10', '127.0.0.4'],
      },
    ])
    const without = { ...zen, lists: 'spamhaus-zen, !policy' }
    expect(await ask([server.address], without)).toMatchObject({ verdict: 'fail' })

    const dialUp = await list((entry) => working(entry) ?? ['127.0.0.10'])
    expect(await ask([dialUp.address], zen)).toMatchObject({ verdict: 'fail' })
    expect(await ask([dialUp.address], without)).toMatchObject({ verdict: 'ok' })
  })

  it('has at most twenty codes, each once, and none hides a refusal', async () => {
    const many = Array.from({ length: 90 }, (_, n) => `127.0.1.${n}`)
    const answers = {
      'codes.example': [...many, '127.0.1.0'],
      'no.example': [...many, '127.255.255.1'],
    }
    for (const [lists, codes] of Object.entries(answers)) {
      const server = await list((entry) => working(entry) ?? codes)
      const outcome = await ask([server.address], { target: '192.0.2.7', lists })
      if (lists === 'no.example') expect(outcome.cause_code).toBe('probe_dnsbl_blocked')
      else expect(outcome.details['lists']).toMatchObject([{ codes: many.sort().slice(0, 20) }])
    }
  })

  it('may be a sum of bits', async () => {
    const server = await list((entry) =>
      entry === 'test.surbl.org' ? ['127.0.0.254'] : entry === 'bad.example' ? ['127.0.0.80'] : [],
    )
    const outcome = await ask([server.address], { target: 'www.bad.example', lists: 'surbl' })
    expect(outcome.details['lists']).toMatchObject([
      { entry: 'bad.example', categories: ['malware', 'spam'] },
    ])
  })

  it('comes over a resolver that is dead or silent: unknown, before the deadline', async () => {
    const dead = [`127.0.0.1:${await closedPort()}`]
    expect(await ask(dead, { target: '192.0.2.7', lists: 'a.example' })).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_dnsbl_failed',
    })
    const silent = await scriptedDns(() => undefined)
    const checker = blacklist({ paceMs, nameservers: [silent.address] })
    const input = { target: '192.0.2.7', lists: ['a.example', 'b.example'] }
    await withDeadline(800, async (timeout_ms) => {
      const outcome = await check(checker, input, { timeout_ms })
      expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_dnsbl_timeout' })
      expect(outcome.duration_ms).toBeLessThan(timeout_ms)
    })
  })
})

describe('a checker', () => {
  const answers = (entry: string): readonly string[] => working(entry) ?? []

  it('asks for the test entries of a list once, and for a target once in a quarter of an hour', async () => {
    const server = await list(answers)
    const checker = blacklist({ paceMs, nameservers: [server.address] })
    const { clock, advance } = movableClock()
    const once = () => check(checker, { target: '198.51.100.1', lists: ['one.example'] }, { clock })
    await once()
    const first = server.questions.length
    await once()
    expect(server.questions).toHaveLength(first)
    advance(16 * 60_000)
    await once()
    expect(server.questions.slice(first)).toEqual(['A 1.100.51.198.one.example'])
  })

  it('shares nothing with another one', async () => {
    const server = await list(answers)
    const input = { target: '198.51.100.1', lists: 'one.example' }
    await ask([server.address], input)
    const first = server.questions.length
    await ask([server.address], input)
    expect(server.questions).toHaveLength(2 * first)
  })

  it('leaves time between two look-ups in one zone, and gives up what has no turn in time', async () => {
    const server = await list(answers)
    const checker = blacklist({ paceMs: 60_000, nameservers: [server.address] })
    const outcome = await check(checker, { target: '198.51.100.1', lists: ['one.example'] })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_dnsbl_timeout' })
    expect(outcome.details['checked']).toMatchObject([{ error: 'busy' }])
    expect(server.questions).toEqual(['A 2.0.0.127.one.example', 'TXT 2.0.0.127.one.example'])
  })

  it('asks no list about a target that cannot be on it', async () => {
    const server = await list(answers)
    const outcome = await ask([server.address], { target: '192.0.2.1', lists: 'surbl' })
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_not_applicable' })
    expect(server.questions).toEqual([])
  })

  it('is unknown, not down, where the target has no address', async () => {
    const server = await list(answers)
    const checker = blacklist({ paceMs, nameservers: [server.address] })
    const unknown = await scriptedDns(() => ({ rcode: 3 }))
    const outcome = await check(
      checker,
      { target: 'nowhere.example', lists: ['spamcop'] },
      { nameservers: [unknown.address] },
    )
    expect(outcome).toMatchObject({ verdict: 'unknown', cause_code: 'probe_not_applicable' })
    expect(outcome.details['unresolved']).toBe('nowhere.example does not exist')
  })
})

describe('strangers, through the name servers of the operator', () => {
  /** Every name leads inside, but for what lists answer. */
  const inside = () =>
    scriptedDns(({ name, type }) => {
      if (type !== 'A') return {}
      const entry = name.replace(/\.bl\.corp\.internal$/, '')
      const data = entry === name ? ['10.1.2.3'] : (working(entry) ?? ['127.0.0.2'])
      return { answers: data.map((each): Answer => ({ type: 'A', name, ttl: 60, data: each })) }
    })
  const PUBLIC = { strangers: true, policy: targetPolicy('public') }

  it.each(['apps.corp.internal', 'vault.lan', 'x.10.in-addr.arpa'])(
    'learn nothing of the zone %s',
    async (zone) => {
      const [there, missing] = [await inside(), await scriptedDns(() => ({ rcode: 3 }))]
      const outcomes = []
      for (const { address, questions } of [there, missing]) {
        for (const options of [{}, { nameservers: [address] }]) {
          for (const target of ['93.184.216.34', 'http://93.184.216.34/x']) {
            const checker = blacklist({ paceMs, ...options })
            const input = { target, lists: [zone] }
            const { cause_code, cause_text, details } = await check(checker, input, {
              ...PUBLIC,
              nameservers: [address],
            })
            const [checked] = details['checked'] as readonly JsonObject[]
            outcomes.push({ cause_code, cause_text, error: checked?.['error'] })
          }
        }
        expect(questions).toEqual([])
      }
      expect(new Set(outcomes.map((each) => JSON.stringify(each))).size).toBe(1)
      expect(outcomes[0]).toMatchObject({ cause_code: 'probe_dnsbl_failed', error: 'failed' })
    },
  )

  it.each([['bl.corp.internal'], [{ id: 'own', zone: 'bl.corp.internal' }]] as const)(
    'are told by the list that the operator names: %j',
    async (own) => {
      const { address } = await inside()
      for (const through of [{}, { nameservers: [address] }]) {
        const checker = blacklist({ paceMs, lists: [own], ...through })
        const options = { ...PUBLIC, nameservers: [address] }
        for (const input of [{}, { lists: ['bl.corp.internal'] }]) {
          const outcome = await check(checker, { target: '93.184.216.34', ...input }, options)
          expect(outcome.cause_code).toBe('list_listed')
          // Where the name server is, is nobody's business.
          expect(outcome.remote_ip).toBeNull()
        }
      }
    },
  )
})

it('shows the zone of a list of the host to nobody: it may hold a key', async () => {
  const zone = 'k3yofthecustomer.bl.example'
  for (const codes of [(entry: string) => working(entry) ?? ['127.0.0.2'], () => []]) {
    const server = await scriptedDns(({ name, type }) => {
      const found = type === 'A' ? codes(name.slice(0, -zone.length - 1)) : []
      return { answers: found.map((data): Answer => ({ type: 'A', name, ttl: 60, data })) }
    })
    const checker = blacklist({
      paceMs,
      nameservers: [server.address],
      lists: [{ id: 'paid', zone }],
    })
    const outcome = await check(checker, { target: '192.0.2.7' })
    expect(server.questions.length).toBeGreaterThan(0)
    expect(JSON.stringify(outcome)).toContain('paid')
    expect(JSON.stringify(outcome)).not.toContain('k3yofthecustomer')
  }
})

describe('lists served by hostile name servers', () => {
  it.each(DNS.map((server) => [server.name, server] as const))('%s', async (_, hostile) => {
    const running = await hostile.start()
    try {
      await withDeadline(600, async (timeout_ms) => {
        const checker = blacklist({ paceMs, nameservers: [`127.0.0.1:${running.port}`] })
        const input = { target: '192.0.2.7', lists: ['hostile.example'] }
        const outcome = await check(checker, input, { timeout_ms })
        expect(outcome.verdict).toBe('unknown')
        expect(outcome.cause_code).toMatch(/^probe_dnsbl_/)
        expect(outcome.duration_ms).toBeLessThan(timeout_ms + 1400)
      })
    } finally {
      await running.close()
    }
  })
})

/** A name server of lists: `codes` gets what stands before the last two labels. */
function list(codes: (entry: string) => readonly string[]) {
  return scriptedDns(({ name, type }) => {
    const entry = name.replace(
      /\.(?:[a-z]+\.(?:example)|zen\.spamhaus\.org|multi\.surbl\.org)$/,
      '',
    )
    const found = codes(entry)
    if (found.length === 0) return { rcode: 3 }
    if (type !== 'A') return {}
    return { answers: found.map((data): Answer => ({ type: 'A', name, ttl: 60, data })) }
  })
}

/** The test entries of RFC 5782, 5. */
function working(entry: string): readonly string[] | undefined {
  if (entry === '2.0.0.127') return ['127.0.0.2']
  return entry === '1.0.0.127' ? [] : undefined
}

function movableClock(): { readonly clock: Clock; advance(ms: number): void } {
  let ahead_ms = 0
  return {
    clock: { ...systemClock, now: () => systemClock.now() + ahead_ms },
    advance: (ms) => (ahead_ms += ms),
  }
}
