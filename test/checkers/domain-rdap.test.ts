import { describe, expect, it } from 'vitest'
import { domain } from '../../src/checkers/domain/index.ts'
import type { DomainOptions } from '../../src/checkers/domain/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { certificates } from '../support/certificates.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { bootstrapList, domainObject, rdapServer } from '../support/registries/rdap-server.ts'
import type { RdapReply, RdapScript } from '../support/registries/rdap-server.ts'
import { WHOIS_SAMPLES } from '../support/registries/whois-answers.ts'
import { whoisServer } from '../support/registries/whois-server.ts'
import { closedPort } from '../support/scripted-server.ts'

const NOW = Date.UTC(2026, 0, 1)
const HOUR_MS = 3_600_000
const COM = WHOIS_SAMPLES.find(({ name }) => name === 'example.com')!

const only = (options: DomainOptions): DomainOptions => ({
  bootstrapUrl: null,
  whoisRoot: null,
  whoisServers: { com: null },
  gapMs: 0,
  ...options,
})
const frozen = () => ({ clock: simulatedClock({ now: NOW }) })

/** A check at a registry that replies so, with nobody to ask besides. */
async function ask(reply: RdapReply | RdapScript, options: DomainOptions = {}) {
  const server = await rdapServer(typeof reply === 'function' ? reply : () => reply)
  const checker = domain(only({ rdapServers: { com: server.base }, ...options }))
  return check(checker, { domain: 'example.com' })
}

const withEvents = (...events: readonly unknown[]) => ({ ...domainObject(), events })
const expiration = (eventDate: unknown) => withEvents({ eventAction: 'expiration', eventDate })
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('an object that cannot be trusted is unknown', () => {
  it.each<readonly [string, unknown]>([
    ['is a text', '"example.com"'],
    ['is null', 'null'],
    ['is a list', '[]'],
    ['is cut off', JSON.stringify(domainObject()).slice(0, -20)],
    ['is a page', '<html></html>'],
    ['is nothing', ''],
    ['is another class', { ...domainObject(), objectClassName: 'entity' }],
    ['has no class', { ...domainObject(), objectClassName: undefined }],
    ['is about another name', domainObject({ name: 'example.net' })],
    ['is about a name below', domainObject({ name: 'www.example.com' })],
    ['has a number for a name', { ...domainObject(), ldhName: 7 }],
    ['has no name', { ...domainObject(), ldhName: undefined }],
    ['is nested a hundred thousand deep', deep(100_000)],
    ['has an end that is no date', expiration('soon')],
    ['has an end that could be two days', expiration('01/03/2027')],
    ['has an end in 64 bits', expiration('292278994-08-17T07:12:55Z')],
    ['has an end as a number', expiration(1803895200)],
    ['has an end that is null', expiration(null)],
    ['has an end as an object', expiration({ at: '2027-03-01T10:00:00Z' })],
    [
      'has two ends',
      withEvents(
        { eventAction: 'expiration', eventDate: '2027-03-01T10:00:00Z' },
        { eventAction: 'expiration', eventDate: '2028-03-01T10:00:00Z' },
      ),
    ],
    ['is larger than any object', { ...domainObject(), notices: 'x'.repeat(600_000) }],
  ])('when it %s', async (_, body) => {
    const { verdict, cause_code } = await ask({ body })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_rdap_unparsed',
    })
  })

  it.each<readonly [string, Record<string, unknown>]>([
    ['lists of nothing', { entities: null, nameservers: null, secureDNS: null }],
    [
      'lists of the wrong things',
      { entities: [1, null, 'x', []], nameservers: [1, [null]], secureDNS: [] },
    ],
    [
      'a broken card',
      { entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn'], null, 3]] }] },
    ],
    [
      'a card in itself',
      {
        entities: [{ roles: ['registrar'], vcardArray: ['vcard', [['fn', {}, 'text', [['x']]]]] }],
      },
    ],
    ['texts for lists', { status: 'active', entities: 'x', nameservers: 'y' }],
    [
      'lists of thousands',
      {
        nameservers: Array.from({ length: 5000 }, (_, at) => ({ ldhName: `ns${at}.example.net` })),
      },
    ],
    [
      'controls in a name',
      { entities: [{ roles: ['registrar'], handle: '\u0000\u001b[31mX\u202e\r\n' }] },
    ],
    [
      'keys of the prototype',
      JSON.parse('{"__proto__":{"status":["server hold"]}}') as Record<string, unknown>,
    ],
  ])('but %s do no harm', async (_, more) => {
    const { verdict, details } = await ask({ body: { ...domainObject(), ...more } })
    expect(verdict).toBe('ok')
    expect(details.expires_at).toBe('2027-03-01T10:00:00.000Z')
    expect((details.nameservers as string[]).length).toBeLessThanOrEqual(24)
    expect(JSON.stringify(details)).not.toMatch(/\\u00|\\r|\\n|\u202e/)
  })

  it('and remarks may be nested a hundred thousand deep', async () => {
    const body = `${JSON.stringify(domainObject()).slice(0, -1)},"remarks":${deep(100_000)}}`
    expect((await ask({ body })).verdict).toBe('ok')
  })

  it('and the name may be written in any way', async () => {
    for (const ldhName of ['EXAMPLE.COM.', 'example.com']) {
      expect((await ask({ body: { ...domainObject(), ldhName } })).verdict).toBe('ok')
    }
  })
})

