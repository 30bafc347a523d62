/**
 * domain against registries on this machine, blacklist against rbldnsd. The command line has no option
 * for other registries and resolvers than those of the world, so these two go by `runCheck`.
 *
 * @module
 */

import { afterAll, beforeAll, describe, it } from 'vitest'
import { blacklist } from '../../../src/checkers/blacklist/index.ts'
import { domain } from '../../../src/checkers/domain/index.ts'
import { runCheck } from '../../../src/engine/checks/run-check.ts'
import type { Outcome, Phase } from '../../../src/model.ts'
import { certificates } from '../../support/certificates.ts'
import { domainObject, rdapServer } from '../../support/registries/rdap-server.ts'
import type { DomainFacts, RdapReply } from '../../support/registries/rdap-server.ts'
import { whoisServer } from '../../support/registries/whois-server.ts'
import { closedPort } from '../../support/scripted-server.ts'
import { describeWithServer } from '../../support/servers/need.ts'
import { rbldnsdServer, startRbldnsd } from '../../support/servers/rbldnsd.ts'
import type { RbldnsdServer } from '../../support/servers/rbldnsd.ts'
import { expectFound, expectHealthy, expectSound } from './trial.ts'

const FAR = '2099-03-01T10:00:00Z'
/** No row is about a deadline, and none meets one, however busy the machine is. */
const TIMEOUT_MS = 30_000

/** Who is asked about `com`: base address of RDAP, `host:port` of WHOIS. */
interface Registry {
  readonly rdap?: string
  readonly whois?: string
}

async function ask({ rdap, whois }: Registry, name = 'example.com'): Promise<Outcome> {
  const checker = domain({
    bootstrapUrl: null,
    whoisRoot: null,
    rdapServers: { com: rdap ?? [] },
    whoisServers: { com: whois ?? null },
    gapMs: 0,
  })
  const outcome = await runCheck(checker, { domain: name }, { timeout_ms: TIMEOUT_MS })
  expectSound('domain', outcome)
  return outcome
}

const rdap = async (reply: RdapReply): Promise<Registry> => ({
  rdap: (await rdapServer(() => reply)).base,
})
const record = (facts: DomainFacts): Promise<Registry> =>
  rdap({ body: domainObject({ expires: FAR, ...facts }) })
const whois = async (text: string): Promise<Registry> => ({
  whois: (await whoisServer(text)).server,
})
const expiredCertificate = async (): Promise<Registry> => {
  const server = await rdapServer(() => ({ body: domainObject() }), certificates().expired)
  return { rdap: server.base }
}

type DomainRow = readonly [
  type: 'domain',
  broken: string,
  cause_code: string,
  phase: Phase | null,
  registry: () => Promise<Registry>,
]

const DOMAIN_ROWS: readonly DomainRow[] = [
  [
    'domain',
    'the registration has ended',
    'domain_expired',
    'query',
    () => record({ expires: '2020-03-01T10:00:00Z' }),
  ],
  [
    'domain',
    'nobody has registered it',
    'domain_not_registered',
    'query',
    () => rdap({ status: 404 }),
  ],
  ['domain', 'it is on hold', 'domain_hold', 'query', () => record({ status: ['client hold'] })],
  [
    'domain',
    'it was deleted',
    'domain_redemption',
    'query',
    () => record({ status: ['redemption period', 'pending delete'] }),
  ],
  [
    'domain',
    'it is about to be deleted',
    'domain_pending_delete',
    'query',
    () => record({ status: ['pending delete'] }),
  ],
  [
    'domain',
    'RDAP is stopped',
    'probe_rdap_unreachable',
    'query',
    async () => ({ rdap: `http://127.0.0.1:${await closedPort()}/` }),
  ],
  ['domain', 'RDAP fails', 'probe_rdap_unreachable', 'query', () => rdap({ status: 503 })],
  [
    'domain',
    'the certificate of RDAP has expired',
    'probe_rdap_unreachable',
    'query',
    expiredCertificate,
  ],
  [
    'domain',
    'RDAP answers with something else',
    'probe_rdap_unparsed',
    'query',
    () => rdap({ body: '<html>' }),
  ],
  ['domain', 'RDAP is asked too often', 'probe_rate_limited', 'query', () => rdap({ status: 429 })],
  [
    'domain',
    'nobody has registered it, by WHOIS',
    'domain_not_registered',
    'query',
    () => whois('No match for "EXAMPLE.COM".\r\n'),
  ],
  [
    'domain',
    'WHOIS is stopped',
    'probe_whois_unreachable',
    'query',
    async () => ({ whois: `127.0.0.1:${await closedPort()}` }),
  ],
  ['domain', 'WHOIS says nothing', 'probe_whois_empty', 'query', () => whois('')],
  [
    'domain',
    'WHOIS says what nobody understands',
    'probe_whois_unparsed',
    'query',
    () => whois('Bonjour\r\n'),
  ],
  [
    'domain',
    'there is nobody to ask',
    'probe_registry_unknown',
    'query',
    () => Promise.resolve({}),
  ],
]

