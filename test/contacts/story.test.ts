/** Contact kinds in the engine: who is told what, in which order, and what is kept of it. */
import { describe, expect, it } from 'vitest'
import {
  builtinContacts,
  discordContact,
  pagerdutyContact,
  slackContact,
  telegramContact,
} from '../../src/contacts/index.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import type { RecordedRequest, ScriptedAnswer } from '../../src/testing/recording-transport.ts'
import { rig } from '../engine/rig.ts'
import type { Rig } from '../engine/rig.ts'

const MINUTE = 60_000
const ROUTING_KEY = 'abcdef0123456789abcdef0123456789'
const HOOK = 'https://hooks.slack.com/services/T0000000/B0000000/XXXXyyyyZZZZ1234567890ab'
const TOKEN = '123456789:AAExampleExampleExample_Example-Exa'

async function watched(given: Partial<Parameters<typeof recordingTransport>[0]> = {}) {
  const transport = recordingTransport(given)
  const options = { transport }
  const r = await rig({
    contacts: [
      slackContact(options),
      pagerdutyContact(options),
      discordContact(options),
      telegramContact(options),
    ],
  })
  return { r, transport }
}

/** Up, down for a while, up again. */
async function outage(r: Rig, minutes: number, settings: Record<string, unknown> = {}) {
  await r.engine.monitors.create({ type: 'scripted', name: 'Shop', host: 'shop.test', ...settings })
  await r.clock.advance(1000)
  r.say('shop.test', 'fail')
  await r.clock.advance(minutes * MINUTE)
  r.say('shop.test', 'ok')
  await r.clock.advance(5 * MINUTE)
}

describe('an outage', () => {
  it('is told in order, and is one alert from its beginning to its end', async () => {
    const { r, transport } = await watched()
    const contact = { kind: 'pagerduty', name: 'on call', routing_key: ROUTING_KEY }
    await r.engine.contacts.create({ ...contact, all_monitors: true })
    await outage(r, 12, { notify_repeat_min: 5, notify_repeat_max: 1 })
    const events = transport.requests.map(({ json }) => json)
    expect(events.map(({ event_action }) => event_action)).toEqual([
      'trigger',
      'trigger',
      'resolve',
    ])
    expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1)

    await outage(r, 4)
    const next = transport.requests.slice(3).map(({ json }) => json)
    expect(new Set(next.map(({ dedup_key }) => dedup_key)).has(events[0]?.['dedup_key'])).toBe(
      false,
    )
  })

  it('reaches every contact, each in its own form', async () => {
    const { r, transport } = await watched()
    const all = { all_monitors: true }
    await r.engine.contacts.create({ kind: 'slack', name: 'chat', url: HOOK, ...all })
    await r.engine.contacts.create({
      kind: 'telegram',
      name: 'phone',
      token: TOKEN,
      chat_id: '1',
      ...all,
    })
    await outage(r, 4)
    expect(told(transport.requests, 'hooks.slack.com', 'text')).toEqual([
      '🔴 Shop is down',
      '🟢 Shop is up again',
    ])
    expect(told(transport.requests, 'api.telegram.org', 'text')).toEqual([
      expect.stringContaining('<b>🔴 Shop is down</b>'),
      expect.stringContaining('<b>🟢 Shop is up again</b>'),
    ])
  })

  it('waits as long as a service asks for, within five attempts', async () => {
    const limited: ScriptedAnswer = { status: 429, retry_after: '50' }
    const { r, transport } = await watched({ fallback: limited })
    await r.engine.contacts.create({ kind: 'slack', name: 'chat', url: HOOK, all_monitors: true })
    await outage(r, 20)
    const times = transport.requests.map(({ at }) => at)
    const pauses = times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / 1000))
    // 30 s become the 50 that were asked for; the later pauses are longer anyway.
    expect(pauses[0]).toBe(50)
    expect(pauses.slice(1).map((pause, index) => pause >= 60 * 2 ** index)).toEqual([
      true,
      true,
      true,
    ])
    const [{ status, error, attempts } = expect.fail()] = (
      await r.engine.notifications.list()
    ).items.filter(({ event }) => event === 'down')
    expect({ status, error, attempts: attempts.length }).toEqual({
      status: 'failed',
      error: 'http_429',
      attempts: 5,
    })
  })
})

describe('what is kept and shown', () => {
  it('holds no secret of a contact, not even where a receiver sends it back', async () => {
    const { r } = await watched({ fallback: { status: 400, answer: `no ${HOOK} ${TOKEN}` } })
    const slack = await r.engine.contacts.create({ kind: 'slack', name: 'chat', url: HOOK })
    const bot = { kind: 'telegram', name: 'phone', token: TOKEN, chat_id: '1' }
    const telegram = await r.engine.contacts.create(bot)
    expect([slack.settings, telegram.settings]).toEqual([
      { url: '***' },
      { token: '***', chat_id: '1' },
    ])
    const tests = [
      await r.engine.contacts.test(slack.id),
      await r.engine.contacts.test(telegram.id),
    ]
    expect(tests.map(({ status, error }) => ({ status, error }))).toEqual([
      { status: 'failed', error: 'http_400' },
      { status: 'failed', error: 'http_400' },
    ])
    const shown = JSON.stringify([
      tests[0],
      await r.engine.contacts.list(),
      await r.engine.notifications.list({ contact_id: slack.id }),
    ])
    expect(shown).not.toContain('XXXXyyyy')
    const bots = JSON.stringify([
      tests[1],
      await r.engine.notifications.list({ contact_id: telegram.id }),
    ])
    expect(bots).not.toContain('AAExample')
  })

  it('is sealed in the store where there is a key', async () => {
    const transport = recordingTransport()
    const r = await rig({
      contacts: [slackContact({ transport })],
      secretKey: Buffer.alloc(32, 7),
    })
    const { id } = await r.engine.contacts.create({ kind: 'slack', name: 'chat', url: HOOK })
    expect(JSON.stringify(await r.store.contacts.get(id))).not.toContain('XXXXyyyy')
    expect((await r.engine.contacts.test(id)).status).toBe('sent')
    expect(transport.requests[0]?.url).toBe(HOOK)
  })
})

describe('the kinds that ship with watchpost', () => {
  it('have the webhook first, and each a title and described fields', () => {
    const kinds = builtinContacts()
    expect(kinds[0].kind).toBe('webhook')
    for (const { title, fields } of kinds) {
      expect(title).not.toBe('')
      expect(Object.values(fields).filter(({ info }) => info.description === '')).toEqual([])
    }
  })

  it('do not reach into a private network unless they may', async () => {
    const r = await rig({ contacts: builtinContacts() })
    const refused = { fields: expect.objectContaining({}) as unknown, code: 'validation' }
    const inside = [
      { kind: 'slack', url: 'http://10.0.0.1/x' },
      { kind: 'ntfy', server: 'http://192.168.0.9', topic: 'ops' },
      { kind: 'email', host: '172.16.0.1', from: 'a@example.com', to: 'b@example.com' },
    ]
    for (const contact of inside) {
      await expect(r.engine.contacts.create({ name: 'x', ...contact })).rejects.toMatchObject(
        refused,
      )
    }
    const open = await rig({ contacts: builtinContacts({ guard: { allowCidrs: ['0.0.0.0/0'] } }) })
    for (const contact of inside) {
      expect((await open.engine.contacts.create({ name: 'x', ...contact })).kind).toBe(contact.kind)
    }
  })
})

function told(requests: readonly RecordedRequest[], host: string, field: string): unknown[] {
  return requests.filter(({ url }) => new URL(url).host === host).map(({ json }) => json[field])
}
