/**
 * resources against the agent that ships with watchpost, ping and tcp in a small network of their own.
 *
 * @module
 */

import type { RequestListener } from 'node:http'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import type { JsonObject, Outcome, Phase } from '../../../src/model.ts'
import { resourcesAgent } from '../../../src/resources-agent/index.ts'
import type { ResourcesAgentOptions } from '../../../src/resources-agent/index.ts'
import { certificates } from '../../support/certificates.ts'
import type { CommandLine } from '../../support/command-line.ts'
import { serve } from '../../support/http-exchange.ts'
import { createTestNetwork, noNamespaces } from '../../support/namespaces.ts'
import type { TestNetwork } from '../../support/namespaces.ts'
import { realPing } from '../../support/ping-program.ts'
import { closedPort } from '../../support/scripted-server.ts'
import type { CertificateKind } from '../../support/servers/tls-files.ts'
import { checkOnce, checkWithin, expectFound, expectHealthy, WRONG } from './trial.ts'

const SECRET = 'the-secret-of-the-agent'
const HOUR_MS = 3_600_000

interface Agent {
  readonly options?: Partial<ResourcesAgentOptions>
  readonly certificate?: CertificateKind
  /** What answers in its place. */
  readonly instead?: RequestListener
  readonly settings?: JsonObject
  readonly timeout_ms?: number
}

type AgentRow = readonly [
  type: 'resources',
  broken: string,
  cause_code: string,
  phase: Phase | null,
  how: Agent,
]

const anHourAgo = { ...systemClock, now: () => systemClock.now() - HOUR_MS }

const AGENT_ROWS: readonly AgentRow[] = [
  [
    'resources',
    'the secret is wrong',
    'resource_auth',
    'first_byte',
    { settings: { secret: WRONG } },
  ],
  [
    'resources',
    'the secret is missing',
    'resource_auth',
    'first_byte',
    { settings: { secret: undefined } },
  ],
  ['resources', 'a disk is too full', 'disk_high', null, { settings: { disk_max: 0 } }],
  ['resources', 'too much memory is in use', 'ram_high', null, { settings: { ram_max: 0 } }],
  [
    'resources',
    'the report is an hour old',
    'resource_stale',
    null,
    { options: { clock: anHourAgo } },
  ],
  [
    'resources',
    'a limit is set for what is not measured',
    'resource_missing_metric',
    null,
    { options: { disks: ['/no/such/disk'] }, settings: { disk_max: 90 } },
  ],
  [
    'resources',
    'something else answers',
    'resource_bad_format',
    null,
    { instead: (_, response) => void response.end('hello') },
  ],
  [
    'resources',
    'the agent is not there',
    'http_status',
    'first_byte',
    { instead: (_, response) => void response.writeHead(404).end() },
  ],
  [
    'resources',
    'the agent does not answer',
    'http_response_timeout',
    'first_byte',
    { instead: () => undefined, timeout_ms: 1000 },
  ],
  ['resources', 'the certificate has expired', 'tls_expired', 'tls', { certificate: 'expired' }],
  [
    'resources',
    'the certificate is self-signed',
    'tls_self_signed',
    'tls',
    { certificate: 'selfSigned' },
  ],
]

export function runAgent(watchpost: CommandLine): void {
  describe('against the agent of watchpost', () => {
    const check = async (
      { options, certificate = 'good', instead, settings, timeout_ms }: Agent,
      judge: (outcome: Outcome) => void,
    ) => {
      const listener = instead ?? resourcesAgent({ secret: SECRET, ...options })
      await using server = await serve(listener, certificates()[certificate])
      const url = `https://localhost:${server.port}/`
      const call = { type: 'resources', settings: { url, secret: SECRET, ...settings } }
      if (timeout_ms === undefined) judge(await checkOnce(watchpost, call))
      else await checkWithin(timeout_ms, watchpost, call, judge)
    }

    it('resources: a machine within its limits', async () => {
      const settings = { cpu_max: 100, ram_max: 100, disk_max: 100, load_max: 100_000 }
      await check({ settings }, (outcome) =>
        expectHealthy(outcome, {
          phases: ['resolve', 'connect', 'tls', 'first_byte', 'transfer'],
          details: { status: 200, form: 'simple' },
        }),
      )
    })

    it.each(AGENT_ROWS)('%s: %s: %s (%s)', async (_type, _broken, cause_code, phase, how) => {
      await check(how, (outcome) => expectFound(outcome, [cause_code, phase]))
    })

    it('resources: the agent is stopped: connect_refused (connect)', async () => {
      const outcome = await checkOnce(watchpost, {
        type: 'resources',
        settings: { url: `http://localhost:${await closedPort()}/` },
      })
      expectFound(outcome, ['connect_refused', 'connect'])
    })
  })
}

