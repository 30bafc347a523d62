/** Secrets stay with their destination: another scheme, host or port needs them again. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { JsonObject } from '../../src/model.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { Store } from '../../src/store/store.ts'

/** Somebody's own: nothing but words of the vocabulary. */
const relay = defineChecker({
  type: 'relay',
  title: 'Relay',
  description: 'Asks several places',
  fields: {
    places: field
      .list(field.url({ description: 'One of them' }), { description: 'Addresses', max: 9 })
      .required(),
    socket: field.text({ description: 'Path', destination: 'value' }),
    key: field.secret({ description: 'Key' }),
  },
  target: () => 'relay',
  run: () => Promise.resolve(up()),
})

const courier = defineContactKind({
  kind: 'courier',
  title: 'Courier',
  fields: {
    host: field.host({ description: 'Host' }).required(),
    key: field.secret({ description: 'Key' }),
  },
  policy: () => undefined,
  check: () => Promise.resolve({}),
  deliver: () => Promise.reject(new Error('not called')),
})

interface Setting {
  readonly engine: Engine
  readonly store: Store
}

async function setting(): Promise<Setting> {
  const store = memoryStore()
  const checkers: readonly AnyChecker[] = [
    ...(builtinCheckers({ extra: true }) as readonly AnyChecker[]),
    relay,
  ]
  const contacts = [...builtinContacts(), courier]
  const engine: Engine = createEngine<AnyChecker, AnyContactKind>({ store, checkers, contacts })
  await engine.open()
  onTestFinished(() => engine.stop())
  return { engine, store }
}

type Case = readonly [before: JsonObject, patch: JsonObject, problems: readonly string[]]

const HTTP = {
  type: 'http',
  url: 'https://shop.example/a?b',
  auth: { user: 'u', pass: 'p4ssw0rd' },
  headers: { 'X-Tok': 't0ken', Accept: 'text/html' },
}
const BOTH = ['auth.pass', 'headers']
const OAUTH = {
  type: 'http',
  url: 'https://api.example/',
  headers: { 'X-Tok': 't0ken' },
  oauth: { token_url: 'https://login.example/token', client_id: 'c', client_secret: 's3cret' },
}
const EVIL = 'https://evil.example/'
const SMTP = {
  type: 'smtp',
  host: 'mail.example',
  port: 587,
  tls: 'starttls',
  user: 'u',
  pass: 'p4ss',
}
const SQL = { type: 'mysql', host: 'db.example', user: 'u', pass: 'p4ss', tls: 'require' }
const RELAY = { type: 'relay', places: ['https://a.example/', 'https://b.example/'], key: 'k3y' }

const REFUSED: readonly Case[] = [
  [HTTP, { url: 'https://evil.example/' }, BOTH],
  [HTTP, { url: 'http://shop.example/a?b' }, BOTH],
  [HTTP, { url: 'https://shop.example:444/a?b' }, BOTH],
  [HTTP, { url: 'https://www.shop.example/' }, BOTH],
  [HTTP, { url: 'https://shop.example.:443/' }, BOTH],
  [HTTP, { url: 'https://evil.example/', auth: { user: 'u', pass: 'new' } }, ['headers']],
  [HTTP, { url: 'https://evil.example/', 'auth.pass': '***' }, BOTH],
  [HTTP, { url: 'https://evil.example/', headers: { 'X-Tok': '***' } }, BOTH],
  [HTTP, { url: 'https://evil.example/', headers: null, name: 'x' }, ['auth.pass']],
  [HTTP, { url: 'https://evil.example/', auth: null, headers: null, 'auth.user': 'x' }, []],
  [HTTP, { headers: { Host: 'evil.example', 'X-Tok': '***' } }, BOTH],
  [HTTP, { ignore_tls_errors: true }, BOTH],
  [OAUTH, { url: EVIL }, ['headers', 'oauth.client_secret']],
  [OAUTH, { url: EVIL, 'oauth.client_secret': '***', headers: null }, ['oauth.client_secret']],
  [OAUTH, { 'oauth.token_url': EVIL }, ['headers', 'oauth.client_secret']],
  [
    OAUTH,
    { oauth: { token_url: 'http://login.example/token' }, headers: null },
    ['oauth.client_secret'],
  ],
  [OAUTH, { proxy: 'http://evil.example:3128' }, ['headers', 'oauth.client_secret']],
  [OAUTH, { ignore_tls_errors: true }, ['headers', 'oauth.client_secret']],
  [SMTP, { host: 'evil.example' }, ['pass']],
  [SMTP, { port: 2525 }, ['pass']],
  [SMTP, { port: null }, ['pass']],
  [SMTP, { tls: 'none' }, ['pass']],
  [SMTP, { host: 'evil.example', pass: '***' }, ['pass']],
  [SQL, { host: 'evil.example', user: 'u2' }, ['pass']],
  [SQL, { port: 3307 }, ['pass']],
  [SQL, { tls: 'prefer' }, ['pass']],
  [SQL, { tls: 'off' }, ['pass']],
  [
    { type: 'resources', url: 'http://a.example/', secret: 's3cret' },
    { url: 'http://b.example/' },
    ['secret'],
  ],
  [RELAY, { places: ['https://a.example/', 'https://evil.example/'] }, ['key']],
  [RELAY, { socket: '/tmp/evil' }, ['key']],
]

