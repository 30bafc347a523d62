import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { blacklist, registryFeed, safeBrowsing } from '../../src/checkers/blacklist/index.ts'
import { content } from '../../src/checkers/content/index.ts'
import { dns } from '../../src/checkers/dns/index.ts'
import { domain } from '../../src/checkers/domain/index.ts'
import { ftp } from '../../src/checkers/ftp.ts'
import { http } from '../../src/checkers/http/index.ts'
import { imap } from '../../src/checkers/imap/index.ts'
import { mysql } from '../../src/checkers/mysql/index.ts'
import { pop3 } from '../../src/checkers/pop3.ts'
import { postgres } from '../../src/checkers/postgres/index.ts'
import { resources } from '../../src/checkers/resources/index.ts'
import { smtp } from '../../src/checkers/smtp.ts'
import { ssl } from '../../src/checkers/ssl/index.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import type { JsonObject, Outcome } from '../../src/model.ts'
import { hostileAnswers, hostileRedirects } from '../support/hostile-documents/codings.ts'
import { hostileDialogues } from '../support/hostile-documents/dialogues.ts'
import { hostileFloods } from '../support/hostile-documents/floods.ts'
import { hostilePages } from '../support/hostile-documents/pages.ts'
import {
  hostileFeeds,
  hostileRdap,
  hostileReports,
  hostileTexts,
  hostileThreats,
  pointerChain,
  texts,
} from '../support/hostile-documents/records.ts'
import { documentServer, pageServer } from '../support/hostile-documents/server.ts'
import type { DocumentServer } from '../support/hostile-documents/server.ts'
import { hostileWhois } from '../support/hostile-documents/whois.ts'
import { leastTurns } from '../support/turns.ts'
import { certificates } from '../support/certificates.ts'
import { mint } from './ssl/mint.ts'
import { handshaker } from './ssl/server.ts'

/**
 * Five times what is promised of a machine of one's own: a core that is shared, and a collection of garbage, are no
 * fault of ours. `npm run faults -- attacks` holds the promise itself.
 */
const TURN_MS = 5 * 50

/** Several, and the least counts; the first one loads what it needs. */
const TRIES = 3

const names: JsonObject = { domain: 'example.org' }

async function look(server: DocumentServer, check: () => Promise<Outcome>): Promise<Outcome> {
  onTestFinished(() => server.close())
  const { value, longest_ms } = await leastTurns(TRIES, check, TURN_MS)
  expect(longest_ms).toBeLessThan(TURN_MS)
  return value
}

const run = (checker: AnyChecker, settings: JsonObject): Promise<Outcome> =>
  runCheck(checker, settings as never, { timeout_ms: 120_000 })

const urlOf = ({ port }: DocumentServer): string => `http://127.0.0.1:${port}/`

