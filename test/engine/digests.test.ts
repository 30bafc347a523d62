/** Contacts with a window: one message for many, the rows of which stay rows of their own. */
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/contacts/words.ts'
import { StorageError } from '../../src/errors.ts'
import { pagerdutyContact, builtinContacts } from '../../src/contacts/index.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { groupsOf } from '../../src/engine/delivery/grouping.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { NotificationRecord } from '../../src/model.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const WINDOW_SEC = 300

async function grouped(
  hosts: readonly string[],
  given: Record<string, unknown> = {},
  made: Promise<Rig> = rig(),
) {
  const r = await made
  const contact = await r.engine.contacts.create({
    kind: 'recorder',
    name: 'many',
    to: 'many',
    all_monitors: true,
    group_window_sec: WINDOW_SEC,
  })
  for (const host of hosts)
    await r.engine.monitors.create({
      type: 'scripted',
      name: host,
      host,
      interval_sec: 60,
      ...given,
    })
  await r.clock.advance(1000)
  return { r, contact }
}

interface Digest {
  readonly count: number
  readonly events: Readonly<Record<string, number>>
  readonly first: { readonly monitor: { readonly name: string }; readonly cause_text: string }
  readonly worst: { readonly cause_code: string; readonly count: number }
  readonly notifications: readonly { readonly notification_id: number; readonly event: string }[]
}

const digestOf = (body: Record<string, unknown>) => body['digest'] as Digest

const names = (count: number) => Array.from({ length: count }, (_, at) => `h${at}.test`)

async function advanceUntil(r: Rig, isOver: () => boolean) {
  for (let n = 0; n < 1000 && !isOver(); n++) await r.clock.advance(1000)
}

async function log(r: Rig) {
  const { items } = await r.engine.notifications.list()
  return items.toReversed()
}