const TAKEN: readonly Case[] = [
  [HTTP, { url: 'https://shop.example/other#x' }, []],
  [HTTP, { url: 'https://SHOP.example:443/a' }, []],
  [
    HTTP,
    { url: 'https://evil.example/', auth: { pass: 'p4ssw0rd' }, headers: { 'X-Tok': 't0ken' } },
    [],
  ],
  [HTTP, { url: 'https://evil.example/', 'auth.pass': 'new', headers: { 'X-Tok': 'new' } }, []],
  [HTTP, { url: 'https://u:p4ssw0rd@evil.example/', headers: {} }, []],
  [HTTP, { url: 'https://evil.example/', auth: null, headers: null }, []],
  [HTTP, { url: 'https://evil.example/', auth: null, headers: { Accept: 'text/plain' } }, []],
  [HTTP, { name: 'other', headers: { 'X-Tok': '***' }, auth: { pass: '***' } }, []],
  [{ ...HTTP, ignore_tls_errors: true }, { ignore_tls_errors: false }, []],
  [OAUTH, { oauth: { token_url: EVIL, client_secret: 'new' }, headers: null }, []],
  [OAUTH, { 'oauth.token_url': 'https://login.example/other', 'oauth.scope': 'x' }, []],
  [OAUTH, { url: EVIL, headers: null, oauth: null }, []],
  [SMTP, { tls: 'implicit' }, []],
  [SMTP, { host: 'other.example', pass: 'p4ss' }, []],
  [SMTP, { host: 'other.example', user: null, pass: null }, []],
  [SMTP, { user: 'other' }, []],
  [SQL, { tls: 'verify', port: 3306 }, []],
  [{ ...SQL, pass: null }, { host: 'other.example' }, []],
  [RELAY, { places: ['https://b.example/path'] }, []],
]

async function problemsOf(work: Promise<unknown>): Promise<JsonObject> {
  try {
    await work
    return {}
  } catch (error) {
    return (error as { readonly fields: JsonObject }).fields
  }
}

describe('a change of a monitor', () => {
  it.each(REFUSED.filter(([, , problems]) => problems.length > 0))(
    '%j by %j is refused',
    async (before, patch, expected) => {
      const { engine, store } = await setting()
      const { id } = await engine.monitors.create(before as never)
      const stored = await store.monitors.get(id)
      const problems = await problemsOf(engine.monitors.update(id, patch))
      expect(Object.keys(problems).sort()).toEqual([...expected].sort())
      for (const text of Object.values(problems)) {
        expect(text).toMatch(/^required: ("x-tok": )?[\w.]+ has changed; give the secret again/)
      }
      expect(await store.monitors.get(id)).toEqual(stored)
    },
  )

  it.each(TAKEN)('%j by %j is taken', async (before, patch) => {
    const { engine } = await setting()
    const { id } = await engine.monitors.create(before as never)
    await expect(problemsOf(engine.monitors.update(id, patch as never))).resolves.toEqual({})
  })

  it('what is kept is what was stored, wherever the mask stands', async () => {
    const { engine, store } = await setting()
    const { id } = await engine.monitors.create(HTTP)
    await engine.monitors.update(id, { 'auth.pass': '***', url: 'https://shop.example/b' })
    expect((await store.monitors.get(id))?.settings).toMatchObject({
      url: 'https://shop.example/b',
      auth: { pass: 'p4ssw0rd' },
    })
  })
})