type NetworkRow = readonly [
  type: 'ping' | 'tcp',
  broken: string,
  cause_code: string,
  phase: Phase | null,
  how: { readonly settings: JsonObject; readonly flags?: readonly string[] },
]

const SOON_MS = 3000
const soon = [`--timeout-ms=${SOON_MS}`]

const NETWORK_ROWS: readonly NetworkRow[] = [
  [
    'ping',
    'nobody answers',
    'ping_no_reply',
    null,
    { settings: { host: '10.10.0.9' }, flags: soon },
  ],
  [
    'ping',
    'a router knows no way',
    'host_unreachable',
    null,
    { settings: { host: '10.8.0.1' }, flags: soon },
  ],
  [
    'ping',
    'we know no way',
    'host_unreachable',
    null,
    { settings: { host: '10.7.0.1' }, flags: soon },
  ],
  [
    'ping',
    'the packets go round',
    'ttl_exceeded',
    null,
    { settings: { host: '10.50.0.1' }, flags: soon },
  ],
  [
    'ping',
    'the replies take too long',
    'ping_slow',
    null,
    { settings: { host: '10.10.0.2', max_avg_ms: 0.01 }, flags: soon },
  ],
  [
    'ping',
    'the address is of the other family',
    'dns_no_records',
    'resolve',
    { settings: { host: '10.10.0.2', ip_family: 'ipv6' } },
  ],
  [
    'ping',
    'the target is not public',
    'connect_blocked',
    'connect',
    { settings: { host: '10.10.0.2' }, flags: ['--targets=public'] },
  ],
  [
    'tcp',
    'nobody listens',
    'connect_refused',
    'connect',
    { settings: { host: '10.10.0.2', port: 9 } },
  ],
  [
    'tcp',
    'nobody answers',
    'connect_timeout',
    'connect',
    { settings: { host: '10.10.0.9', port: 9 }, flags: ['--timeout-ms=1000'] },
  ],
  [
    'tcp',
    'a router knows no way',
    'connect_unreachable',
    'connect',
    { settings: { host: '10.8.0.1', port: 9 } },
  ],
]

export function runNetwork(watchpost: CommandLine): void {
  const reason = realPing === undefined ? 'there is no ping' : noNamespaces()
  const title = 'in a network of its own'
  if (reason !== undefined) process.stderr.write(`skipped: ${title}: ${reason}\n`)

  describe.skipIf(reason !== undefined)(title, { timeout: 300_000 }, () => {
    let network: TestNetwork | undefined
    beforeAll(() => {
      network = createTestNetwork()
    })
    afterAll(() => network?.close())

    const inside = (type: string, { settings, flags = [] }: NetworkRow[4]) => ({
      type,
      settings: { ...settings, ...(type === 'ping' ? { count: settings['count'] ?? 3 } : {}) },
      flags,
      under: network?.enter ?? '',
    })
    const check = (type: string, how: NetworkRow[4]) => checkOnce(watchpost, inside(type, how))

    it('ping: a host behind a router', async () => {
      const call = inside('ping', { settings: { host: '10.10.0.2' } })
      await checkWithin(SOON_MS, watchpost, call, (outcome) =>
        expectHealthy(outcome, {
          phases: [],
          details: { sent: 3, received: 3, loss_pct: 0, ttl: 63 },
        }),
      )
    })

    it.each(NETWORK_ROWS)('%s: %s: %s (%s)', async (type, _broken, cause_code, phase, how) => {
      expectFound(await check(type, how), [cause_code, phase])
    })

    it('ping: packets are lost: ping_loss (null)', async () => {
      network?.limitReplies()
      // Enough of them that some are lost where the program does not get to send the most.
      const settings = { host: '10.9.0.2', count: 50 }
      expectFound(await check('ping', { settings, flags: soon }), ['ping_loss', null])
    })
  })
}