describe('no turn of the event loop is long, whatever an answer is made of:', () => {
  it.each(hostilePages)('$name', async (page) => {
    const server = await pageServer(page)
    const { ignore_regex } = page
    const settings = { url: urlOf(server), ...(ignore_regex === undefined ? {} : { ignore_regex }) }
    const { verdict, cause_code } = await look(server, () => run(content(), settings))
    // What we gave up says nothing of the page.
    const ours = ['content_ignore_slow', 'http_body_limit']
    if (verdict === 'unknown') expect(ours).toContain(cause_code)
    if (verdict === 'fail') expect(cause_code).toBe('content_empty')
  })

  it.each(hostileAnswers)('$name', async (page) => {
    const server = await pageServer(page)
    const { verdict, cause_code } = await look(server, () => run(content(), { url: urlOf(server) }))
    if (verdict === 'unknown') expect(cause_code).toBe('http_coding_limit')
  })

  it.each(hostilePages.filter(({ name }) => /^(text|html): /.test(name)).slice(0, 8))(
    'http, $name',
    async (page) => {
      const server = await pageServer(page)
      const patterns = { keyword_present_regex: '(?:a|b)*c$', number_regex: '(\\d+) of (\\d+)' }
      await look(server, () => run(http(), { url: urlOf(server), ...patterns }))
    },
  )

  it.each(hostileWhois)('$name', async ({ make }) => {
    const server = await documentServer({ says: [make()] })
    const whoisServers = { org: `127.0.0.1:${server.port}` }
    const options = { bootstrapUrl: null, rdapServers: { org: [] }, whoisServers, gapMs: 0 }
    const { verdict } = await look(server, () => run(domain(options), names))
    expect(verdict).not.toBe('fail')
  })

  it.each(hostileRdap)('$name', async (document) => {
    const server = await pageServer({ ...document, type: 'application/rdap+json' })
    const rdapServers = { org: [urlOf(server)] }
    const options = { bootstrapUrl: null, rdapServers, whoisServers: { org: null }, gapMs: 0 }
    const { verdict } = await look(server, () => run(domain(options), names))
    expect(verdict).toBe('unknown')
  })

  it.each(hostileReports)('$name', async (document) => {
    const server = await pageServer({ ...document, type: 'application/json' })
    await look(server, () => run(resources(), { url: urlOf(server), cpu_max: 90 }))
  })

  it.each(hostileDialogues)('$name', async ({ type, settings, says }) => {
    const server = await documentServer({ says: says(), greets: true, ends: false })
    const checker = { smtp, pop3, imap, ftp, tcp }[type]()
    await look(server, () =>
      runCheck(
        checker as AnyChecker,
        { host: '127.0.0.1', port: server.port, ...settings },
        {
          timeout_ms: 1_500,
        },
      ),
    )
  })

  it.each(hostileFloods)('$name', async (given) => {
    const server = await documentServer({ ...given, ends: false })
    const where = { host: '127.0.0.1', port: server.port, user: 'a', pass: 'b', tls: 'off' }
    const checker = given.type === 'mysql' ? mysql() : postgres()
    const settings = { ...where, query: 'SELECT 1', expect_rows_min: 1_000 }
    await look(server, () => runCheck(checker, settings as never, { timeout_ms: 1_500 }))
  })

  it.each(hostileThreats)('$name', async (document) => {
    const server = await pageServer({ ...document, type: 'application/json' })
    const gsb = safeBrowsing({ key: 'k', endpoint: `http://127.0.0.1:${server.port}` })
    const checker = blacklist({ lists: [], providers: { gsb } })
    await look(server, () => run(checker, { target: 'http://192.0.2.7/', gsb: true }))
  })

  it.each(hostileFeeds)('$name', async (document) => {
    const server = await pageServer({ ...document, type: 'text/csv' })
    // Made anew for each look: what was read once is not read again.
    await look(server, () => {
      const rkn = registryFeed({ url: `http://127.0.0.1:${server.port}/dump.csv` })
      return run(blacklist({ lists: [], providers: { rkn } }), { target: '192.0.2.7', rkn: true })
    })
  })

  it.each(hostileRedirects)('redirect: $name', async (page) => {
    const server = await pageServer(page)
    const { verdict } = await look(server, () => run(http(), { url: urlOf(server) }))
    expect(verdict).toBe('fail')
  })

  it.each([300, 3_000])('ssl: a certificate of %i names', async (count) => {
    const names = Array.from({ length: count }, (_, n) => `DNS:n${n}.example.org`).join(',')
    const { port } = await handshaker(mint({ names: `IP:127.0.0.1,${names}` }))
    const close = (): Promise<void> => Promise.resolve()
    await look({ port, close }, () =>
      runCheck(ssl(), { host: '127.0.0.1', port }, { timeout_ms: 20_000, ca: certificates().ca }),
    )
  })

  it.each([
    ['ten thousand bits', { dhparam: finiteField(10_000), ciphers: 'DHE-RSA-AES128-GCM-SHA256' }],
    ['the largest size of TLS 1.3', { ecdhCurve: 'ffdhe8192', minVersion: 'TLSv1.3' } as const],
  ])('ssl: a key agreement over a finite field of %s', async (_, wanted) => {
    const options = 'dhparam' in wanted ? { ...wanted, maxVersion: 'TLSv1.2' as const } : wanted
    const { port } = await handshaker(certificates().good, options)
    const close = (): Promise<void> => Promise.resolve()
    const outcome = await look({ port, close }, () =>
      runCheck(ssl(), { host: '127.0.0.1', port }, { timeout_ms: 20_000, ca: certificates().ca }),
    )
    expect(outcome.cause_code).toBe('tls_handshake')
  })

  it.each(hostileTexts)('$name', async ({ records, data }) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (asked: Buffer) => socket.end(texts(asked.subarray(2), records, data)))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
    const nameserver = `tcp://127.0.0.1:${port}`
    const settings = { dns_name: 'example.org', rrtype: 'TXT', nameserver, expected: 'x' }
    await look({ port, close }, () => run(dns(), settings))
  })

  it('dns: three thousand names behind eight thousand pointers', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (asked: Buffer) => socket.end(pointerChain(asked.subarray(2))))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
    const settings = { dns_name: 'example.org', nameserver: `tcp://127.0.0.1:${port}` }
    const outcome = await look({ port, close }, () => run(dns(), settings))
    expect(outcome.cause_code).toBe('dns_malformed')
  })
})

/** Parameters of Diffie-Hellman in PEM (PKCS #3): any odd number of that size passes for a prime. */
function finiteField(bits: number): string {
  const prime = randomBytes(bits / 8)
  prime[0] = 0x7f
  prime[prime.length - 1] = 0xff
  const long = (tag: number, content: Buffer): Buffer =>
    Buffer.concat([Buffer.of(tag, 0x82, content.length >> 8, content.length & 0xff), content])
  const generator = Buffer.of(0x02, 0x01, 0x02)
  const der = long(0x30, Buffer.concat([long(0x02, prime), generator]))
  return `-----BEGIN DH PARAMETERS-----\n${der.toString('base64')}\n-----END DH PARAMETERS-----\n`
}
