/** What holds for every kind that is told by one HTTP request. */
import { describe, expect, it } from 'vitest'
import {
  discordContact,
  ntfyContact,
  pagerdutyContact,
  requestContact,
  slackContact,
  teamsContact,
  telegramContact,
} from '../../src/contacts/index.ts'
import type { PostingOptions } from '../../src/contacts/index.ts'
import type { JsonObject } from '../../src/model.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'
import { closedPort, scriptedServer } from '../support/scripted-server.ts'
import { EVENTS, hostile, isWellFormed, LOOPBACK, receiver, rig, told } from './rig.ts'

interface Case {
  readonly name: string
  /** Whether a message that is refused for its form is sent as plain text. */
  readonly plain?: true
  /** The kind and settings that post to `base`. */
  make(base: string, options?: PostingOptions): Made
  readonly path: string
}

interface Made {
  readonly kind: AnyContactKind
  readonly settings: JsonObject
  readonly secrets: readonly string[]
}

const HOOK = '/services/T0000000/B0000000/XXXXyyyyZZZZ1234567890ab'
const TOKEN = '123456789:AAExampleExampleExample_Example-Exa'
const KEY = 'abcdef0123456789abcdef0123456789'

const byAddress =
  (make: (options: PostingOptions) => AnyContactKind, path: string) =>
  (base: string, options: PostingOptions = {}): Made => ({
    kind: make({ guard: LOOPBACK, ...options }),
    settings: { url: base + path },
    secrets: [path, path.split(/[/=]/).at(-1) ?? ''],
  })

const TEAMS =
  '/workflows/abc/triggers/manual/paths/invoke?api-version=2016-06-01&sig=s1gnatur3OfTheFlow'

const KINDS: readonly Case[] = [
  {
    name: 'request',
    path: '/hooks/xxxxyyyyzzzz1234567890abcd',
    make: (base, options) => ({
      kind: requestContact({ guard: LOOPBACK, ...options }),
      settings: {
        url: `${base}/hooks/xxxxyyyyzzzz1234567890abcd`,
        secret: 'tk_hidden',
        json: { text: '{{title}} {{facts}} {{event}} {{monitor.target}}', token: '{{secret}}' },
      },
      secrets: ['xxxxyyyyzzzz1234567890abcd', 'tk_hidden'],
    }),
  },
  { name: 'slack', path: HOOK, plain: true, make: byAddress(slackContact, HOOK) },
  {
    name: 'discord',
    plain: true,
    path: '/api/webhooks/1/t0kenOfThisWebhook',
    make: byAddress(discordContact, '/api/webhooks/1/t0kenOfThisWebhook'),
  },
  { name: 'teams', path: TEAMS, make: byAddress(teamsContact, TEAMS) },
  {
    name: 'telegram',
    plain: true,
    path: `/bot${TOKEN}/sendMessage`,
    make: (baseUrl, options) => ({
      kind: telegramContact({ guard: LOOPBACK, baseUrl, ...options }),
      settings: { token: TOKEN, chat_id: '-1001' },
      secrets: [TOKEN],
    }),
  },
  {
    name: 'pagerduty',
    path: '/v2/enqueue',
    make: (baseUrl, options) => ({
      kind: pagerdutyContact({ guard: LOOPBACK, baseUrl, ...options }),
      settings: { routing_key: KEY },
      secrets: [KEY],
    }),
  },
  {
    name: 'ntfy',
    path: '/',
    make: (server, options) => ({
      kind: ntfyContact({ guard: LOOPBACK, ...options }),
      settings: { server, topic: 'a_hidden_topic', token: 'tk_hidden' },
      secrets: ['a_hidden_topic', 'tk_hidden'],
    }),
  },
]

