/** Secrets stay where they belong: nowhere in files, logs, answers, reports and other people's messages (F13, G23). */
import { createPrivateKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { defineChecker, down } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { builtinContacts, pagerdutyContact, telegramContact } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import type { FieldTable } from '../../src/fields/field.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { Logger } from '../../src/logger.ts'
import type { JsonObject } from '../../src/model.ts'
import { createRest } from '../../src/rest/fetch.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { certificates } from '../support/certificates.ts'
import { commandLine } from '../support/command-line.ts'
import { sampleSettings } from '../support/sample-settings.ts'
import { emptyFolder } from './machine/child.ts'
import { aviary, withCanaries } from './secrets/canaries.ts'
import type { Aviary } from './secrets/canaries.ts'
import { parrot } from './secrets/parrots.ts'
import type { Parrot } from './secrets/parrots.ts'

const watchpost = commandLine()
const NOBODY: ReadonlySet<string> = new Set()
const GUARD = { guard: { allowCidrs: ['127.0.0.1/32'] } }

/** A checker of somebody who does not take care: what it is told to keep to itself is in all that it says. */
const careless = defineChecker({
  type: 'careless',
  title: 'Careless',
  description: 'Tells its secret',
  fields: {
    throws: field.flag({ description: 'Throws what it has to say' }).default(false),
    secret: field.secret({ description: 'Is told' }),
  },
  causes: { told: { text: 'It was told' } },
  target: () => 'nobody',
  run(ctx, { throws, secret = '' }) {
    ctx.log.info({ secret, deeper: [{ secret }] }, `it is ${secret}`)
    const pair = `\0me\0${secret}`
    const forms = (['hex', 'base64', 'base64url', 'latin1'] as const).map((encoding) =>
      Buffer.from(pair).toString(encoding),
    )
    ctx.measure({ said: secret, deeper: { all: [`it is ${secret}`, ...forms], [secret]: pair } })
    ctx.log.debug({ bytes: Buffer.from(secret), forms }, forms.join())
    if (!throws) return Promise.resolve(down('told', `It is ${secret}`, { details: { x: secret } }))
    const cause = Object.assign(new Error(`because of ${secret}`), { password: secret })
    throw new Error(`no: ${secret}`, { cause })
  },
})

const told: string[] = []

/** The same for a way of telling people. */
const gossip = defineContactKind({
  kind: 'gossip',
  title: 'Gossip',
  fields: { secret: field.secret({ description: 'Is told' }) },
  policy: () => undefined,
  check: () => Promise.resolve({}),
  deliver(ctx, { secret = '' }) {
    ctx.log.warn({ secret, deeper: [{ secret }] }, `it is ${secret}`)
    if (told.push(secret) % 2 === 0) return Promise.reject(new Error(`no: ${secret}`))
    const packed = Buffer.from(`me:${secret}`).toString('base64')
    return Promise.resolve({
      ...({ class: 'failed', http_status: null, duration_ms: 1, retry_after_ms: null } as const),
      ...{ error: `no_${secret}`, answer: `Basic ${packed} is wrong` },
    })
  },
})

const checkerList = () => [...(builtinCheckers({ extra: true }) as readonly AnyChecker[]), careless]

/** Settings of each type without its secrets; those that have none are left out by themselves. */
const SETTINGS: Readonly<Record<string, (port: number) => JsonObject>> = {
  http: (port) => ({ url: `http://127.0.0.1:${port}/`, auth: { user: 'u' } }),
  content: (port) => ({ url: `http://127.0.0.1:${port}/`, auth: { user: 'u' } }),
  smtp: (port) => ({ host: '127.0.0.1', port, tls: 'none', user: 'u' }),
  pop3: (port) => ({ host: '127.0.0.1', port, tls: 'none', user: 'u' }),
  imap: (port) => ({ host: '127.0.0.1', port, tls: 'none', user: 'u' }),
  ftp: (port) => ({ host: '127.0.0.1', port, tls: 'none', user: 'u' }),
  mysql: (port) => ({ host: '127.0.0.1', port, tls: 'off', user: 'u' }),
  postgres: (port) => ({ host: '127.0.0.1', port, tls: 'off', user: 'u' }),
  resources: (port) => ({ url: `http://127.0.0.1:${port}/` }),
  // Nobody listens there: a parrot does not speak TLS.
  tcp: () => ({ host: '127.0.0.1', port: 9 }),
  ssl: () => ({ host: '127.0.0.1', port: 9 }),
  grpc: (port) => ({ host: '127.0.0.1', port }),
  redis: (port) => ({ host: '127.0.0.1', port }),
  websocket: (port) => ({ url: `ws://127.0.0.1:${port}/` }),
  careless: () => ({}),
}

/** What a contact of each kind needs besides its secrets. */
const CONTACTS: Readonly<Record<string, (port: number) => JsonObject>> = {
  webhook: (port) => ({ url: `http://127.0.0.1:${port}/` }),
  email: (port) => ({
    ...{ host: '127.0.0.1', port, tls: 'none', user: 'u' },
    ...{ from: 'a@shop.example', to: ['b@shop.example'] },
  }),
  slack: () => ({}),
  discord: () => ({}),
  telegram: () => ({ chat_id: '1' }),
  teams: () => ({}),
  pagerduty: () => ({}),
  ntfy: (port) => ({ server: `http://127.0.0.1:${port}/` }),
  gossip: () => ({}),
}

/** Fields in which a secret is more than a word. */
const SHAPES: Readonly<Record<string, (canary: string, port: number) => string>> = {
  'slack.url': (canary, port) => `http://127.0.0.1:${port}/services/${canary}`,
  'discord.url': (canary, port) => `http://127.0.0.1:${port}/api/webhooks/1/${canary}`,
  'teams.url': (canary, port) => `http://127.0.0.1:${port}/workflows/${canary}`,
  'telegram.token': (canary) => `123456:${canary}`,
  // Its letters and digits are the base64 of 24 bytes.
  'webhook.standard_secret': (canary) => `whsec_${canary}`,
}

/** Further kinds are posted by the same code; which of their settings leads here is theirs to know. */
function isCalledHere({ kind }: Pick<AnyContactKind, 'kind'>): boolean {
  return kind in CONTACTS
}

interface World {
  readonly birds: Aviary
  readonly engine: Engine
  readonly logs: string[]
  /** Everything that the REST API answered. */
  readonly answers: string[]
  readonly file: string
  readonly checks: ReadonlyMap<string, { readonly settings: JsonObject; readonly heard: Parrot }>
  readonly receivers: ReadonlyMap<string, Parrot>
  call(method: string, path: string, body?: unknown, headers?: JsonObject): Promise<JsonObject>
}

/** In place of canaries where a key and its certificate are wanted: the passphrase is one, and each line of the key. */
function identityFor({ adopt }: Aviary, fields: FieldTable, settings: JsonObject): JsonObject {
  if (!('tls_key' in fields)) return {}
  const { cert, key } = certificates().good
  const passphrase = settings['tls_key_pass'] as string
  const form = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase } as const
  const tls_key = createPrivateKey(key).export(form).toString()
  for (const line of [...tls_key.split('\n'), ...key.split('\n')])
    if (/^[A-Za-z0-9+/=]{40,}$/.test(line)) adopt(line, `a line of tls_key`)
  return { tls_cert: cert, tls_key }
}