export function runRegistries(): void {
  describe('against registries', () => {
    it('domain: a registration in good standing', async () => {
      expectHealthy(await ask(await record({})), {
        phases: ['connect', 'first_byte', 'transfer'],
        details: { expires_at: '2099-03-01T10:00:00.000Z', source: 'rdap', dnssec: true },
      })
    })

    it.each(DOMAIN_ROWS)('%s: %s: %s (%s)', async (_type, _broken, cause_code, phase, registry) => {
      expectFound(await ask(await registry()), [cause_code, phase])
    })
  })
}

type ListRow = readonly [
  type: 'blacklist',
  broken: string,
  cause_code: string,
  phase: Phase | null,
  input: { readonly target: string; readonly lists: readonly string[] },
]

const CLEAN = '198.51.100.1'

const LIST_ROWS: readonly ListRow[] = [
  [
    'blacklist',
    'the address is listed',
    'list_listed',
    null,
    { target: '192.0.2.7', lists: ['bl.test'] },
  ],
  [
    'blacklist',
    'the IPv6 address is listed',
    'list_listed',
    null,
    { target: '2001:db8::7', lists: ['bl6.test'] },
  ],
  [
    'blacklist',
    'the domain of a page is listed',
    'list_listed',
    null,
    { target: 'https://www.listed.example/page', lists: ['dbl.test'] },
  ],
  [
    'blacklist',
    'it is listed by one of two',
    'list_listed',
    null,
    { target: '192.0.2.7', lists: ['empty.test', 'bl.test'] },
  ],
  [
    'blacklist',
    'the list refuses us',
    'probe_dnsbl_blocked',
    null,
    { target: CLEAN, lists: ['limited.test'] },
  ],
  [
    'blacklist',
    'the list was shut down',
    'probe_dnsbl_selftest_failed',
    null,
    { target: CLEAN, lists: ['everything.test'] },
  ],
  [
    'blacklist',
    'the list has lost its data',
    'probe_dnsbl_selftest_failed',
    null,
    { target: CLEAN, lists: ['empty.test'] },
  ],
]

export function runLists(): void {
  describeWithServer(rbldnsdServer, 'against rbldnsd', () => {
    let server: RbldnsdServer | undefined
    beforeAll(async () => {
      server = await startRbldnsd()
    })
    afterAll(() => server?.stop())

    const look = async (input: ListRow[4]): Promise<Outcome> => {
      const nameservers = [`127.0.0.1:${server?.ports.dns}`]
      const outcome = await runCheck(blacklist({ nameservers, paceMs: 0 }), input, {
        timeout_ms: TIMEOUT_MS,
      })
      expectSound('blacklist', outcome)
      return outcome
    }

    it('blacklist: an address that no list has', async () => {
      expectHealthy(await look({ target: CLEAN, lists: ['bl.test'] }), {
        phases: ['resolve'],
        details: { lists: [], lists_checked: 1, lists_failed: 0 },
      })
    })

    it.each(LIST_ROWS)('%s: %s: %s (%s)', async (_type, _broken, cause_code, phase, input) => {
      expectFound(await look(input), [cause_code, phase])
    })

    it('blacklist: the lists are stopped: probe_dnsbl_failed (null)', async () => {
      await server?.halt()
      const outcome = await look({ target: CLEAN, lists: ['bl.test'] })
      expectFound(outcome, ['probe_dnsbl_failed', null])
    })
  })
}
