import { describe, expect, it } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

async function monitored(r: Rig, settings: Record<string, unknown> = {}) {
  return r.engine.monitors.create({
    type: 'scripted',
    name: 'Shop',
    host: 'shop.test',
    ...settings,
  })
}

async function contact(r: Rig, to = 'ops', extra: Record<string, unknown> = {}) {
  return r.engine.contacts.create({ kind: 'recorder', name: to, to, all_monitors: true, ...extra })
}

const events = (r: Rig, to = 'ops') => r.told.filter((t) => t.to === to).map((t) => t.event)

describe('from a failing target to a notification', () => {
  it('goes pending → up → confirming → down → up and tells each change once', async () => {
    const r = await rig()
    await contact(r)
    const { id, state } = await monitored(r)
    expect(state).toBe('pending')
    await r.clock.advance(1000)
    expect((await r.engine.monitors.status(id)).state).toBe('up')

    const states: string[] = []
    r.engine.on('state', ({ to }) => states.push(to))
    r.say('shop.test', 'fail')
    await r.clock.advance(2 * MINUTE)
    expect(states).toEqual(['confirming', 'down'])
    expect((await r.engine.monitors.status(id)).state).toBe('down')
    expect(events(r)).toEqual(['down'])

    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
    expect((await r.engine.monitors.status(id)).state).toBe('up')
    await r.clock.advance(10 * MINUTE)
    expect(events(r)).toEqual(['down', 'up'])
  })

  it('dates the incident at the first failing round and the end at the first good one', async () => {
    const r = await rig()
    const { id } = await monitored(r, { fail_threshold: 3, recover_threshold: 2 })
    await r.clock.advance(1000)
    r.say('shop.test', 'fail')
    await r.clock.advance(3 * MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(3 * MINUTE)
    const { items } = await r.engine.incidents.list()
    const results = await r.engine.results.list(id, { order: 'asc' })
    const failing = results.items.filter(({ verdict }) => verdict === 'fail')
    const good = results.items.filter(
      ({ verdict, round }) => verdict === 'ok' && round > failing[0]!.round,
    )
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({
      state: 'closed',
      closed_reason: 'recovered',
      started_at: failing[0]!.round,
      ended_at: good[0]!.round,
    })
  })

  it('sends the body of the specification with the incident and its cause', async () => {
    const r = await rig()
    await contact(r)
    const { id } = await monitored(r, { fail_threshold: 1 })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    const [incident] = (await r.engine.incidents.list({ open: true })).items
    expect(r.told[0]!.body).toMatchObject({
      event: 'down',
      monitor: { id, name: 'Shop', type: 'scripted', target: 'shop.test' },
      incident: {
        id: incident!.id,
        started_at: incident!.started_at,
        cause_code: 'broken',
        cause_text: 'It is broken',
      },
      notification_id: expect.any(Number),
      sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  it('an unknown verdict neither opens nor closes an incident', async () => {
    const r = await rig()
    await contact(r)
    const { id } = await monitored(r, { fail_threshold: 1 })
    await r.clock.advance(1000)
    r.say('shop.test', 'unknown')
    await r.clock.advance(10 * MINUTE)
    const status = await r.engine.monitors.status(id)
    expect(status).toMatchObject({ state: 'up', stale: true })
    expect(r.told).toEqual([])
  })

  it('keeps the changes of cause in one incident', async () => {
    const r = await rig()
    await contact(r)
    await monitored(r, { fail_threshold: 1 })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    r.say('shop.test', { fail: 'other' })
    await r.clock.advance(5 * MINUTE)
    const { items } = await r.engine.incidents.list()
    expect(items).toHaveLength(1)
    expect(items[0]!.cause_code).toBe('broken')
    expect(items[0]!.causes.map(({ cause_code }) => cause_code)).toEqual(['broken', 'other'])
    expect(events(r)).toEqual(['down'])
  })
})

describe('contacts', () => {
  it('a delayed contact is told only while the failure lasts, and then also of the recovery', async () => {
    const r = await rig()
    const early = await contact(r, 'early')
    const late = await contact(r, 'late')
    await monitored(r, { fail_threshold: 1, contact_delay: { [late.id]: 5 } })
    await r.clock.advance(1000)
    r.say('shop.test', 'fail')
    await r.clock.advance(3 * MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(10 * MINUTE)
    expect(events(r, 'early')).toEqual(['down', 'up'])
    expect(events(r, 'late')).toEqual([])
    r.say('shop.test', 'fail')
    await r.clock.advance(7 * MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(2 * MINUTE)
    expect(events(r, 'late')).toEqual(['down', 'up'])
    expect(early.id).not.toBe(late.id)
  })

  it('only the contacts of the monitor and those marked for all are told', async () => {
    const r = await rig()
    await contact(r, 'all')
    const named = await contact(r, 'named', { all_monitors: false })
    await contact(r, 'stranger', { all_monitors: false })
    await monitored(r, { fail_threshold: 1, contact_ids: [named.id] })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    expect(r.told.map(({ to }) => to).sort()).toEqual(['all', 'named'])
  })

  it('repeats every notify_repeat_min up to notify_repeat_max', async () => {
    const r = await rig()
    await contact(r)
    await monitored(r, { fail_threshold: 1, notify_repeat_min: 10, notify_repeat_max: 3 })
    r.say('shop.test', 'fail')
    await r.clock.advance(120 * MINUTE)
    expect(events(r)).toEqual(['down', 'repeat', 'repeat', 'repeat'])
    const times = r.told.map(({ at }) => at)
    for (let i = 1; i < times.length; i++)
      expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(10 * MINUTE)
    expect(r.told[2]!.body.repeat).toEqual({ n: 2, max: 3 })
    r.say('shop.test', 'ok')
    await r.clock.advance(2 * MINUTE)
    expect(events(r).at(-1)).toBe('up')
  })

  it('are told of a type with a word of its own by that word instead of "down", and of its end by "up"', async () => {
    let listed = true
    const lists = defineChecker({
      type: 'lists',
      title: 'Lists',
      description: 'Listed or not as the test says',
      fields: {},
      causes: { listed: { text: 'It is listed' } },
      downEvent: 'blacklisted',
      target: () => 'shop.test',
      run: () => Promise.resolve(listed ? down('listed', 'It is listed') : up()),
    })
    const r = await rig({ checkers: [lists] as never })
    await contact(r)
    await r.engine.monitors.create({ type: 'lists' })
    await r.clock.advance(3 * MINUTE)
    listed = false
    await r.clock.advance(3 * MINUTE)
    expect(events(r)).toEqual(['blacklisted', 'up'])
  })

  it('a repetition that was planned is not sent after the recovery', async () => {
    const r = await rig()
    await contact(r)
    await monitored(r, { fail_threshold: 1, notify_repeat_min: 10 })
    r.say('shop.test', 'fail')
    await r.clock.advance(12 * MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(60 * MINUTE)
    expect(events(r)).toEqual(['down', 'repeat', 'up'])
  })

  it('notify_recovery false keeps the recovery silent', async () => {
    const r = await rig()
    await contact(r)
    await monitored(r, { fail_threshold: 1, notify_recovery: false })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(5 * MINUTE)
    expect(events(r)).toEqual(['down'])
  })
})

describe('delivery', () => {
  it('tries a failing receiver five times with growing pauses, the same body each time', async () => {
    const r = await rig()
    await contact(r)
    r.answer('ops', 503)
    await monitored(r, { fail_threshold: 1 })
    r.say('shop.test', 'fail')
    await r.clock.advance(30 * MINUTE)
    expect(events(r)).toEqual(['down', 'down', 'down', 'down', 'down'])
    const pauses = r.told.slice(1).map(({ at }, i) => (at - r.told[i]!.at) / 1000)
    ;[30, 60, 120, 240].forEach((wanted, i) => {
      expect(pauses[i]).toBeGreaterThanOrEqual(wanted)
      expect(pauses[i]).toBeLessThanOrEqual(wanted * 1.1 + 1)
    })
    for (const { body } of r.told) expect(body).toEqual(r.told[0]!.body)
    const [log] = (await r.engine.notifications.list()).items
    expect(log).toMatchObject({ status: 'failed', error: 'http_503' })
    expect(log!.attempts).toHaveLength(5)
  })

  it('gives up at once on a 4xx', async () => {
    const r = await rig()
    await contact(r)
    r.answer('ops', 404)
    await monitored(r, { fail_threshold: 1 })
    r.say('shop.test', 'fail')
    await r.clock.advance(30 * MINUTE)
    expect(events(r)).toEqual(['down'])
  })

  it('up waits for the retries of down, and is not sent where down never arrived', async () => {
    const r = await rig()
    await contact(r, 'slow')
    await contact(r, 'closed')
    r.answer('slow', 500)
    r.answer('closed', 404)
    await monitored(r, { fail_threshold: 1 })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
    r.answer('slow', 200)
    r.answer('closed', 200)
    await r.clock.advance(30 * MINUTE)
    expect(events(r, 'slow').at(-1)).toBe('up')
    expect(events(r, 'slow').filter((event) => event === 'up')).toHaveLength(1)
    expect(events(r, 'closed')).toEqual(['down'])
  })

  it('sends a test event once and reports how it ended', async () => {
    const r = await rig()
    const { id } = await contact(r)
    expect(await r.engine.contacts.test(id)).toMatchObject({
      event: 'test',
      status: 'sent',
      attempts: [{ http_status: 200 }],
    })
    r.answer('ops', 500)
    expect(await r.engine.contacts.test(id)).toMatchObject({ status: 'failed', error: 'http_500' })
    expect(events(r)).toEqual(['test', 'test'])
  })

  it('resends a final notification under an id of its own', async () => {
    const r = await rig()
    await contact(r)
    await monitored(r, { fail_threshold: 1 })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    const [first] = (await r.engine.notifications.list()).items
    const again = await r.engine.notifications.resend(first!.id)
    await r.clock.settle()
    expect(again.id).not.toBe(first!.id)
    expect(r.told.map(({ body }) => body.notification_id)).toEqual([first!.id, again.id])
  })
})

describe('several locations', () => {
  const locations = ['fra', 'nyc', 'sin']

  it('one failing location of three is not down while two must agree', async () => {
    const r = await rig({ locations })
    await contact(r)
    const { id } = await monitored(r, { fail_threshold: 1, confirm_locations: 2 })
    r.say('shop.test', (location) => (location === 'fra' ? 'fail' : 'ok'))
    await r.clock.advance(5 * MINUTE)
    const monitor = await r.engine.monitors.get(id)
    expect(monitor.state).toBe('up')
    expect(monitor.locations.map(({ name, status }) => [name, status])).toEqual([
      ['fra', 'down'],
      ['nyc', 'up'],
      ['sin', 'up'],
    ])
    r.say('shop.test', (location) => (location === 'sin' ? 'ok' : 'fail'))
    await r.clock.advance(2 * MINUTE)
    expect((await r.engine.monitors.status(id)).state).toBe('down')
    expect(r.told[0]!.body.locations_failed).toHaveLength(2)
  })

  it('locations that cannot measure leave the round undecided', async () => {
    const r = await rig({ locations })
    const { id } = await monitored(r, { fail_threshold: 1, confirm_locations: 2 })
    await r.clock.advance(1000)
    r.say('shop.test', (location) => (location === 'fra' ? 'fail' : 'unknown'))
    await r.clock.advance(3 * MINUTE)
    expect((await r.engine.monitors.status(id)).state).toBe('up')
  })
})

describe('a restart', () => {
  it('keeps counters, the open incident, delayed notices and repetitions', async () => {
    const r = await rig()
    await contact(r)
    const late = await contact(r, 'late')
    const { id } = await monitored(r, {
      fail_threshold: 1,
      notify_repeat_min: 10,
      contact_delay: { [late.id]: 5 },
    })
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    expect(events(r)).toEqual(['down'])
    await r.engine.stop()

    await r.clock.advance(3 * MINUTE)
    const again = await r.restart()
    again.say('shop.test', 'fail')
    await again.clock.advance(20 * MINUTE)
    expect((await again.engine.incidents.list()).items).toHaveLength(1)
    expect(events(again)).toEqual(['down', 'repeat', 'repeat'])
    expect(events(again, 'late')[0]).toBe('down')
    again.say('shop.test', 'ok')
    await again.clock.advance(5 * MINUTE)
    expect(events(again).at(-1)).toBe('up')
    expect((await again.engine.monitors.status(id)).state).toBe('up')
  })
})
