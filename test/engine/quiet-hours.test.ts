/** Quiet hours of a contact: what waits, what is dropped, and what comes of an outage that ends within. */
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { QuietInput } from '../../src/engine/api/inputs.ts'
import { pagerdutyContact } from '../../src/contacts/index.ts'
import { messageOf } from '../../src/contacts/words.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

function timeOfDay(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}

/** A contact whose quiet time begins in one hour and lasts for eight, and one that hears everything. */
async function night(given: Partial<QuietInput> = {}, made: Promise<Rig> = rig()) {
  const r = await made
  // The minute in which it begins has no seconds.
  await r.clock.advance(MINUTE - (r.clock.now() % MINUTE))
  const begins = r.clock.now() + HOUR
  const ends = begins + 8 * HOUR
  const hours = [{ from: timeOfDay(begins), to: timeOfDay(ends) }]
  const contact = await r.engine.contacts.create({
    kind: 'recorder',
    name: 'night',
    to: 'night',
    all_monitors: true,
    quiet: { time_zone: 'UTC', hours, ...given },
  })
  await r.engine.contacts.create({ kind: 'recorder', name: 'day', to: 'day', all_monitors: true })
  return { r, begins, ends, contact }
}

async function monitor(r: Rig, host: string, settings: Record<string, unknown> = {}) {
  const input = { type: 'scripted', name: host, host, interval_sec: 60, ...settings }
  return r.engine.monitors.create(input)
}

async function to(r: Rig, time: number): Promise<void> {
  await r.clock.advance(time - r.clock.now())
}

const heard = (r: Rig, name = 'night') =>
  r.told.filter((one) => one.to === name).map(({ event }) => event)

async function log(r: Rig, contact_id: number) {
  const { items } = await r.engine.notifications.list({ contact_id })
  return items
    .toReversed()
    .map(({ event, status, error }) => `${event} ${status} ${error ?? ''}`.trim())
}

describe('a notification in quiet hours', () => {
  it('waits for their end, unattempted, while other contacts are told at once', async () => {
    const { r, begins, ends, contact } = await night()
    await monitor(r, 'a.test')
    await to(r, begins + 5 * MINUTE)
    r.say('a.test', 'fail')
    await to(r, ends - 1)
    expect(heard(r)).toEqual([])
    expect(heard(r, 'day')).toEqual(['down'])
    const [row] = (await r.engine.notifications.list({ contact_id: contact.id })).items
    expect(row).toMatchObject({
      status: 'queued',
      error: 'quiet_hours',
      attempts: [],
      next_attempt_at: new Date(ends).toISOString(),
    })
    await to(r, ends + MINUTE)
    expect(r.told.find((one) => one.to === 'night')).toMatchObject({
      event: 'down',
      at: ends,
      body: { sent_at: new Date(ends).toISOString() },
    })
    r.say('a.test', 'ok')
    await r.clock.advance(5 * MINUTE)
    expect(heard(r)).toEqual(['down', 'up'])
  })

  it('waits over a restart', async () => {
    const { r, begins, ends } = await night()
    await monitor(r, 'a.test')
    await to(r, begins + 5 * MINUTE)
    r.say('a.test', 'fail')
    await r.clock.advance(10 * MINUTE)
    await r.engine.stop()
    const next = await r.restart()
    next.say('a.test', 'fail')
    await to(next, ends - MINUTE)
    expect(heard(r)).toEqual([])
    await to(next, ends + MINUTE)
    expect(heard(r)).toEqual(['down'])
  })

  it('waits as well where the answer to its claim was lost, so that it counts as interrupted', async () => {
    const base = memoryStore()
    let lost = 0
    const claim: typeof base.notifications.claim = async (wanted) => {
      const rows = await base.notifications.claim(wanted)
      if (rows.length === 0 || lost === 0) return rows
      lost--
      throw new StorageError('The answer is lost')
    }
    const store = { ...base, notifications: { ...base.notifications, claim } }
    const { r, begins, ends, contact } = await night({}, rig({}, { store }))
    await monitor(r, 'a.test')
    await to(r, begins + 5 * MINUTE)
    lost = 1
    r.say('a.test', 'fail')
    await to(r, ends - 1)
    expect(lost).toBe(0)
    expect(heard(r, 'day')).toEqual(['down'])
    expect(heard(r)).toEqual([])
    expect(await log(r, contact.id)).toEqual(['down queued quiet_hours'])
    await to(r, ends + MINUTE)
    const [told] = r.told.filter((one) => one.to === 'night')
    expect(told).toMatchObject({ at: ends, body: { sent_at: new Date(ends).toISOString() } })
  })

  it('of a monitor with an excepted tag, and a test, are not silenced', async () => {
    const { r, begins, contact } = await night({ except_tags: ['Critique\u0301'] })
    await monitor(r, 'a.test', { tags: ['critiqu\u00e9', 'shop'] })
    await monitor(r, 'b.test', { tags: ['shop'] })
    await to(r, begins + MINUTE)
    expect(await r.engine.contacts.test(contact.id)).toMatchObject({ status: 'sent' })
    r.say('a.test', 'fail')
    r.say('b.test', 'fail')
    await r.clock.advance(10 * MINUTE)
    expect(heard(r)).toEqual(['test', 'down'])
  })

  it('is not held back between two attempts', async () => {
    const { r, begins, contact } = await night()
    await monitor(r, 'a.test')
    await to(r, begins - 70_000)
    r.answer('night', 503)
    r.say('a.test', 'fail')
    await to(r, begins + 3 * MINUTE)
    r.answer('night', 200)
    await to(r, begins + 20 * MINUTE)
    expect(await log(r, contact.id)).toEqual(['down sent'])
    expect(heard(r).length).toBeGreaterThan(2)
  })
})

