/**
 * The service under fuzz: all types with their real tables of fields, a store, a running scheduler, the
 * Node handler on a real socket. Only what would leave this machine is played: checks and webhooks.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { down, unknown, up } from '../../../src/checkers/checker.ts'
import type { AnyChecker } from '../../../src/checkers/checker.ts'
import { builtinCheckers } from '../../../src/checkers/index.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import type { Engine } from '../../../src/engine/api/engine.ts'
import { silentLogger } from '../../../src/logger.ts'
import type { Logger } from '../../../src/logger.ts'
import { createRest } from '../../../src/rest/index.ts'
import type { RateWindow } from '../../../src/rest/index.ts'
import { toNodeHandler } from '../../../src/rest/node.ts'
import { postgresStore } from '../../../src/store/postgres/index.ts'
import { sqliteStore } from '../../../src/store/sqlite/index.ts'
import type { FullStore } from '../../../src/store/store.ts'
import { webhookContact } from '../../../src/webhook/webhook-kind.ts'
import type { WebhookTransport } from '../../../src/webhook/transport.ts'
import { startPostgres } from '../../support/servers/postgres.ts'
import type { Document } from './grammar.ts'

export const KEY = 'key-of-the-account-under-fuzz'
export const OTHER_KEY = 'key-of-somebody-else'

export interface Subject {
  readonly engine: Engine
  readonly port: number
  readonly document: Document
  /** What the service has said that went wrong on its side since it was last asked. */
  complaints(): readonly unknown[]
  stop(): Promise<void>
}

interface Shelf {
  readonly store: FullStore
  remove(): Promise<unknown> | void
}

function sqlite(): Shelf {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-fuzz-'))
  const store = sqliteStore({ file: join(folder, 'watchpost.db') })
  return { store, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function postgres(): Promise<Shelf> {
  const { ports, stop } = await startPostgres()
  const store = postgresStore({ url: `postgres://postgres@127.0.0.1:${ports.postgres}/app` })
  return { store, remove: stop }
}

export async function startSubject(kind: string): Promise<Subject> {
  const { store, remove } = kind === 'postgres' ? await postgres() : sqlite()
  const complaints: unknown[] = []
  const note = (fields: object, message: string): void =>
    void complaints.push({ message, ...fields })
  const logger: Logger = { ...silentLogger, error: note }
  const engine = createEngine({
    store,
    checkers: played(builtinCheckers()),
    contacts: [webhookContact({ transport: answering, guard: { allowCidrs: ['127.0.0.1/32'] } })],
    locations: ['here', 'there'],
    logger,
  })
  await engine.start()
  await engine.keys.create({ key: KEY })
  const other = await engine.accounts.create({ name: 'somebody else' })
  await engine.account(other.id).keys.create({ key: OTHER_KEY })
  await engine.contacts.create({
    kind: 'webhook',
    name: 'ops',
    url: 'http://127.0.0.1/hook',
    secret: 's',
  })
  // The id 1 is hit by many a strange request; the next one is left in peace.
  await engine.monitors.create({ ...BROKEN, host: 'first.example' })
  const { id } = await engine.monitors.create(BROKEN)
  await engine.monitors.check(id)
  await engine.publicPages.create({ title: 'First', slug: 'first' })

  const rest = createRest(engine, { rateLimit: { window: generous }, logger })
  const response = await rest.fetch(new Request('http://localhost/api/v1/openapi.json'))
  const server = createServer({ keepAliveTimeout: 0 }, toNodeHandler(rest))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    engine,
    port: (server.address() as AddressInfo).port,
    document: (await response.json()) as Document,
    complaints: () => complaints.splice(0),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await engine.stop()
      await remove()
    },
  }
}

/** Has an incident, the first one, for as long as the service runs. */
const BROKEN = { type: 'tcp', host: 'broken.example', port: 1, name: 'Broken', fail_threshold: 1 }

/** Checks that reach nothing: most are good, some fail, some cannot tell. */
function played(checkers: readonly AnyChecker[]): AnyChecker[] {
  let turn = 0
  const run: AnyChecker['run'] = (_ctx, settings: unknown) => {
    turn += 1
    const always = (settings as { readonly host?: string }).host === BROKEN.host
    if (always || turn % 7 === 0)
      return Promise.resolve(down('connect_refused', 'It was told to fail'))
    if (turn % 31 === 0) return Promise.resolve(unknown('dns_refused', 'It cannot tell'))
    return Promise.resolve(up({ details: { turn }, memo: { turn } }))
  }
  return checkers.map((checker) => (checker.push === undefined ? { ...checker, run } : checker))
}

let sent = 0
const answering: WebhookTransport = {
  send: () =>
    Promise.resolve({
      http_status: ++sent % 9 === 0 ? 410 : 204,
      error: sent % 9 === 0 ? 'http_410' : null,
      retry_after: undefined,
      answer: null,
      duration_ms: 1,
      written: true,
    }),
}

/** Counts nobody: the limit has tests of its own, and its headers stay. */
const generous: RateWindow = {
  take: () => ({ allowed: true, remaining: 59, reset_ms: 60_000 }),
}