describe('notifications of one window', () => {
  it('are one message with counts, the first and the most frequent cause', async () => {
    const { r } = await grouped(['a.test', 'b.test', 'c.test'])
    r.say('a.test', { fail: 'other' })
    await r.clock.advance(3 * MINUTE)
    r.say('b.test', 'fail')
    r.say('c.test', 'fail')
    await r.clock.advance(20 * MINUTE)
    const bodies = r.told.map(({ body }) => body)
    const events = r.told.flatMap(({ event, body }) =>
      event === 'digest' ? digestOf(body).notifications.map((item) => item.event) : [event],
    )
    expect(events).toEqual(['down', 'down', 'down'])
    expect(r.told.length).toBeLessThan(3)
    expect(bodies.some((body) => body['event'] === 'digest')).toBe(true)
  })

  it('of fifty monitors are one message, whatever the limit of deliveries', async () => {
    const { r } = await grouped(names(50))
    for (const host of names(50)) r.say(host, host === 'h0.test' ? { fail: 'other' } : 'fail')
    await r.clock.advance(15 * MINUTE)
    expect(r.told.map(({ event }) => event)).toEqual(['digest'])
    const [{ body } = expect.fail('not told')] = r.told
    const digest = digestOf(body)
    expect(digest).toMatchObject({
      count: 50,
      events: { down: 50 },
      worst: { cause_code: 'broken', count: 49 },
    })
    const ids = digest.notifications.map(({ notification_id }) => notification_id)
    expect(new Set(ids).size).toBe(50)
    expect(body).toMatchObject({
      event: 'digest',
      monitor: null,
      notification_id: Math.min(...ids),
    })
    const rows = await log(r)
    expect(rows.map(({ status, attempts }) => [status, attempts.length])).toEqual(
      rows.map(() => ['sent', 1]),
    )
    const message = messageOf({
      event: 'digest',
      payload: body as never,
      notification_id: 1,
      body: new Uint8Array(),
    })
    expect(message).toMatchObject({ title: '50 down', severity: 'down', incident_key: null })
    expect(message.facts.find(({ label }) => label === 'Most frequent')?.text).toBe(
      'It is broken (49)',
    )
  })

  it('are one message where the store takes time to claim them', async () => {
    const base = memoryStore()
    const slow: { clock?: Rig['clock'] } = {}
    const claim: typeof base.notifications.claim = async (wanted) => {
      const rows = await base.notifications.claim(wanted)
      await slow.clock?.sleep(1)
      return rows
    }
    const store = { ...base, notifications: { ...base.notifications, claim } }
    const { r } = await grouped(names(20), {}, rig({}, { store }))
    slow.clock = r.clock
    for (const host of names(20)) r.say(host, 'fail')
    await r.clock.advance(15 * MINUTE)
    expect(r.told.map(({ body }) => digestOf(body).count)).toEqual([20])
  })

  it('wait for at most one window, and one alone is told as it is', async () => {
    const { r } = await grouped(['a.test'])
    r.say('a.test', 'fail')
    await r.clock.advance(WINDOW_SEC * 1000 + 3 * MINUTE)
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    const [row] = await log(r)
    const waited_ms = Date.parse(row?.sent_at ?? '') - Date.parse(row?.created_at ?? '')
    expect(waited_ms).toBeGreaterThan(0)
    expect(waited_ms).toBeLessThanOrEqual(WINDOW_SEC * 1000)
  })

  it('keep their order: up comes after down arrived', async () => {
    const { r } = await grouped(names(3))
    for (const host of names(3)) r.say(host, 'fail')
    await r.clock.advance(90_000)
    for (const host of names(3)) r.say(host, 'ok')
    await r.clock.advance(20 * MINUTE)
    const order = r.told.flatMap(({ event, body }) =>
      event === 'digest' ? digestOf(body).notifications.map((item) => item.event) : [event],
    )
    expect(order).toEqual(['down', 'down', 'down', 'up', 'up', 'up'])
  })

  it('are repeated together with the same bytes, and new ones are not mixed in', async () => {
    const { r } = await grouped([...names(4), 'late.test'])
    r.answer('many', 503)
    for (const host of names(4)) r.say(host, 'fail')
    await r.clock.advance(WINDOW_SEC * 1000)
    r.say('late.test', 'fail')
    await r.clock.advance(4 * MINUTE)
    r.answer('many', 200)
    await r.clock.advance(20 * MINUTE)
    const digests = r.told.filter(({ event }) => event === 'digest')
    expect(digests.length).toBeGreaterThan(1)
    expect(new Set(digests.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(r.told.filter(({ event }) => event === 'down').length).toBeGreaterThan(0)
    expect((await log(r)).map(({ status }) => status)).toEqual(Array(5).fill('sent'))
  })

  it('are repeated together after the store has failed to read for one of them', async () => {
    const base = memoryStore()
    let [refused, left] = [false, 0]
    const get: typeof base.contacts.get = (id) =>
      refused && left-- === 0
        ? Promise.reject(new StorageError('no connection'))
        : base.contacts.get(id)
    const store = { ...base, contacts: { ...base.contacts, get } }
    const { r } = await grouped(names(4), {}, rig({}, { store }))
    r.answer('many', 503)
    for (const host of names(4)) r.say(host, 'fail')
    await advanceUntil(r, () => r.told.length === 1)
    r.answer('many', 200)
    // The third of the four rows of the next attempt.
    ;[refused, left] = [true, 2]
    await r.clock.advance(15 * MINUTE)
    expect(left).toBeLessThan(0)
    expect(r.told.map(({ event }) => event)).toEqual(['digest', 'digest'])
    expect(new Set(r.told.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect((await log(r)).map(({ status }) => status)).toEqual(Array(4).fill('sent'))
  })

  it('are not lost by a restart within the window', async () => {
    const { r } = await grouped(names(3))
    for (const host of names(3)) r.say(host, 'fail')
    await r.clock.advance(70_000)
    await r.engine.stop()
    const next = await r.restart()
    for (const host of names(3)) next.say(host, 'fail')
    await r.clock.advance(15 * MINUTE)
    const told = r.told.flatMap(({ event, body }) =>
      event === 'digest' ? digestOf(body).notifications.map((item) => item.event) : [event],
    )
    expect(told).toEqual(['down', 'down', 'down'])
  })
})

it('a test goes out at once', async () => {
  const { r, contact } = await grouped([])
  expect(await r.engine.contacts.test(contact.id)).toMatchObject({ status: 'sent' })
})

it('a webhook signs a digest like any other body', async () => {
  const transport = recordingTransport()
  const r = await rig({ contacts: [webhookContact({ transport })] })
  await r.engine.contacts.create({
    kind: 'webhook',
    name: 'hook',
    url: 'https://hooks.example/1',
    secret: 's3cret',
    all_monitors: true,
    group_window_sec: 60,
  })
  for (const host of names(3))
    await r.engine.monitors.create({ type: 'scripted', name: host, host, interval_sec: 60 })
  await r.clock.advance(1000)
  for (const host of names(3)) r.say(host, 'fail')
  await r.clock.advance(5 * MINUTE)
  const digest = transport.requests.find(({ json }) => json['event'] === 'digest')
  expect(digest?.header('X-Service-Event')).toBe('digest')
  expect(digest?.verify('s3cret')).toMatchObject({ ok: true, event: 'digest' })
})

it('a kind of alerts takes no window, and all others do', async () => {
  const r = await rig({ contacts: [pagerdutyContact()] })
  const contact = {
    kind: 'pagerduty',
    name: 'p',
    routing_key: 'a'.repeat(32),
    group_window_sec: 60,
  }
  await expect(r.engine.contacts.create(contact)).rejects.toMatchObject({
    fields: { group_window_sec: expect.stringMatching(/^invalid/) as unknown },
  })
  const without = builtinContacts().filter(({ digests }) => digests === false)
  expect(without.map(({ kind }) => kind)).toEqual(['pagerduty'])
})

describe('rows that go out together', () => {
  const row = (id: number, given: Partial<NotificationRecord> = {}): NotificationRecord => ({
    id,
    account_id: 1,
    monitor_id: id,
    incident_id: id,
    contact_id: 1,
    event: 'down',
    status: 'sending',
    due_at: 0,
    attempts: 0,
    claims: 2,
    interruptions: 0,
    lease_until: 30_000,
    payload: '{}',
    sent_at: 1000,
    repeat: 0,
    error: 'grouped',
    created_at: 0,
    finished_at: null,
    ...given,
  })
  const idsOf = (rows: readonly NotificationRecord[]) =>
    groupsOf(rows, new Set([1, 2])).map((group) => group.map(({ id }) => id))

  it('are those of one contact that were first claimed together', () => {
    const retried = { attempts: 1, error: 'http_503' }
    const rows = [
      row(1, retried),
      row(2, { sent_at: 2000 }),
      row(3, retried),
      row(4, { sent_at: 2000 }),
      row(5, { contact_id: 2 }),
    ]
    expect(idsOf(rows)).toEqual([[1, 3], [2, 4], [5]])
  })

  it('are no tests, none that has not waited, and none of a contact without a window', () => {
    const rows = [
      row(1),
      row(2, { event: 'test' }),
      row(3, { error: null }),
      row(4, { contact_id: 3 }),
      row(5, { contact_id: 3 }),
    ]
    expect(idsOf(rows)).toEqual([[1], [2], [3], [4], [5]])
  })

  it('are at most fifty', () => {
    const rows = Array.from({ length: 120 }, (_, at) => row(at + 1))
    expect(idsOf(rows).map((group) => group.length)).toEqual([50, 50, 20])
  })
})