describe('a recovery in quiet hours', () => {
  it('of an outage that was told before waits for their end', async () => {
    const { r, begins, ends } = await night({ during: 'drop' })
    await monitor(r, 'a.test', { notify_repeat_min: 30 })
    await to(r, begins - 10 * MINUTE)
    r.say('a.test', 'fail')
    await to(r, begins + 2 * HOUR)
    r.say('a.test', 'ok')
    await to(r, ends - 1)
    expect(heard(r)).toEqual(['down'])
    await to(r, ends + MINUTE)
    expect(heard(r)).toEqual(['down', 'up'])
  })

  it('of an outage that began in them makes one message at their end', async () => {
    const { r, begins, ends, contact } = await night()
    await monitor(r, 'a.test')
    await to(r, begins + 10 * MINUTE)
    r.say('a.test', 'fail')
    await r.clock.advance(90 * MINUTE)
    r.say('a.test', 'ok')
    await to(r, ends - 1)
    expect(heard(r)).toEqual([])
    await to(r, ends + MINUTE)
    expect(heard(r)).toEqual(['outage'])
    const { body } = r.told.find((one) => one.to === 'night') ?? expect.fail('not told')
    expect(body).toMatchObject({
      event: 'outage',
      monitor: { name: 'a.test' },
      incident: { cause_code: 'broken', closed_reason: 'recovered', duration_sec: 5400 },
    })
    expect(
      messageOf({ event: 'outage', payload: body as never, notification_id: 1, body: Buffer.of() })
        .title,
    ).toBe('a.test was down for 1 h 30 min')
    expect(await log(r, contact.id)).toEqual(['down cancelled ended_in_quiet_hours', 'up sent'])
    expect(heard(r, 'day')).toEqual(['down', 'up'])
  })

  it('makes the same message at every attempt', async () => {
    const { r, begins, ends } = await night()
    await monitor(r, 'a.test')
    await to(r, begins + 10 * MINUTE)
    r.say('a.test', 'fail')
    await r.clock.advance(90 * MINUTE)
    r.say('a.test', 'ok')
    r.answer('night', 503)
    await to(r, ends + MINUTE)
    r.answer('night', 200)
    await to(r, ends + 10 * MINUTE)
    const bodies = r.told
      .filter((one) => one.to === 'night')
      .map(({ body }) => JSON.stringify(body))
    expect(bodies.length).toBeGreaterThan(1)
    expect(new Set(bodies).size).toBe(1)
  })

  it('makes one message although the store fails at their end', async () => {
    const base = memoryStore()
    let failures = 0
    const get: typeof base.contacts.get = async (id) => {
      if (failures-- > 0) throw new StorageError('It is away')
      return base.contacts.get(id)
    }
    const store = { ...base, contacts: { ...base.contacts, get } }
    const { r, begins, ends, contact } = await night({}, rig({}, { store }))
    await monitor(r, 'a.test')
    await to(r, begins + 10 * MINUTE)
    r.say('a.test', 'fail')
    await r.clock.advance(90 * MINUTE)
    r.say('a.test', 'ok')
    await to(r, ends - 1)
    failures = 1
    await to(r, ends + 10 * MINUTE)
    expect(heard(r)).toEqual(['outage'])
    expect(await log(r, contact.id)).toEqual(['down cancelled ended_in_quiet_hours', 'up sent'])
  })

  it('makes none where that is chosen', async () => {
    const { r, begins, ends, contact } = await night({ ended: 'skip' })
    await monitor(r, 'a.test')
    await to(r, begins + 10 * MINUTE)
    r.say('a.test', 'fail')
    await r.clock.advance(90 * MINUTE)
    r.say('a.test', 'ok')
    await to(r, ends + HOUR)
    expect(heard(r)).toEqual([])
    expect(await log(r, contact.id)).toEqual([
      'down cancelled ended_in_quiet_hours',
      'up cancelled ended_in_quiet_hours',
    ])
  })

  it('without a message of recoveries leaves the beginning', async () => {
    const { r, begins, ends } = await night()
    await monitor(r, 'a.test', { notify_recovery: false })
    await to(r, begins + 10 * MINUTE)
    r.say('a.test', 'fail')
    await r.clock.advance(90 * MINUTE)
    r.say('a.test', 'ok')
    await to(r, ends + HOUR)
    expect(heard(r)).toEqual(['down'])
  })
})