describe.each(KINDS)('$name', ({ name, make, path, plain }) => {
  it('posts JSON to its address, once, and says who it is', async () => {
    const server = await receiver()
    const { kind, settings } = make(server.url)
    const end = await rig(kind).attempt(settings, told('down'))
    expect(end).toMatchObject({ class: 'delivered', http_status: 200, error: null, answer: 'ok' })
    const { method, path: asked, headers } = server.only()
    expect({ method, path: asked }).toEqual({ method: 'POST', path })
    expect(headers['content-type']).toBe('application/json')
    expect(headers['user-agent']).toBe('Watchpost-contacts/1.0')
    expect(kind.kind).toBe(name)
  })

  it('tells every event, also one with hostile text in every corner', async () => {
    const server = await receiver()
    const { kind, settings } = make(server.url)
    const { attempt } = rig(kind)
    const deliveries = [...EVENTS, hostile(), hostile('up'), hostile('of_another_kind')]
    for (const delivery of deliveries) {
      expect(await attempt(settings, delivery)).toMatchObject({ class: 'delivered' })
    }
    expect(server.received).toHaveLength(deliveries.length)
    for (const { json } of server.received) {
      const text = JSON.stringify(json)
      expect(text).not.toMatch(/\\u202e|\u202e|\\u0007/)
      expect(isWellFormed(text)).toBe(true)
      expect(Buffer.byteLength(text)).toBeLessThan(20_000)
    }
  })

  it('sends the same bytes at every attempt', async () => {
    const server = await receiver()
    const { kind, settings } = make(server.url)
    const { attempt } = rig(kind)
    server.answer(503)
    await attempt(settings, told('down'))
    await attempt(settings, told('down'))
    const [first, second] = server.received
    expect(second?.json).toEqual(first?.json)
  })

  it.each([
    [204, 'delivered'],
    [302, 'failed'],
    [400, 'failed'],
    [403, 'failed'],
    [404, 'failed'],
    [429, 'temporary'],
    [500, 'temporary'],
    [503, 'temporary'],
  ])('takes an answer of %d as %s', async (status, expected) => {
    const server = await receiver()
    server.answer(status, '', status === 302 ? { location: `${server.url}/elsewhere` } : {})
    const { kind, settings } = make(server.url)
    expect(await rig(kind).attempt(settings, told('down'))).toMatchObject({
      class: expected,
      http_status: status,
      error: expected === 'delivered' ? null : `http_${status}`,
    })
    expect(server.received).toHaveLength(status === 400 && plain ? 2 : 1)
  })

  it('comes back when it is told to after a 429, by header or in the body', async () => {
    const server = await receiver()
    const { kind, settings } = make(server.url)
    const { attempt } = rig(kind)
    server.answer(429, '', { 'retry-after': '45' })
    expect(await attempt(settings, told('down'))).toMatchObject({ retry_after_ms: 45_000 })
    server.answer(429, '{"ok":false,"parameters":{"retry_after": 35}}')
    expect(await attempt(settings, told('down'))).toMatchObject({ retry_after_ms: 35_000 })
    server.answer(429, '{"message":"limited","retry_after":64.57,"global":false}')
    expect(await attempt(settings, told('down'))).toMatchObject({ retry_after_ms: 64_570 })
    server.answer(429, '{"retry_after": "soon"}')
    expect(await attempt(settings, told('down'))).toMatchObject({ retry_after_ms: null })
    server.answer(400, '{"retry_after": 1}')
    expect(await attempt(settings, told('down'))).toMatchObject({ retry_after_ms: null })
  })

  it('keeps its secrets out of the log, whatever the receiver echoes', async () => {
    const server = await receiver()
    const { kind, settings, secrets } = make(server.url)
    const { attempt, logged } = rig(kind)
    server.answer(400, `no: ${secrets.join(' ')} at ${server.url}${path}`)
    const end = await attempt(settings, told('down'))
    for (const secret of secrets) expect(JSON.stringify(end) + logged()).not.toContain(secret)
    expect(end.answer).toContain('***')
  })

  it('does not dial an address that is not allowed, by literal or by name', async () => {
    const server = await scriptedServer(() => undefined)
    for (const host of ['127.0.0.1', '[::ffff:7f00:1]', 'localhost', 'inside.example']) {
      const { kind, settings } = make(`http://${host}:${server.port}`, { guard: {} })
      const { attempt } = rig(kind, { 'inside.example': ['127.0.0.1'] })
      expect(await attempt(settings, told('down'))).toMatchObject({
        class: 'failed',
        http_status: null,
        error: 'blocked',
      })
    }
    expect(server.connections).toBe(0)
  })

  it('says at once, when it is saved, that an address is not allowed', async () => {
    const { kind, settings } = make('http://10.1.2.3', { guard: {} })
    const problems = await rig(kind).problems(settings)
    expect(Object.values(problems)).toEqual([expect.stringMatching(/^invalid: private_address/)])
    const allowed = make('http://127.0.0.1:9')
    expect(await rig(allowed.kind).problems(allowed.settings)).toEqual({})
  })

  it('is temporary where nobody listens, and uncounted where the engine stops first', async () => {
    const { kind, settings } = make(`http://127.0.0.1:${await closedPort()}`)
    const { attempt, stop } = rig(kind)
    expect(await attempt(settings, told('down'))).toMatchObject({
      class: 'temporary',
      error: 'connect_refused',
    })
    stop()
    expect(await attempt(settings, told('down'))).toMatchObject({
      error: 'stopped',
      uncounted: true,
    })
  })

  it('ends at its deadline where the receiver says nothing', async () => {
    const server = await scriptedServer(() => undefined)
    const { kind, settings } = make(`http://127.0.0.1:${server.port}`, { deadlineMs: 100 })
    expect(await rig(kind).attempt(settings, told('down'))).toMatchObject({
      class: 'temporary',
      error: 'timeout',
    })
    await server.idle()
  })

  it('shows none of its secrets in the table of fields', () => {
    const { kind, settings, secrets } = make('http://127.0.0.1:9')
    const hidden = Object.entries(settings).filter(([, value]) =>
      secrets.some((secret) => JSON.stringify(value).includes(secret)),
    )
    expect(hidden.length).toBeGreaterThan(0)
    expect(hidden.filter(([field]) => kind.fields[field]?.info.secret !== 'value')).toEqual([])
  })

  it('names the operator where brand is set, and refuses one that cannot stand in a header', async () => {
    const server = await receiver()
    const { kind, settings } = make(server.url, { brand: 'Acme' })
    await rig(kind).attempt(settings, told('down'))
    expect(server.only().headers['user-agent']).toBe('Acme-contacts/1.0')
    expect(() => make(server.url, { brand: 'A\r\nB' })).toThrow(/brand/)
  })
})

describe('a base address of a service', () => {
  it('is refused where it is none', () => {
    expect(() => telegramContact({ baseUrl: 'api.telegram.org' })).toThrow(/baseUrl/)
    expect(() => pagerdutyContact({ baseUrl: 'ftp://events.example' })).toThrow(/baseUrl/)
  })
})