describe('the status code', () => {
  it.each([500, 502, 503, 400, 403, 501, 204, 304])('%d is no answer', async (status) => {
    const { verdict, cause_code } = await ask({ status })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_rdap_unreachable',
    })
  })

  it('404 of a web server does not mean that nobody has the name', async () => {
    const page = { status: 404, type: 'text/html', body: '<h1>Not Found</h1>' }
    expect(await ask(page)).toMatchObject({ cause_code: 'probe_rdap_unreachable' })
  })

  it.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['seconds', { 'Retry-After': '7200' }, 2 * HOUR_MS],
    ['a date', { 'Retry-After': new Date(NOW + HOUR_MS).toUTCString() }, HOUR_MS],
    ['nothing', {}, 5 * 60_000],
    ['nonsense', { 'Retry-After': 'later' }, 5 * 60_000],
    ['a million years', { 'Retry-After': '999999999' }, 24 * HOUR_MS],
  ])('429 with %s keeps everybody away for so long', async (_, headers, hold_ms) => {
    let reply: RdapReply = { status: 429, headers }
    const server = await rdapServer(() => reply)
    const whois = await whoisServer(COM.taken)
    const checker = domain(
      only({ rdapServers: { com: server.base }, whoisServers: { com: whois.server } }),
    )
    const options = frozen()
    const look = async (name: string) =>
      (await check(checker, { domain: name }, options)).cause_code
    expect(await look('example.com')).toBe('probe_rate_limited')
    reply = { body: domainObject() }
    await options.clock.advance(hold_ms - 1000)
    expect(await look('example.com')).toBe('probe_rate_limited')
    expect(await look('other.com')).toBe('probe_rate_limited')
    expect(server.asked).toHaveLength(1)
    await options.clock.advance(1000)
    expect(await look('example.com')).toBeNull()
    expect(whois.asked).toEqual([])
  })
})