describe('a change of a contact', () => {
  const webhook = {
    kind: 'webhook',
    name: 'ops',
    url: 'https://hook.example/a',
    secret: 's1gning',
    headers: { 'X-Auth': 'a1', Accept: 'x/y' },
  }
  const email = {
    ...{ kind: 'email', name: 'mail', host: 'mail.example', user: 'u', pass: 'p4ss' },
    ...{ from: 'a@b.example', to: ['c@d.example'] },
  }
  const ntfy = { kind: 'ntfy', name: 'n', server: 'https://ntfy.example/', topic: 'secret-topic' }
  const own = { kind: 'courier', name: 'c', host: 'a.example', key: 'k3y' }

  it.each<Case>([
    [webhook, { url: 'https://evil.example/a' }, ['secret', 'headers']],
    [webhook, { url: 'http://hook.example/a' }, ['secret', 'headers']],
    [webhook, { url: 'https://hook.example:8443/a', secret: 'new' }, ['headers']],
    [webhook, { url: 'https://hook.example/b' }, []],
    [webhook, { url: 'https://evil.example/', secret: 'new', headers: null }, []],
    [webhook, { url: 'https://evil.example/', secret: null, headers: { 'X-Auth': 'a2' } }, []],
    [email, { host: 'evil.example' }, ['pass']],
    [email, { port: 2525 }, ['pass']],
    [email, { tls: 'none' }, ['pass']],
    [email, { to: ['x@y.example'] }, []],
    [ntfy, { server: 'https://evil.example/' }, ['topic']],
    [own, { host: 'evil.example' }, ['key']],
    [own, { host: 'evil.example', key: 'k3y' }, []],
  ])('%j by %j needs %j', async (before, patch, expected) => {
    const { engine } = await setting()
    const { id } = await engine.contacts.create(before as never)
    const problems = await problemsOf(engine.contacts.update(id, patch))
    expect(Object.keys(problems).sort()).toEqual([...expected].sort())
  })
})

describe('a secret that cannot be stored', () => {
  it('is a mask where nothing is stored: a copy does not copy secrets', async () => {
    const { engine } = await setting()
    const { id } = await engine.monitors.create(HTTP)
    const { url, auth, headers } = (await engine.monitors.get(id)) as unknown as JsonObject
    const copy = { type: 'http', url, auth, headers }
    const problems = await problemsOf(engine.monitors.create(copy))
    expect(Object.keys(problems).sort()).toEqual(BOTH)
    expect(problems['auth.pass']).toMatch(/^required: \*\*\* stands for a stored secret/)
    const contact = { kind: 'webhook', name: 'x', url: 'https://a.example/', secret: '***' }
    expect(await problemsOf(engine.contacts.create(contact))).toHaveProperty('secret')
  })

  it('is a mask in another place than its secret', async () => {
    const { engine } = await setting()
    const { id } = await engine.monitors.create(HTTP)
    for (const headers of [{ 'X-Tok': ['***'] }, { 'X-New': '***', 'X-Tok': '***' }]) {
      const problems = await problemsOf(engine.monitors.update(id, { headers }))
      expect(Object.keys(problems)).toHaveLength(1)
    }
  })

  it('begins like a sealed one, which nobody could open', async () => {
    const { engine } = await setting()
    const pass = 'sealed:1:00000000:AAAA'
    const problems = await problemsOf(engine.monitors.create({ ...SMTP, pass }))
    expect(problems).toEqual({ pass: expect.stringMatching(/^invalid: it begins like/) })
    expect((await engine.monitors.list()).items).toEqual([])
  })
})