/** Credentials of two kinds exclude each other: `content` gets a token first, the others have a login. */
function oneLogin(type: string, settings: JsonObject, port: number): JsonObject {
  const { auth, oauth, ...rest } = settings
  if (oauth === undefined) return settings
  if (type !== 'content') return { ...rest, ...(auth === undefined ? {} : { auth }) }
  const token_url = `http://127.0.0.1:${port}/`
  return { ...rest, oauth: { ...(oauth as JsonObject), token_url, client_id: 'u' } }
}

function secretive(): readonly AnyChecker[] {
  return checkerList().filter(
    ({ fields, type }) =>
      Object.keys(withCanaries(fields, {}, () => 'x')).length > 0 || type in SETTINGS,
  )
}

async function populate(secretKey?: Uint8Array): Promise<World> {
  const birds = aviary()
  const checks = new Map<string, { settings: JsonObject; heard: Parrot }>()
  for (const checker of secretive()) {
    const { type, fields } = checker
    const heard = await parrot(type)
    const base = SETTINGS[type] ?? ((port) => sampleSettings(checker, port))
    const hatch = (path: string) => birds.hatch(`${type}.${path}`)
    const settings = oneLogin(type, withCanaries(fields, base(heard.port), hatch), heard.port)
    checks.set(type, { settings: { ...settings, ...identityFor(birds, fields, settings) }, heard })
  }
  const receivers = new Map<string, Parrot>()
  for (const { kind } of builtinContacts().filter(isCalledHere)) {
    receivers.set(kind, await parrot(kind === 'email' ? 'smtp' : 'web', 200))
  }
  const base = (kind: string) => ({ baseUrl: `http://127.0.0.1:${receivers.get(kind)?.port}` })
  const kinds = builtinContacts(GUARD)
    .filter(isCalledHere)
    .map((kind) => {
      if (kind.kind === 'telegram') return telegramContact({ ...GUARD, ...base('telegram') })
      if (kind.kind === 'pagerduty') return pagerdutyContact({ ...GUARD, ...base('pagerduty') })
      return kind
    })
  const all = [...kinds, gossip]
  const logs: string[] = []
  const log = (fields: object, message: string): void => {
    logs.push(message, inspect(fields, { depth: 12, showHidden: true, maxStringLength: null }))
  }
  const logger: Logger = { debug: log, info: log, warn: log, error: log }
  const file = join(emptyFolder(), 'watchpost.db')
  const engine: Engine = createEngine<AnyChecker, AnyContactKind>({
    store: sqliteStore({ file }),
    checkers: checkerList(),
    contacts: all,
    logger,
    ...(secretKey === undefined ? {} : { secretKey }),
  })
  engine.on('error', (error) => log({ error }, 'event'))
  const rest = createRest(engine, { rateLimit: false, logger })
  await engine.start()
  const key = birds.hatch('api key')
  await engine.keys.create({ name: 'canary', key })
  for (const { kind, fields } of all) {
    const port = receivers.get(kind)?.port ?? 0
    const given = CONTACTS[kind] ?? (() => ({}))
    const hatch = (path: string): string => {
      const canary = birds.hatch(`${kind}.${path}`)
      return SHAPES[`${kind}.${path}`]?.(canary, port) ?? canary
    }
    const settings = withCanaries(fields, given(port), hatch)
    await engine.contacts.create({ kind, name: kind, all_monitors: true, ...settings })
  }
  const answers: string[] = []
  return {
    ...{ birds, engine, logs, answers, file, checks, receivers },
    async call(method, path, body, headers = {}) {
      const response = await rest.fetch(
        new Request(`http://watchpost.test${path}`, {
          method,
          headers: {
            Authorization: `Bearer ${key}`,
            'Content-Type': 'application/json',
            ...(headers as Record<string, string>),
          },
          ...(body === undefined
            ? {}
            : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )
      const text = await response.text()
      answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`)
      return text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {}
    },
  }
}

/** Everything that happens to a monitor and its secrets in a life. */
async function live(world: World): Promise<void> {
  const { call, checks, engine } = world
  /** Over the API, where nobody waits for it, and then to its end. */
  const check = async (id: number): Promise<void> => {
    await call('POST', `/api/v1/monitors/${id}/check`, {})
    world.answers.push(JSON.stringify(await engine.monitors.check(id)))
  }
  for (const [type, { settings }] of checks) {
    const body = { type, name: type, fail_threshold: 1, timeout_ms: 1500, ...settings }
    const made = await call('POST', '/api/v1/monitors', body, { 'Idempotency-Key': type })
    expect(made, type).toHaveProperty('monitor')
    const { id } = made['monitor'] as { id: number }
    await call('POST', '/api/v1/monitors', body, { 'Idempotency-Key': type })
    await check(id)
    for (const path of ['', '/status', '/results', '/incidents', '/uptime']) {
      await call('GET', `/api/v1/monitors/${id}${path}`)
    }
    await call('PATCH', `/api/v1/monitors/${id}`, { ...settings, name: 7 })
    const other = type === 'careless' ? { throws: true } : { timeout_ms: 2000 }
    await call('PATCH', `/api/v1/monitors/${id}`, { ...settings, ...other })
    await check(id)
    await call('GET', `/api/v1/monitors/${id}/results`)
    await call('POST', '/api/v1/monitors', { ...body, no_such_field: settings, interval_sec: -1 })
    await call('POST', '/api/v1/monitors', `{"a": ${JSON.stringify(settings)}`)
    // A secret where none belongs.
    await call('POST', '/api/v1/monitors', { type: JSON.stringify(settings) })
    await call('GET', `/api/v1/monitors/${JSON.stringify(settings).length}`)
  }
  for (const path of ['monitors', 'contacts', 'incidents', 'notifications', 'types', 'me']) {
    await call('GET', `/api/v1/${path}`)
  }
  await call('GET', '/api/v1/openapi.json')
  await call('GET', '/api/v1/me', undefined, { Authorization: 'Bearer nobody' })
  for (const { id } of await engine.contacts.list()) {
    world.answers.push(JSON.stringify(await engine.contacts.test(id)))
  }
  await expect.poll(async () => (await engine.health()).outbox_depth).toBeLessThan(checks.size * 2)
  await call('GET', '/api/v1/notifications')
}

/** Of the folder of the database: the file, its log, its owner. */
function searchFiles({ file, birds }: World): ReadonlySet<string> {
  const folder = join(file, '..')
  const all = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return new Set(all.flatMap(({ name }) => [...birds.find(readFileSync(join(folder, name)))]))
}

test('a secret of a monitor, a contact or a key is found in no file, log, answer, report or message to somebody else', async () => {
  const world = await populate(Buffer.alloc(32, 7))
  const { birds, logs, answers, engine, receivers, checks } = world
  await live(world)
  expect(existsSync(`${world.file}-wal`)).toBe(true)
  expect(searchFiles(world), 'files while it runs').toEqual(NOBODY)
  await engine.stop()
  expect(searchFiles(world), 'files afterwards').toEqual(NOBODY)
  expect(logs.length).toBeGreaterThan(0)
  expect(birds.find(logs.join('\n')), 'logs').toEqual(NOBODY)
  expect(answers.length).toBeGreaterThan(100)
  expect(birds.find(answers.join('\n')), 'answers').toEqual(NOBODY)
  const report = (process.report as unknown as { getReport(): object }).getReport()
  expect(birds.find(JSON.stringify(report)), 'report').toEqual(NOBODY)
  for (const [kind, receiver] of receivers) {
    expect(receiver.heard().length, kind).toBeGreaterThan(0)
    const foreign = [...birds.find(receiver.heard())].filter(
      (owner) => !owner.startsWith(`${kind}.`),
    )
    expect(foreign, kind).toEqual([])
  }
  // The birds have flown where they should: else not to find them elsewhere would prove nothing.
  const sent = [...checks].flatMap(([, { heard }]) => [...birds.find(heard.heard())])
  for (const type of [
    'http',
    'content',
    'smtp',
    'pop3',
    'imap',
    'ftp',
    'resources',
    'redis',
    'websocket',
  ]) {
    expect(
      sent.some((owner) => owner.startsWith(`${type}.`)),
      type,
    ).toBe(true)
  }
})

test('without a key for them secrets lie in the file as they are, which is how the search is known to work', async () => {
  const world = await populate()
  const [type, { settings }] = [...world.checks][0] as [string, { settings: JsonObject }]
  await world.call('POST', '/api/v1/monitors', { type, name: type, ...settings })
  expect(searchFiles(world).size).toBeGreaterThan(3)
  await world.engine.stop()
})

test('check --json shows no secret that it was given', async () => {
  const birds = aviary()
  const runs = secretive()
    .filter(({ type }) => type !== 'careless')
    .map(async ({ type, fields }) => {
      const { port } = await parrot(type)
      const hatch = (path: string) => birds.hatch(`${type}.${path}`)
      const given = oneLogin(type, withCanaries(fields, SETTINGS[type]?.(port) ?? {}, hatch), port)
      const settings = { ...given, ...identityFor(birds, fields, given) }
      const words = Object.entries(settings).map(
        ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      )
      return watchpost.run(['check', type, ...words, '--json'], { env: { LOG_LEVEL: 'debug' } })
    })
  for (const { stdout, stderr } of await Promise.all(runs)) {
    expect(stdout, stderr).toContain('"verdict"')
    expect(birds.find(stdout + stderr)).toEqual(NOBODY)
  }
})