it('what falls into quiet hours is dropped where that is chosen, and its end with it', async () => {
  const { r, begins, ends, contact } = await night({ during: 'drop' })
  await monitor(r, 'a.test')
  await to(r, begins + 10 * MINUTE)
  r.say('a.test', 'fail')
  await to(r, ends + HOUR)
  r.say('a.test', 'ok')
  await r.clock.advance(HOUR)
  expect(heard(r)).toEqual([])
  expect(await log(r, contact.id)).toEqual([
    'down cancelled quiet_hours',
    'up cancelled down_never_sent',
  ])
})

it('PagerDuty resolves for an outage that is told as one, and opens no alert', async () => {
  const transport = recordingTransport()
  const kind = pagerdutyContact({ transport })
  const r = await rig({ contacts: [kind] })
  await r.clock.advance(MINUTE - (r.clock.now() % MINUTE))
  const hours = [{ from: timeOfDay(r.clock.now()), to: timeOfDay(r.clock.now() + 2 * HOUR) }]
  await r.engine.contacts.create({
    kind: 'pagerduty',
    name: 'on call',
    routing_key: 'abcdef0123456789abcdef0123456789',
    all_monitors: true,
    quiet: { time_zone: 'UTC', hours },
  })
  await monitor(r, 'a.test')
  r.say('a.test', 'fail')
  await r.clock.advance(30 * MINUTE)
  r.say('a.test', 'ok')
  await r.clock.advance(2 * HOUR)
  expect(transport.requests.map(({ json }) => json['event_action'])).toEqual(['resolve'])
})

describe('the setting', () => {
  const base = { time_zone: 'Europe/Berlin', hours: [{ from: '22:00', to: '07:00' }] }
  const create = async (quiet: unknown) => {
    const r = await rig()
    return r.engine.contacts.create({ kind: 'recorder', name: 'n', to: 'n', quiet: quiet as never })
  }

  it('is shown with its defaults, changed as a whole, and removed by null', async () => {
    const r = await rig()
    const made = await r.engine.contacts.create({
      kind: 'recorder',
      name: 'n',
      to: 'n',
      quiet: base,
    })
    expect(made.quiet).toEqual({
      time_zone: 'Europe/Berlin',
      hours: [{ from: '22:00', to: '07:00', weekdays: [] }],
      during: 'wait',
      ended: 'notify',
      except_tags: [],
    })
    expect((await r.engine.contacts.update(made.id, { name: 'm' })).quiet).toEqual(made.quiet)
    expect((await r.engine.contacts.update(made.id, { quiet: null })).quiet).toBeNull()
  })

  it('takes every tag that a monitor may have', async () => {
    const except_tags = ['x'.repeat(64)]
    const r = await rig()
    expect((await monitor(r, 'a', { tags: except_tags })).tags).toEqual(except_tags)
    expect((await create({ ...base, except_tags })).quiet).toMatchObject({ except_tags })
    const tooLong = { ...base, except_tags: ['x'.repeat(65)] }
    await expect(create(tooLong)).rejects.toMatchObject({ code: 'validation' })
  })

  it.each<[string, unknown]>([
    ['a zone that there is not', { ...base, time_zone: 'Mars/Olympus' }],
    ['no zone', { hours: base.hours }],
    ['no hours', { ...base, hours: [] }],
    ['a time that is none', { ...base, hours: [{ from: '25:00', to: '07:00' }] }],
    ['24:00 as a begin', { ...base, hours: [{ from: '24:00', to: '07:00' }] }],
    ['no time left', { ...base, hours: [{ from: '00:00', to: '24:00' }] }],
    [
      'a day that there is not',
      { ...base, hours: [{ from: '22:00', to: '07:00', weekdays: ['x'] }] },
    ],
    ['an unknown word', { ...base, during: 'later' }],
    ['an unknown field', { ...base, exept: [] }],
    ['too many spans', { ...base, hours: Array.from({ length: 15 }, () => base.hours[0]) }],
    ['a text', 'night'],
  ])('refuses %s', async (_, quiet) => {
    await expect(create(quiet)).rejects.toMatchObject({
      fields: expect.objectContaining({}) as unknown,
      code: 'validation',
    })
  })
})
