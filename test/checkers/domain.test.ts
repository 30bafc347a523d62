import { describe, expect, it } from 'vitest'
import { domain } from '../../src/checkers/domain/index.ts'
import type { DomainOptions } from '../../src/checkers/domain/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { ConfigurationError, ValidationError } from '../../src/errors.ts'
import { parseSettings } from '../../src/engine/checks/run-check.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { checkerSuite } from '../../src/testing/checker-suite.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { check } from '../support/check.ts'
import type { CheckOptions } from '../support/check.ts'
import { domainObject, rdapServer } from '../support/registries/rdap-server.ts'
import type { RdapServer } from '../support/registries/rdap-server.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { trySuite } from '../support/try-suite.ts'

const DAY_MS = 24 * 60 * 60_000
const END = Date.UTC(2027, 2, 1, 10)
const at = (days_before: number) => simulatedClock({ now: END - days_before * DAY_MS })

/** The checker, with this server as the only one there is. */
function asking({ base }: Pick<RdapServer, 'base'>, options: DomainOptions = {}) {
  return domain({
    bootstrapUrl: null,
    whoisRoot: null,
    rdapServers: { com: base },
    whoisServers: { com: null },
    gapMs: 0,
    ...options,
  })
}

async function look(
  facts: Parameters<typeof domainObject>[0],
  options: CheckOptions = {},
  days_warn?: string,
) {
  const server = await rdapServer(() => ({ body: domainObject(facts) }))
  return check(
    asking(server),
    { domain: 'example.com', ...(days_warn !== undefined ? { days_warn } : {}) },
    { clock: at(100), ...options },
  )
}