describe('redirects', () => {
  it('to a server that limits the rate keep nobody from the registry', async () => {
    const target = await rdapServer(() => ({ status: 429, headers: { 'Retry-After': '86400' } }))
    const redirect: RdapReply = { status: 302, headers: { Location: `${target.base}domain/x` } }
    let reply = redirect
    const server = await rdapServer(() => reply)
    const checker = domain(only({ rdapServers: { com: server.base } }))
    const options = frozen()
    const look = async (name: string) => check(checker, { domain: name }, options)
    expect(await look('example.com')).toMatchObject({ verdict: 'unknown' })
    reply = { body: domainObject() }
    await options.clock.advance(1000)
    expect((await look('example.com')).cause_code).toBeNull()
  })

  it('are followed, and the address behind them is judged', async () => {
    const target = await rdapServer(() => ({ body: domainObject() }))
    const redirect: RdapReply = { status: 302, headers: { Location: `${target.base}domain/x` } }
    expect((await ask(redirect)).verdict).toBe('ok')
    const server = await rdapServer(() => redirect)
    const base = server.base.replace('127.0.0.1', 'rdap.registry.test')
    const checker = domain(only({ rdapServers: { com: base } }))
    const { cause_code } = await check(
      checker,
      { domain: 'example.com' },
      {
        hosts: { 'rdap.registry.test': ['127.0.0.1'] },
        policy: ({ host }) => (host === '127.0.0.1' ? 'private' : undefined),
      },
    )
    expect(cause_code).toBe('probe_rdap_unreachable')
    expect(server.asked).toHaveLength(1)
    expect(target.asked).toHaveLength(1)
  })

  it.each<readonly [string, RdapScript]>([
    ['to themselves', (path) => ({ status: 301, headers: { Location: path } })],
    ['without end', (path) => ({ status: 301, headers: { Location: `${path}x` } })],
    ['to nowhere', () => ({ status: 301 })],
    ['to a file', () => ({ status: 301, headers: { Location: 'file:///etc/passwd' } })],
  ])('%s are no answer', async (_, script) => {
    expect(await ask(script)).toMatchObject({
      verdict: 'unknown',
      cause_code: 'probe_rdap_unreachable',
    })
  })
})

describe('TLS', () => {
  it('with a certificate that is not right is no answer', async () => {
    const server = await rdapServer(() => ({ body: domainObject() }), certificates().expired)
    const checker = domain(only({ rdapServers: { com: server.base } }))
    const { verdict, cause_code } = await check(checker, { domain: 'example.com' })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_rdap_unreachable',
    })
    expect(server.asked).toEqual([])
  })
})

describe('where RDAP does not answer', () => {
  it('the next server of the registry is asked', async () => {
    const first = await rdapServer(() => ({ status: 503 }))
    const second = await rdapServer(() => ({ body: domainObject() }))
    const checker = domain(only({ rdapServers: { com: [first.base, second.base] } }))
    const { verdict, details } = await check(checker, { domain: 'example.com' })
    expect(verdict).toBe('ok')
    expect(details.attempts).toEqual([
      { source: 'rdap', server: first.host, result: 'probe_rdap_unreachable' },
      { source: 'rdap', server: second.host, result: 'registered' },
    ])
  })

  it.each<readonly [string, RdapScript]>([
    ['fails', () => ({ status: 500 })],
    ['talks nonsense', () => ({ body: 'nonsense' })],
    ['is silent', () => undefined],
    ['does not tell the end', () => ({ body: domainObject({ expires: null }) })],
  ])('WHOIS is, where it %s', async (_, script) => {
    const server = await rdapServer(script)
    const whois = await whoisServer(COM.taken)
    await withDeadline(3000, async (timeout_ms) => {
      const checker = domain(
        only({ rdapServers: { com: server.base }, whoisServers: { com: whois.server } }),
      )
      const { verdict, details } = await check(checker, { domain: 'example.com' }, { timeout_ms })
      expect(verdict).toBe('ok')
      expect(details).toMatchObject({
        source: 'whois',
        server: whois.server,
        expires_at: '2027-03-01T10:00:00.000Z',
      })
    })
  })

  it('and WHOIS neither, the first of them is the cause', async () => {
    const checker = domain(
      only({
        rdapServers: { com: `http://127.0.0.1:${await closedPort()}/` },
        whoisServers: { com: `127.0.0.1:${await closedPort()}` },
      }),
    )
    const { verdict, cause_code, details } = await check(checker, { domain: 'example.com' })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_rdap_unreachable',
    })
    expect(details.attempts).toHaveLength(2)
  })

  it('WHOIS is not asked in vain for an end that no registry of its kind tells', async () => {
    const server = await rdapServer(() => ({
      body: domainObject({ name: 'example.de', expires: null }),
    }))
    const whois = await whoisServer('')
    const checker = domain(
      only({ rdapServers: { de: server.base }, whoisServers: { de: whois.server } }),
    )
    const { verdict, details } = await check(checker, { domain: 'example.de' })
    expect(verdict).toBe('ok')
    expect(details.expiry_unpublished).toBe(true)
    expect(whois.asked).toEqual([])
  })
})

