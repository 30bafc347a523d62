/** Who was told of a failure learns its end, whatever ends it. */
import { describe, expect, it } from 'vitest'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

async function contact(r: Rig, to = 'ops', extra: Record<string, unknown> = {}) {
  return r.engine.contacts.create({ kind: 'recorder', name: to, to, all_monitors: true, ...extra })
}

/** A monitor that is down; whoever is to be told was told, or tried. */
async function failing(r: Rig, settings: Record<string, unknown> = {}) {
  const host = 'shop.test'
  const { id } = await r.engine.monitors.create({
    type: 'scripted',
    name: 'Shop',
    host,
    fail_threshold: 1,
    ...settings,
  })
  await r.clock.advance(1000)
  r.say(host, 'fail')
  await r.clock.advance(90_000)
  return id
}

const events = (r: Rig, to = 'ops') => r.told.filter((t) => t.to === to).map((t) => t.event)
const bodyOf = (r: Rig, event: string) => r.told.findLast((t) => t.event === event)?.body

const ENDS = {
  recovered: async (r: Rig) => {
    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
  },
  paused: (r: Rig, id: number) => r.engine.monitors.pause(id),
  reconfigured: (r: Rig, id: number) => r.engine.monitors.update(id, { host: 'other.test' }),
  deleted: (r: Rig, id: number) => r.engine.monitors.remove(id),
} as const

describe.each(Object.entries(ENDS))('an incident that ends as %s', (reason, end) => {
  it('is ended by one up that says why', async () => {
    const r = await rig()
    await contact(r)
    const id = await failing(r)
    await end(r, id)
    await r.clock.advance(20 * MINUTE)
    expect(events(r)).toEqual(['down', 'up'])
    const [incident] = (await r.engine.incidents.list()).items
    expect(bodyOf(r, 'up')).toMatchObject({
      monitor: { id, name: 'Shop', target: 'shop.test' },
      incident: {
        id: incident!.id,
        started_at: incident!.started_at,
        ended_at: incident!.ended_at,
        duration_sec: incident!.duration_sec,
        closed_reason: reason,
      },
    })
  })

  it('is told to a contact that was taken off the monitor meanwhile', async () => {
    const r = await rig()
    const { id: contact_id } = await contact(r, 'ops', { all_monitors: false })
    const id = await failing(r, { contact_ids: [contact_id] })
    await r.engine.monitors.update(id, { contact_ids: [] })
    await end(r, id)
    await r.clock.advance(20 * MINUTE)
    expect(events(r)).toEqual(['down', 'up'])
  })

  it('is told to nobody who was not told of the failure, and not to a contact that is gone', async () => {
    const r = await rig()
    const { id: late } = await contact(r, 'late')
    const { id: gone } = await contact(r, 'gone')
    const id = await failing(r, { contact_delay: { [late]: 60 } })
    await r.engine.contacts.remove(gone)
    await contact(r, 'new')
    await end(r, id)
    await r.clock.advance(90 * MINUTE)
    expect(['late', 'gone', 'new'].map((to) => events(r, to))).toEqual([[], ['down'], []])
  })

  it('is told to nobody where recovery is not to be told', async () => {
    const r = await rig()
    await contact(r)
    const id = await failing(r, { notify_recovery: false })
    await end(r, id)
    await r.clock.advance(20 * MINUTE)
    expect(events(r)).toEqual(['down'])
  })

  it('is an event of the engine', async () => {
    const r = await rig()
    const id = await failing(r)
    const heard: unknown[] = []
    r.engine.on('up', ({ monitor, incident }) => heard.push([monitor.id, incident.closed_reason]))
    await end(r, id)
    await r.clock.advance(MINUTE)
    expect(heard).toEqual([[id, reason]])
  })
})

describe('a failure that may not have arrived', () => {
  it.each(['timeout', 500, 503] as const)(
    'and was given up after answers of %s is ended all the same',
    async (answer) => {
      const r = await rig()
      await contact(r)
      r.answer('ops', answer)
      await failing(r)
      await r.clock.advance(20 * MINUTE)
      r.answer('ops', 200)
      r.say('shop.test', 'ok')
      await r.clock.advance(MINUTE)
      expect(events(r)).toEqual(['down', 'down', 'down', 'down', 'down', 'up'])
    },
  )

  it.each([301, 404])('and was refused with %s is not ended', async (answer) => {
    const r = await rig()
    await contact(r)
    r.answer('ops', answer)
    const id = await failing(r)
    r.answer('ops', 200)
    await r.engine.monitors.pause(id)
    await r.clock.advance(20 * MINUTE)
    expect(events(r)).toEqual(['down'])
    expect((await r.engine.notifications.list()).items[0]).toMatchObject({
      event: 'up',
      status: 'cancelled',
      error: 'down_never_sent',
    })
  })

  it('and whose repetition arrived is ended', async () => {
    const r = await rig()
    await contact(r)
    r.answer('ops', 404)
    await failing(r, { notify_repeat_min: 10 })
    r.answer('ops', 200)
    await r.clock.advance(11 * MINUTE)
    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
    expect(events(r)).toEqual(['down', 'repeat', 'up'])
  })
})

