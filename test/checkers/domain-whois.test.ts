import { describe, expect, it } from 'vitest'
import { domain } from '../../src/checkers/domain/index.ts'
import type { DomainOptions } from '../../src/checkers/domain/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { check } from '../support/check.ts'
import { withDeadline } from '../support/deadlines.ts'
import { RATE_LIMITS, WHOIS_SAMPLES } from '../support/registries/whois-answers.ts'
import { whoisServer } from '../support/registries/whois-server.ts'
import type { WhoisScript } from '../support/registries/whois-server.ts'
import { closedPort } from '../support/scripted-server.ts'

const NOW = Date.UTC(2026, 0, 1)
const sample = (name: string) => WHOIS_SAMPLES.find((each) => each.name === name)!
const COM = sample('example.com')

interface Asked extends DomainOptions {
  readonly name?: string
  readonly suffix?: string
  readonly timeout_ms?: number
  readonly hosts?: Readonly<Record<string, readonly string[]>>
}

/** A check over WHOIS alone, at a server that answers so. */
async function ask(
  answer: string | Uint8Array | WhoisScript,
  { name = 'example.com', suffix = 'com', timeout_ms, hosts, ...options }: Asked = {},
) {
  const server = await whoisServer(answer)
  const checker = domain({
    bootstrapUrl: null,
    whoisRoot: null,
    rdapServers: { [suffix]: [] },
    whoisServers: { [suffix]: server.server },
    gapMs: 0,
    ...options,
  })
  const clock = timeout_ms === undefined ? { clock: simulatedClock({ now: NOW }) } : { timeout_ms }
  const outcome = await check(checker, { domain: name }, { ...clock, ...(hosts && { hosts }) })
  return { ...outcome, asked: server.asked }
}

describe('the record of a registry', () => {
  it.each(WHOIS_SAMPLES)('of $name is read', async ({ taken, name, suffix, ...expected }) => {
    const { verdict, cause_text, details, asked } = await ask(taken, { name, suffix })
    expect({ verdict, cause_text }).toEqual({ verdict: 'ok', cause_text: null })
    expect(details).toMatchObject({
      expires_at: expected.expires_at,
      statuses: expected.statuses,
      registrar: expected.registrar,
      source: 'whois',
    })
    expect(details.expiry_unpublished === true).toBe(expected.expires_at === null)
    expect(asked).toEqual([details.domain])
  })

  it.each(WHOIS_SAMPLES)('of $name is missing where nobody has it', async (registry) => {
    const { free, name, suffix } = registry
    const { verdict, cause_code } = await ask(free, { name, suffix })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'fail',
      cause_code: 'domain_not_registered',
    })
  })

  it('has name servers, DNSSEC and the other dates besides', async () => {
    const { details } = await ask(COM.taken)
    expect(details).toMatchObject({
      created_at: '2001-03-01T10:00:00.000Z',
      updated_at: '2025-02-01T08:30:00.000Z',
      nameservers: ['ns1.example.net', 'ns2.example.net'],
      dnssec: true,
      days_left: 424,
    })
  })

  it('is read in latin1 where it is no UTF-8', async () => {
    const latin1 = Buffer.from(
      sample('example.com.br').taken.replace('domain:', 'registrar: S\u00e3o\r\ndomain:'),
      'latin1',
    )
    const { details } = await ask(latin1, { name: 'example.com.br', suffix: 'br' })
    expect(details.registrar).toBe('S\u00e3o')
  })

  it.each([
    ['on hold', 'Domain Status: clientHold', 'domain_hold'],
    [
      'on hold at the registry',
      'Domain Status: serverHold https://icann.org/epp#serverHold',
      'domain_hold',
    ],
    ['in redemption', 'Domain Status: redemptionPeriod', 'domain_redemption'],
    [
      'in redemption, as EPP has it',
      'Domain Status: pendingDelete\r\nDomain Status: redemptionPeriod',
      'domain_redemption',
    ],
    ['about to be deleted', 'Domain Status: pendingDelete', 'domain_pending_delete'],
    ['in quarantine', 'Status: in quarantine', 'domain_redemption'],
  ])('that is %s fails', async (_, line, cause) => {
    const { verdict, cause_code } = await ask(`${line}\r\n${COM.taken}`)
    expect({ verdict, cause_code }).toEqual({ verdict: 'fail', cause_code: cause })
  })
})

