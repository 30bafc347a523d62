/**
 * Every public function that takes options.
 *
 * @module
 */

import { createServer } from 'node:http'
import { createProbe, bullmqProbes } from '../../src/bullmq.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { blacklist, registryFeed, safeBrowsing } from '../../src/checkers/blacklist/index.ts'
import { domain } from '../../src/checkers/domain/index.ts'
import { ftp } from '../../src/checkers/ftp.ts'
import { imap } from '../../src/checkers/imap/index.ts'
import { mysql } from '../../src/checkers/mysql/index.ts'
import { pop3 } from '../../src/checkers/pop3.ts'
import { postgres } from '../../src/checkers/postgres/index.ts'
import { smtp } from '../../src/checkers/smtp.ts'
import { tcp } from '../../src/checkers/tcp.ts'
import { createClient } from '../../src/client/index.ts'
import * as contacts from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { runCheck } from '../../src/engine/checks/run-check.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { syncMonitors } from '../../src/monitors/index.ts'
import { createGuard } from '../../src/net/guard/guard.ts'
import { createPage } from '../../src/page/index.ts'
import { resourcesAgent } from '../../src/resources-agent/index.ts'
import { createRest } from '../../src/rest/index.ts'
import { limitServer, toNodeHandler } from '../../src/rest/node.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { openTelemetry } from '../../src/otel/otel.ts'
import { createReplayGuard, verifyWebhook } from '../../src/webhook/verify.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

export const engine = createEngine({ store: memoryStore(), checkers: [] })
const key = Buffer.alloc(32, 1)

const CONTACTS = Object.values(contacts).filter(({ name }) => /^[a-z]+Contact$/.test(name))

/** Everything that takes options, with what it needs to be made at all. */
export const TAKERS: Readonly<
  Record<string, readonly [make: (options: never) => unknown, needed: object]>
> = {
  createEngine: [createEngine, { store: memoryStore(), checkers: [] }],
  createRest: [(options) => createRest(engine, options), {}],
  createPage: [(options) => createPage(engine, options), {}],
  toNodeHandler: [(options) => toNodeHandler(createRest(engine), options), {}],
  limitServer: [(options) => limitServer(createServer(), options), {}],
  createMetrics: [(options) => createMetrics(engine, options), {}],
  createClient: [createClient, { url: 'https://watch.test', apiKey: 'k' }],
  createProbe: [
    createProbe,
    { connection: 'redis://x', secretKey: key, location: 'far', checkers: [] },
  ],
  bullmqProbes: [bullmqProbes, { connection: 'redis://x', secretKey: key }],
  memoryStore: [memoryStore, {}],
  sqliteStore: [sqliteStore, { file: ':memory:' }],
  postgresStore: [postgresStore, { url: 'postgres://x/y' }],
  webhookContact: [webhookContact, {}],
  ...Object.fromEntries(CONTACTS.map((make) => [make.name, [make, {}] as const])),
  builtinCheckers: [builtinCheckers, {}],
  blacklist: [blacklist, {}],
  registryFeed: [registryFeed, { file: 'feed.csv' }],
  safeBrowsing: [safeBrowsing, { key: 'k' }],
  domain: [domain, {}],
  smtp: [smtp, {}],
  pop3: [pop3, {}],
  imap: [imap, {}],
  ftp: [ftp, {}],
  mysql: [mysql, {}],
  postgres: [postgres, {}],
  createGuard: [createGuard, {}],
  resourcesAgent: [resourcesAgent, { secret: 'x'.repeat(16) }],
  simulatedClock: [simulatedClock, {}],
  runCheck: [
    (options) => runCheck(tcp, { host: '127.0.0.1', port: 9 }, options),
    { targets: () => 'refused' },
  ],
  verifyWebhook: [verifyWebhook, { body: '{}', header: 'x', secret: 's' }],
  createReplayGuard: [createReplayGuard, {}],
  recordingTransport: [recordingTransport, {}],
  openTelemetry: [openTelemetry, {}],
  'engine.stop': [
    (options) => createEngine({ store: memoryStore(), checkers: [] }).stop(options),
    {},
  ],
  syncMonitors: [(options) => syncMonitors(engine, [], options), { dryRun: true }],
}