describe('the name', () => {
  it.each([
    ['example.com', 'example.com'],
    ['  Example.COM.  ', 'example.com'],
    ['www.shop.example.co.uk', 'example.co.uk'],
    ['https://user.example.com:8443/path?query#part', 'example.com'],
    ['ftp://files.example.com/x', 'example.com'],
    ['example.com/path', 'example.com'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['https://www.bücher.de/', 'xn--bcher-kva.de'],
    ['XN--E1AFMKFD.XN--P1AI', 'xn--e1afmkfd.xn--p1ai'],
    ['_dmarc.example.com', 'example.com'],
    ['a.github.io', 'github.io'],
    ['test.msk.ru', 'msk.ru'],
  ])('of %s is %s', (given, stored) => {
    const settings = parseSettings(domain(), { domain: given })
    expect(settings.domain).toBe(stored)
    expect(parseSettings(domain(), settings)).toEqual(settings)
    expect(domain().target(settings as never)).toBe(stored)
  })

  it.each([
    '',
    'com',
    'co.uk',
    'localhost',
    '192.0.2.1',
    'https://192.0.2.1/',
    '[2001:db8::1]',
    'user@example.com',
    'https://user:pass@example.com/',
    'exa mple.com',
    'example..com',
    '-example.com',
    'exa_mple.com',
    'example.com\\x',
    'mailto:me@example.com',
    `${'a'.repeat(64)}.com`,
    'example.com\r\nexample.net',
  ])('%j is refused', (given) => {
    expect(() => parseSettings(domain(), { domain: given })).toThrow(ValidationError)
  })

  it('is shown as people read it, too', async () => {
    const server = await rdapServer(() => ({ status: 404 }))
    const { details } = await check(asking(server, { rdapServers: { рф: server.base } }), {
      domain: 'пример.рф',
    })
    expect(details).toMatchObject({ domain: 'xn--e1afmkfd.xn--p1ai', unicode: 'пример.рф' })
    expect(server.asked).toEqual(['/domain/xn--e1afmkfd.xn--p1ai'])
  })
})

describe('days_warn', () => {
  it.each([
    [undefined, [30]],
    [14, [14]],
    ['7, 30,14', [30, 14, 7]],
    [
      [1, 60],
      [60, 1],
    ],
  ])('%j is %j', (days_warn, stored) => {
    expect(parseSettings(domain(), { domain: 'example.com', days_warn }).days_warn).toEqual(stored)
  })
})

describe('the verdict', () => {
  it('is good while the registration stands, and says all there is to say', async () => {
    const outcome = await look({})
    expect(outcome).toMatchObject({ verdict: 'ok', cause_code: null, notices: [] })
    expect(outcome.details).toMatchObject({
      domain: 'example.com',
      registrar: 'Test Registrar Ltd.',
      created_at: '2001-03-01T10:00:00.000Z',
      updated_at: '2025-02-01T08:30:00.000Z',
      expires_at: '2027-03-01T10:00:00.000Z',
      days_left: 100,
      statuses: ['clientTransferProhibited'],
      nameservers: ['ns1.example.net', 'ns2.example.net'],
      dnssec: true,
      source: 'rdap',
      age_ms: 0,
    })
    for (const name of Object.keys(outcome.details)) {
      expect(Object.keys(domain().measurements)).toContain(name)
    }
  })

  it.each<readonly [string, readonly string[], string]>([
    ['on hold by the registrar', ['client hold'], 'domain_hold'],
    ['on hold by the registry', ['active', 'server hold'], 'domain_hold'],
    ['on hold as EPP writes it', ['serverHold'], 'domain_hold'],
    ['in redemption', ['pending delete', 'redemption period'], 'domain_redemption'],
    ['waiting to be restored', ['pending restore'], 'domain_redemption'],
    ['about to be deleted', ['pending delete'], 'domain_pending_delete'],
    ['deleted and on hold', ['server hold', 'redemption period'], 'domain_redemption'],
  ])('fails while it is %s', async (_, status, cause) => {
    const { verdict, cause_code, phase, notices } = await look({ status })
    expect({ verdict, cause_code, phase }).toEqual({
      verdict: 'fail',
      cause_code: cause,
      phase: 'query',
    })
    expect(notices).toEqual([])
  })

  it('fails from the moment of the end on, as an incident and as news', async () => {
    expect((await look({}, { clock: at(1 / DAY_MS) })).verdict).toBe('ok')
    const { verdict, cause_code, notices, details } = await look({}, { clock: at(0) })
    expect({ verdict, cause_code }).toEqual({ verdict: 'fail', cause_code: 'domain_expired' })
    expect(details.days_left).toBe(0)
    expect(notices).toEqual([
      {
        event: 'domain_expired',
        key: '2027-03-01',
        data: {
          domain: {
            expires_at: '2027-03-01T10:00:00.000Z',
            days_left: 0,
            registrar: 'Test Registrar Ltd.',
            statuses: ['clientTransferProhibited'],
          },
        },
      },
    ])
    expect((await look({}, { clock: at(-400) })).details.days_left).toBe(-400)
  })

  it('names the end and not the hold that came of it', async () => {
    const { cause_code } = await look({ status: ['client hold'] }, { clock: at(-1) })
    expect(cause_code).toBe('domain_expired')
  })

  it('fails where nobody has the name', async () => {
    const server = await rdapServer(() => ({ status: 404, body: { errorCode: 404 } }))
    const { verdict, cause_code, cause_text } = await check(asking(server), {
      domain: 'example.com',
    })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'fail',
      cause_code: 'domain_not_registered',
    })
    expect(cause_text).toContain('example.com')
  })

  it('is good where the registry does not tell the end, by its states', async () => {
    const { verdict, details, notices } = await look({ expires: null })
    expect(verdict).toBe('ok')
    expect(details).toMatchObject({ expires_at: null, days_left: null, expiry_unpublished: true })
    expect(notices).toEqual([])
  })

  it('is unknown where it tells neither', async () => {
    const { verdict, cause_code } = await look({ expires: null, status: [] })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_expiry_unpublished',
    })
  })
})

describe('an engine', () => {
  it('takes the first certain sight of the end for confirmed: a registry does not err for a round', async () => {
    const server = await rdapServer(() => ({ body: domainObject({ expires: '2020-03-01' }) }))
    await using engine = createEngine({
      store: memoryStore(),
      checkers: [asking(server)],
      logger: false,
    })
    await engine.start()
    const { id } = await engine.monitors.create({
      type: 'domain',
      name: 'Shop',
      domain: 'example.com',
    })
    expect(await engine.monitors.check(id)).toMatchObject({
      results: [{ cause_code: 'domain_expired' }],
      monitor: { state: 'down' },
    })
    expect((await engine.results.list(id)).items).toHaveLength(1)
  })
})