describe('an answer that says nothing about the name is unknown', () => {
  it.each<readonly [string, string | Uint8Array, string]>([
    ['is empty', '', 'probe_whois_empty'],
    ['is blank lines', '\r\n\r\n  \r\n', 'probe_whois_empty'],
    [
      'is about another name',
      COM.taken.replaceAll('EXAMPLE.COM', 'EXAMPLE.NET'),
      'probe_whois_unparsed',
    ],
    [
      'is about a name above it',
      COM.taken.replaceAll('EXAMPLE.COM', 'COM'),
      'probe_whois_unparsed',
    ],
    ['is a page', '<html><body>Not found</body></html>', 'probe_whois_unparsed'],
    [
      'is an error that is not about the name',
      'Error: record not found in cache\r\n',
      'probe_whois_unparsed',
    ],
    ['is an error of the server', 'Server not found\r\n', 'probe_whois_unparsed'],
    ['is prose', 'The registry is closed on Sundays.\r\n', 'probe_whois_unparsed'],
    [
      'is binary',
      Uint8Array.from({ length: 4096 }, (_, at) => (at * 131) % 256),
      'probe_whois_unparsed',
    ],
    [
      'says "no match" inside a longer notice',
      'NOTICE: there is no match for "EXAMPLE.COM" in our hearts\r\n',
      'probe_whois_unparsed',
    ],
    [
      'has a date that could be two',
      COM.taken.replace('2027-03-01T10:00:00Z', '01/03/2027'),
      'probe_whois_unparsed',
    ],
    [
      'has a redacted date',
      COM.taken.replace('2027-03-01T10:00:00Z', 'REDACTED FOR PRIVACY'),
      'probe_whois_unparsed',
    ],
    [
      'has a year that means never',
      COM.taken.replace('2027-03-01T10:00:00Z', '9999-12-31'),
      'probe_whois_unparsed',
    ],
    [
      'has two ends',
      `${COM.taken}Registry Expiry Date: 2028-03-01T10:00:00Z\r\n`,
      'probe_whois_unparsed',
    ],
    [
      'has neither end nor status',
      'Domain Name: example.com\r\nRegistrar: X\r\n',
      'probe_expiry_unpublished',
    ],
    [
      'is longer than any record',
      `${COM.taken}${'Remark: x\r\n'.repeat(8000)}`,
      'probe_whois_unparsed',
    ],
    ...RATE_LIMITS.map(
      ([registry, text]) =>
        [`limits the rate as ${registry} does`, text, 'probe_rate_limited'] as const,
    ),
  ])('when it %s', async (_, answer, cause) => {
    const { verdict, cause_code, notices } = await ask(answer)
    expect({ verdict, cause_code, notices }).toEqual({ verdict: 'unknown', cause_code: cause })
  })

  it('unless its states stand for it, where the end alone is missing', async () => {
    const { verdict, details } = await ask(
      COM.taken.replace(/.*Registry Expiry Date.*\r\n/, ''),
      {},
    )
    expect(verdict).toBe('ok')
    expect(details).toMatchObject({ expires_at: null, expiry_unpublished: true, days_left: null })
  })
})

describe('a server that does not answer is unknown, before the deadline', () => {
  it.each<readonly [string, WhoisScript]>([
    ['stays silent', () => undefined],
    ['closes without a word', (_, socket) => void socket.destroy()],
    ['resets', (_, socket) => void socket.resetAndDestroy()],
    [
      'sends without end',
      (_, socket) => {
        const send = (): void => {
          while (!socket.destroyed && socket.write('x'.repeat(16_384)));
          socket.once('drain', send)
        }
        send()
        return undefined
      },
    ],
    [
      'drips',
      (_, socket) => {
        const timer = setInterval(() => socket.write('D'), 20)
        socket.once('close', () => clearInterval(timer))
        return undefined
      },
    ],
  ])('when it %s', async (_, script) => {
    await withDeadline(1500, async (timeout_ms) => {
      const outcome = await ask(script, { timeout_ms })
      expect(outcome.verdict).toBe('unknown')
      expect(outcome.cause_code).toMatch(/^probe_whois_(unreachable|empty|unparsed)$/)
      expect(outcome.duration_ms).toBeLessThan(timeout_ms)
    })
  })

  it('when nobody listens', async () => {
    const port = await closedPort()
    const { verdict, cause_code, cause_text } = await ask('', {
      whoisServers: { com: `127.0.0.1:${port}` },
    })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_whois_unreachable',
    })
    expect(cause_text).toContain(`127.0.0.1:${port}`)
  })

  it('but a record that was complete when the server reset counts', async () => {
    const { verdict, details } = await ask(
      (_, socket) => {
        socket.write(COM.taken, () =>
          setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 50),
        )
        return undefined
      },
      { timeout_ms: 30_000 },
    )
    expect(details.expires_at).toBe('2027-03-01T10:00:00.000Z')
    expect(verdict).toBe('ok')
  })

  it('and half a date is not read as another one', async () => {
    const cut = COM.taken.slice(0, COM.taken.indexOf('2027-03-01') + '2027-03-0'.length)
    const { cause_code } = await ask(
      (_, socket) => {
        socket.write(cut, () => setTimeout(() => setImmediate(() => socket.resetAndDestroy()), 50))
        return undefined
      },
      { timeout_ms: 30_000 },
    )
    expect(cause_code).toBe('probe_expiry_unpublished')
  })
})