describe('a monitor that is removed', () => {
  it('is not told of again where its failure was being told; the end is', async () => {
    const r = await rig()
    await contact(r)
    r.answer('ops', 'timeout')
    const id = await failing(r)
    const tries = events(r).length
    r.answer('ops', 200)
    await r.engine.monitors.remove(id)
    await r.clock.advance(20 * MINUTE)
    expect(events(r).slice(tries)).toEqual(['up'])
    const { items } = await r.engine.notifications.list()
    expect(items.map(({ event, status, error }) => [event, status, error])).toEqual([
      ['up', 'sent', null],
      ['down', 'cancelled', 'monitor_deleted'],
    ])
  })

  it('still owes the end of an incident that was over before', async () => {
    const r = await rig()
    await contact(r)
    const id = await failing(r)
    r.answer('ops', 503)
    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
    await r.engine.monitors.remove(id)
    r.answer('ops', 200)
    await r.clock.advance(20 * MINUTE)
    expect(events(r)[0]).toBe('down')
    expect(events(r).at(-1)).toBe('up')
    expect((await r.engine.notifications.list()).items).toMatchObject([
      { event: 'up', status: 'sent' },
      { event: 'down', status: 'sent' },
    ])
  })

  it('is told of after a restart as well', async () => {
    const r = await rig()
    await contact(r)
    const id = await failing(r)
    r.answer('ops', 503)
    await r.engine.monitors.remove(id)
    await r.engine.stop()
    const again = await r.restart()
    await again.clock.advance(20 * MINUTE)
    expect(events(again).at(-1)).toBe('up')
    expect((await again.engine.notifications.list()).items[0]).toMatchObject({ status: 'sent' })
  })
})

describe('an acknowledgement', () => {
  it('is told once to whoever was told of the failure, and to nobody else', async () => {
    const r = await rig()
    await contact(r)
    const { id: late } = await contact(r, 'late')
    await failing(r, { contact_delay: { [late]: 60 }, notify_repeat_min: 5 })
    const [incident] = (await r.engine.incidents.list()).items
    const heard: unknown[] = []
    r.engine.on('acknowledged', ({ monitor, incident: { id, acknowledged_at } }) =>
      heard.push([monitor.name, id, acknowledged_at]),
    )
    await Promise.all([
      r.engine.incidents.acknowledge(incident!.id),
      r.engine.incidents.acknowledge(incident!.id),
    ])
    const { acknowledged_at } = await r.engine.incidents.acknowledge(incident!.id)
    await r.clock.advance(30 * MINUTE)
    expect(events(r)).toEqual(['down', 'acknowledged'])
    expect(events(r, 'late')).toEqual([])
    expect(heard).toEqual([['Shop', incident!.id, acknowledged_at]])
    expect(bodyOf(r, 'acknowledged')).toMatchObject({
      monitor: { name: 'Shop' },
      incident: { id: incident!.id, started_at: incident!.started_at, acknowledged_at },
    })
    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
    expect(events(r)).toEqual(['down', 'acknowledged', 'up'])
  })

  it('of an incident that ended meanwhile is refused', async () => {
    const r = await rig()
    await contact(r)
    const id = await failing(r)
    const [incident] = (await r.engine.incidents.list()).items
    const pausing = r.engine.monitors.pause(id)
    const asked = r.engine.incidents.acknowledge(incident!.id).catch((error: unknown) => error)
    await pausing
    expect(await asked).toMatchObject({ code: 'closed' })
    await r.clock.advance(20 * MINUTE)
    expect(events(r)).toEqual(['down', 'up'])
  })
})

describe('the length of an outage', () => {
  it('is the same in the webhook, the incident, the days of uptime, and over midnight', async () => {
    const r = await rig()
    await contact(r)
    const id = await failing(r)
    // Ends at any millisecond, the last one on another day.
    for (const ms of [1, 300, 500, 700, 999, 86_400_500]) {
      await r.clock.advance(ms)
      await r.engine.monitors.pause(id)
      await r.clock.advance(MINUTE + 7)
      await r.engine.monitors.resume(id)
      await r.clock.advance(2 * MINUTE)
    }
    await r.engine.monitors.pause(id)
    await r.clock.advance(MINUTE)
    const { items } = await r.engine.incidents.list()
    const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0)
    const told = r.told.filter(({ event }) => event === 'up').map(({ body }) => body['incident'])
    expect(told).toMatchObject(
      items.toReversed().map(({ id: incident_id, duration_sec }) => ({
        id: incident_id,
        duration_sec,
      })),
    )
    const days = await r.engine.monitors.uptime(id, { days: 7 })
    expect(days.days.filter(({ down_sec }) => down_sec > 0).length).toBeGreaterThan(1)
    expect(sum(days.days.map(({ down_sec }) => down_sec))).toBe(
      sum(items.map(({ duration_sec }) => duration_sec)),
    )
  })
})