describe('news of the end', () => {
  it.each([
    [31.5, []],
    [30.5, ['2027-03-01:30']],
    [15.5, ['2027-03-01:30']],
    [14, ['2027-03-01:14']],
    [1.2, ['2027-03-01:1']],
    [0.5, ['2027-03-01:0']],
  ])('%d days before has the keys %j', async (days, keys) => {
    const { verdict, notices = [] } = await look({}, { clock: at(days) }, '30,14,1,0')
    expect(verdict).toBe('ok')
    expect(notices.map(({ key }) => key)).toEqual(keys)
  })

  it('carries the end, the days left, the registrar, the states and the threshold', async () => {
    const { notices } = await look({}, { clock: at(6.5) }, '30,7')
    expect(notices).toEqual([
      {
        event: 'domain_expiring',
        key: '2027-03-01:7',
        data: {
          domain: {
            expires_at: '2027-03-01T10:00:00.000Z',
            days_left: 6,
            registrar: 'Test Registrar Ltd.',
            statuses: ['clientTransferProhibited'],
            threshold: 7,
          },
        },
      },
    ])
    expect(domain().events).toEqual(['domain_expiring', 'domain_expired'])
  })

  it('has the same key where another source rounds the hour', async () => {
    const exact = await look({ expires: '2027-03-01T10:00:00Z' }, { clock: at(10) })
    const rounded = await look({ expires: '2027-03-01' }, { clock: at(10) })
    expect(rounded.notices?.map(({ key }) => key)).toEqual(exact.notices?.map(({ key }) => key))
  })

  it('is none during the grace of an automatic renewal: the date has moved on', async () => {
    const status = ['auto renew period']
    const before = { expires_at: END - 365 * DAY_MS }
    const { verdict, details, notices } = await look({ status }, { memo: before, clock: at(364) })
    expect({ verdict, notices }).toEqual({ verdict: 'ok', notices: [] })
    expect(details).toMatchObject({
      auto_renew_grace: true,
      previous_expires_at: '2026-03-01T10:00:00.000Z',
    })
  })

  it('tells of an end that moved backwards, and remembers the new one', async () => {
    const { verdict, details, memo } = await look({}, { memo: { expires_at: END + 365 * DAY_MS } })
    expect(verdict).toBe('ok')
    expect(details.previous_expires_at).toBe('2028-02-29T10:00:00.000Z')
    expect(memo).toEqual({ expires_at: END })
  })

  it.each([undefined, null, 'x', [], { expires_at: 'soon' }, { expires_at: 1e300 }])(
    'does not mind a memory like %j',
    async (memo) => {
      const { verdict, details } = await look({}, memo === undefined ? {} : { memo })
      expect(verdict).toBe('ok')
      expect(details).not.toHaveProperty('previous_expires_at')
    },
  )
})

describe('options', () => {
  it.each<DomainOptions>([
    { bootstrapUrl: 'file:///etc/passwd' },
    { bootstrapUrl: 'rdap' },
    { rdapServers: { com: 'rdap.example.com' } },
    { rdapServers: { com: 'https://user:pass@rdap.example.com/' } },
    { rdapServers: { 'a b': 'https://rdap.example.com/' } },
    { whoisServers: { com: 'whois.example.com:0' } },
    { whoisServers: { com: 'whois.example.com:65536' } },
    { whoisServers: { com: '' } },
    { whoisServers: { com: { server: 'whois.example.com', query: 'no name' } } },
    { whoisServers: { com: { server: 'whois.example.com', query: '{name}\r\nx' } } },
    { whoisRoot: 'a b' },
    { gapMs: -1 },
    { gapMs: Number.NaN },
    { cacheMs: Infinity },
  ])('%j are refused when the checker is made', (options) => {
    expect(() => domain(options)).toThrow(ConfigurationError)
  })
})

describe('what every checker holds to', () => {
  it.each(
    checkerSuite(domain({ bootstrapUrl: null, whoisRoot: null }), {
      settings: { domain: 'example.com', days_warn: [30, 7] },
    }),
  )('$name', ({ run }) => run())

  it('a silent registry is unknown before the deadline', async () => {
    const { port } = await scriptedServer(() => undefined)
    const silent = `127.0.0.1:${port}`
    const checker = asking({ base: `http://${silent}/` }, { whoisServers: { com: silent } })
    const cases = trySuite(checker, {
      settings: { domain: 'example.com' },
      silent: { domain: 'example.com' },
    })
    for (const { run } of cases) await run()
  })

  it('is asked once a day from one place', () => {
    expect(domain().common).toMatchObject({
      interval_sec: { default: 86_400, min: 3600 },
      timeout_ms: { default: 30_000 },
      singleLocation: true,
      fail_threshold: { default: 1 },
    })
  })
})