describe('referrals', () => {
  const hosts = { 'whois.registrar.test': ['127.0.0.1'], 'whois.other.test': ['127.0.0.1'] }
  const thin = (port: number, host = 'whois.registrar.test'): string =>
    `Domain Name: EXAMPLE.COM\r\nRegistrar: Thin\r\nRegistrar WHOIS Server: ${host}:${port}\r\n`

  it('are followed to the registrar where the registry does not tell the end', async () => {
    const registrar = await whoisServer(COM.taken)
    const { verdict, details } = await ask(thin(registrar.port), { hosts })
    expect(verdict).toBe('ok')
    expect(details).toMatchObject({ expires_at: '2027-03-01T10:00:00.000Z' })
    expect(registrar.asked).toEqual(['example.com'])
  })

  it('are not followed where the registry tells the end', async () => {
    const registrar = await whoisServer(COM.taken)
    const own = COM.taken.replace('whois.registrar.test', `whois.registrar.test:${registrar.port}`)
    expect((await ask(own, { hosts })).verdict).toBe('ok')
    expect(registrar.asked).toEqual([])
  })

  it('begin at IANA for top-level domains whose server is not known', async () => {
    const registry = await whoisServer(COM.taken.replaceAll('EXAMPLE.COM', 'EXAMPLE.MUSEUM'))
    const root = await whoisServer(
      `% IANA\r\n\r\nrefer:        whois.registrar.test:${registry.port}\r\n\r\ndomain:       MUSEUM\r\nstatus:       ACTIVE\r\n`,
    )
    const { verdict, details } = await ask('', {
      hosts,
      name: 'example.museum',
      suffix: 'test',
      whoisRoot: root.server,
      whoisServers: {},
      rdapServers: { museum: [] },
    })
    expect(verdict).toBe('ok')
    expect(details.server).toBe(`whois.registrar.test:${registry.port}`)
    expect(details.attempts).toMatchObject([
      { server: root.server, result: `refers to whois.registrar.test:${registry.port}` },
      { result: 'registered' },
    ])
  })

  it('that IANA does not have leave it unknown', async () => {
    const { verdict, cause_code } = await ask('', {
      name: 'example.museum',
      suffix: 'test',
      rdapServers: { museum: [] },
      whoisServers: {},
      whoisRoot: (await whoisServer('% This query returned 0 objects.\r\n')).server,
    })
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_registry_unknown',
    })
  })

  it('end after two, and in a circle at once', async () => {
    const asked: string[] = []
    const ports: number[] = []
    const chain = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at++) {
        const server = await whoisServer(() => {
          asked.push(String(at))
          return thin(ports[(at + 1) % count]!)
        })
        ports.push(server.port)
      }
    }
    await chain(4)
    const outcome = await ask(() => thin(ports[0]!), { hosts })
    expect(outcome.verdict).toBe('unknown')
    expect(asked).toEqual(['0', '1'])
    asked.length = ports.length = 0
    await chain(1)
    await ask(() => thin(ports[0]!), { hosts })
    expect(asked).toEqual(['0'])
  })

  it('do not let a registrar say that nobody has the name', async () => {
    const registrar = await whoisServer(COM.free)
    const { verdict, cause_code } = await ask(thin(registrar.port), { hosts })
    expect(registrar.asked).toHaveLength(1)
    expect({ verdict, cause_code }).toEqual({
      verdict: 'unknown',
      cause_code: 'probe_expiry_unpublished',
    })
  })

  it.each([
    '127.0.0.1',
    '[::1]',
    'localhost',
    '169.254.169.254',
    '2130706433',
    'whois.registrar.test:25',
    'whois.registrar.test:80',
    'a b',
  ])('to %s are not followed', async (target) => {
    const { details } = await ask(
      `Domain Name: EXAMPLE.COM\r\nRegistrar WHOIS Server: ${target}\r\n`,
      { hosts },
    )
    expect(details.attempts).toHaveLength(1)
  })
})

describe('a rate limit', () => {
  it('keeps everybody away from that server until it has passed', async () => {
    const clock = simulatedClock({ now: NOW })
    let answer = RATE_LIMITS[0]![1]
    const server = await whoisServer(() => answer)
    const checker = domain({
      bootstrapUrl: null,
      rdapServers: { com: [] },
      whoisServers: { com: server.server },
      gapMs: 0,
    })
    const look = async (name: string) =>
      (await check(checker, { domain: name }, { clock })).cause_code
    expect(await look('example.com')).toBe('probe_rate_limited')
    answer = COM.taken
    expect(await look('example.com')).toBe('probe_rate_limited')
    expect(server.asked).toHaveLength(1)
    await clock.advance(5 * 60_000)
    expect(await look('example.com')).toBeNull()
    expect(server.asked).toHaveLength(2)
  })
})