describe('the list of IANA', () => {
  async function withList(script: RdapScript, options: DomainOptions = {}) {
    const list = await rdapServer(script)
    const checker = domain(only({ bootstrapUrl: `${list.base}rdap/dns.json`, ...options }))
    return { list, checker }
  }

  it('leads to the server of the longest suffix, over TLS first', async () => {
    const tls = await rdapServer(
      () => ({ body: domainObject({ name: 'example.co.uk' }) }),
      certificates().good,
    )
    const plain = await rdapServer(() => ({ status: 500 }))
    const { checker } = await withList(() => ({
      body: bootstrapList({
        uk: ['http://127.0.0.1:9/'],
        'CO.uk': [plain.base, tls.base.slice(0, -1)],
      }),
    }))
    const { verdict } = await check(checker, { domain: 'www.example.co.uk' })
    expect(verdict).toBe('ok')
    expect(tls.asked).toEqual(['/domain/example.co.uk'])
    expect(plain.asked).toEqual([])
  })

  it('is fetched once a day, and after a failure not for five minutes; the last good one is kept', async () => {
    const server = await rdapServer((path) => ({
      body: domainObject({ name: path.split('/').at(-1)! }),
    }))
    let reply: RdapReply = { body: bootstrapList({ com: [server.base] }) }
    const { list, checker } = await withList(() => reply, { cacheMs: 0 })
    const options = frozen()
    const look = async () => (await check(checker, { domain: 'example.com' }, options)).verdict
    expect(await look()).toBe('ok')
    await options.clock.advance(24 * HOUR_MS - 1000)
    expect(await look()).toBe('ok')
    expect(list.asked).toHaveLength(1)
    reply = { status: 500 }
    await options.clock.advance(1000)
    expect(await look()).toBe('ok')
    expect(list.asked).toHaveLength(2)
    await options.clock.advance(5 * 60_000 - 1000)
    expect(await look()).toBe('ok')
    expect(list.asked).toHaveLength(2)
    await options.clock.advance(1000)
    expect(await look()).toBe('ok')
    expect(list.asked).toHaveLength(3)
  })

  it('is fetched once for all who wait for it', async () => {
    const server = await rdapServer((path) => ({
      body: domainObject({ name: path.split('/').at(-1)! }),
    }))
    const { list, checker } = await withList(() => ({
      body: bootstrapList({ com: [server.base] }),
    }))
    const names = ['a.com', 'b.com', 'c.com', 'd.com']
    const outcomes = await Promise.all(names.map((name) => check(checker, { domain: name })))
    expect(outcomes.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(list.asked).toHaveLength(1)
  })

  it('without the top-level domain means WHOIS', async () => {
    const whois = await whoisServer(COM.taken)
    const { checker } = await withList(
      () => ({ body: bootstrapList({ net: ['https://127.0.0.1:9/'] }) }),
      {
        whoisServers: { com: whois.server },
      },
    )
    const { details } = await check(checker, { domain: 'example.com' })
    expect(details).toMatchObject({ source: 'whois', attempts: [{ source: 'whois' }] })
  })

  it.each<readonly [string, RdapReply]>([
    ['is no JSON', { body: 'x' }],
    ['has no services', { body: { version: '1.0' } }],
    [
      'has services of the wrong kind',
      {
        body: {
          services: [1, null, [], [['com']], ['com', 'x'], [[1], [2]], [['com'], ['gopher://x/']]],
        },
      },
    ],
    ['is nested deep', { body: deep(100_000) }],
    [
      'is larger than it may be',
      {
        body:
          JSON.stringify(bootstrapList({ com: ['http://127.0.0.1:9/'] })) + ' '.repeat(5_000_000),
      },
    ],
  ])('that %s is none', async (_, reply) => {
    const whois = await whoisServer('No registry here.\r\n')
    const { checker } = await withList(() => reply, { whoisServers: { test: whois.server } })
    const { details } = await check(checker, { domain: 'example.test' })
    expect(details.attempts).toMatchObject([{ source: 'whois' }])
  })
})

describe('many monitors', () => {
  it('share what was learned of a name for an hour, but no bad news', async () => {
    let facts = {}
    const server = await rdapServer(() => ({ body: domainObject(facts) }))
    const checker = domain(only({ rdapServers: { com: server.base } }))
    const options = frozen()
    const look = () => check(checker, { domain: 'example.com' }, options)
    await look()
    await options.clock.advance(HOUR_MS - 1000)
    expect((await look()).details).toMatchObject({ age_ms: HOUR_MS - 1000, source: 'rdap' })
    expect(server.asked).toHaveLength(1)
    facts = { status: ['client hold'] }
    await options.clock.advance(1000)
    expect((await look()).cause_code).toBe('domain_hold')
    expect((await look()).cause_code).toBe('domain_hold')
    expect(server.asked).toHaveLength(3)
    facts = {}
    expect((await look()).verdict).toBe('ok')
  })

  it('of one name that begin together ask once', async () => {
    const server = await rdapServer(() => ({ body: domainObject() }))
    const checker = domain(only({ rdapServers: { com: server.base } }))
    await Promise.all([1, 2, 3, 4].map(() => check(checker, { domain: 'example.com' })))
    expect(server.asked).toHaveLength(1)
  })

  it('take turns at one registry, with a pause between two', async () => {
    const server = await rdapServer((path) => ({
      body: domainObject({ name: path.split('/').at(-1)! }),
    }))
    const checker = domain(only({ rdapServers: { com: server.base }, gapMs: 50 }))
    const from = performance.now()
    await Promise.all(
      ['a.com', 'b.com', 'c.com', 'd.com'].map((name) => check(checker, { domain: name })),
    )
    expect(server.asked).toHaveLength(4)
    expect(server.together).toBe(1)
    expect(performance.now() - from).toBeGreaterThanOrEqual(150)
  })

  it('that do not get their turn in time are unknown', async () => {
    const server = await rdapServer(() => undefined)
    await withDeadline(1200, async (timeout_ms) => {
      const checker = domain(only({ rdapServers: { com: server.base }, gapMs: 60_000 }))
      const outcomes = await Promise.all(
        ['a.com', 'b.com'].map((name) => check(checker, { domain: name }, { timeout_ms })),
      )
      expect(outcomes.map(({ cause_code }) => cause_code).sort()).toEqual([
        'probe_overloaded',
        'probe_rdap_unreachable',
      ])
    })
  })

  it('do not share across a change of the server', async () => {
    const first = await rdapServer(() => ({ body: domainObject() }))
    const second = await rdapServer(() => ({
      body: domainObject({ expires: '2028-03-01T10:00:00Z' }),
    }))
    let base = first.base
    const list = await rdapServer(() => ({ body: bootstrapList({ com: [base] }) }))
    const checker = domain(only({ bootstrapUrl: list.base, cacheMs: 2 * HOUR_MS }))
    const options = frozen()
    const end = async () =>
      (await check(checker, { domain: 'example.com' }, options)).details.expires_at
    expect(await end()).toBe('2027-03-01T10:00:00.000Z')
    await options.clock.advance(23 * HOUR_MS)
    expect(await end()).toBe('2027-03-01T10:00:00.000Z')
    // The list is a day old now, what was learned an hour.
    base = second.base
    await options.clock.advance(HOUR_MS)
    expect(await end()).toBe('2028-03-01T10:00:00.000Z')
  })

  it('of two checkers share nothing', async () => {
    const server = await rdapServer(() => ({ body: domainObject() }))
    for (let at = 0; at < 2; at++) {
      await check(domain(only({ rdapServers: { com: server.base } })), { domain: 'example.com' })
    }
    expect(server.asked).toHaveLength(2)
  })
})
