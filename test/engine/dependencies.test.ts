import { describe, expect, it } from 'vitest'
import { createDependencies } from '../../src/engine/scheduling/dependencies.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

interface Family {
  readonly r: Rig
  readonly parent: number
  readonly child: number
}

async function family(settings: Record<string, unknown> = {}): Promise<Family> {
  const r = await rig()
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const make = async (host: string, extra: Record<string, unknown> = {}) => {
    const common = { type: 'scripted', name: host, host, ...settings }
    return (await r.engine.monitors.create({ ...common, ...extra })).id
  }
  const parent = await make('router.test')
  const child = await make('shop.test', { depends_on: [parent] })
  await r.clock.advance(MINUTE)
  return { r, parent, child }
}

/** `event name` in the order in which they were told. */
const told = (r: Rig) =>
  r.told.map(({ event, body }) => `${event} ${(body.monitor as { name: string }).name}`)

describe('a monitor that depends on another', () => {
  it('is silent while its parent is down; the incident is recorded and says why', async () => {
    const { r, parent, child } = await family()
    r.say('router.test', 'fail')
    r.say('shop.test', 'fail')
    await r.clock.advance(10 * MINUTE)
    expect(told(r)).toEqual(['down router.test'])
    const { items } = await r.engine.incidents.list({ monitor_id: child, open: true })
    expect(items).toMatchObject([{ suppressed_by: parent }])

    r.say('router.test', 'ok')
    r.say('shop.test', 'ok')
    await r.clock.advance(10 * MINUTE)
    expect(told(r)).toEqual(['down router.test', 'up router.test'])
    const { down_sec } = await r.engine.monitors.uptime(child, { days: 1 })
    expect(down_sec).toBeGreaterThan(9 * 60)
  })

  it('is told when its parent works: the parent is looked at first, without waiting for its turn', async () => {
    const { r } = await family({ interval_sec: 3600, fail_threshold: 1 })
    await r.clock.advance(2 * 60 * MINUTE)
    r.say('shop.test', 'fail')
    const from = r.checks.length
    await r.clock.advance(61 * MINUTE)
    expect(told(r)).toEqual(['down shop.test'])
    const [incident] = (await r.engine.incidents.list({ open: true })).items
    expect(incident).toMatchObject({ suppressed_by: null })
    // Told within moments of the first failing round, though both are looked at only once an hour.
    expect(r.told[0]!.at - Date.parse(incident!.started_at)).toBeLessThan(5_000)
    expect(r.checks.slice(from)).toContain('router.test@local')
  })

  it('is told once its parent is back and it is not', async () => {
    const { r } = await family()
    r.say('router.test', 'fail')
    r.say('shop.test', 'fail')
    await r.clock.advance(10 * MINUTE)
    r.say('router.test', 'ok')
    await r.clock.advance(5 * MINUTE)
    expect(told(r)).toEqual(['down router.test', 'up router.test', 'down shop.test'])
    r.say('shop.test', 'ok')
    await r.clock.advance(5 * MINUTE)
    expect(told(r).at(-1)).toBe('up shop.test')
  })

  it('does not wait for a parent that is paused or gone', async () => {
    const { r, parent, child } = await family({ fail_threshold: 1 })
    await r.engine.monitors.pause(parent)
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    expect(told(r)).toEqual(['down shop.test'])
    r.say('shop.test', 'ok')
    await r.clock.advance(MINUTE)
    await r.engine.monitors.remove(parent)
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    expect(told(r).at(-1)).toBe('down shop.test')
    const renamed = await r.engine.monitors.update(child, { name: 'Still editable' })
    expect(renamed.depends_on).toEqual([])
  })

  it('does not wait for ever for a parent that nobody can look at', async () => {
    const { r } = await family({ fail_threshold: 1 })
    r.say('router.test', 'unknown')
    await r.clock.advance(MINUTE)
    r.say('shop.test', 'fail')
    await r.clock.advance(5 * MINUTE)
    expect(told(r)).toEqual(['down shop.test'])
  })

  it('remembers over a restart that it was silent', async () => {
    const { r } = await family()
    r.say('router.test', 'fail')
    r.say('shop.test', 'fail')
    await r.clock.advance(10 * MINUTE)
    await r.engine.stop()
    const again = await r.restart()
    again.say('shop.test', 'fail')
    await again.clock.advance(5 * MINUTE)
    expect(told(again)).toEqual(['down router.test', 'up router.test', 'down shop.test'])
  })

  it('is refused in a circle that two changes at once would close', async () => {
    const { r, parent, child } = await family()
    const { monitors } = r.engine
    await monitors.update(child, { depends_on: [] })
    const both = await Promise.allSettled([
      monitors.update(parent, { depends_on: [child] }),
      monitors.update(child, { depends_on: [parent] }),
    ])
    expect(both).toMatchObject([
      { status: 'fulfilled' },
      {
        status: 'rejected',
        reason: {
          fields: { depends_on: `invalid: entry 1: monitor ${parent} depends on this one` },
        },
      },
    ])
  })

  it('is refused in a circle, on itself, on a stranger', async () => {
    const { r, parent, child } = await family()
    const problems = (id: number, depends_on: number[]) =>
      r.engine.monitors.update(id, { depends_on }).then(
        () => ({}),
        (error: { fields: object }) => error.fields,
      )
    expect(await problems(parent, [child])).toEqual({
      depends_on: `invalid: entry 1: monitor ${child} depends on this one`,
    })
    expect(await problems(child, [child])).toHaveProperty('depends_on')
    expect(await problems(child, [parent, 999])).toEqual({
      depends_on: 'invalid: entry 2: there is no monitor 999',
    })
    const other = await r.engine.accounts.create({ name: 'other' })
    const foreign = await r.engine.account(other.id).monitors.create({
      type: 'scripted',
      name: 'Foreign',
      host: 'foreign.test',
    })
    expect(await problems(child, [foreign.id])).toHaveProperty('depends_on')
  })
})

describe('flapping', () => {
  async function flap(r: Rig, outages: number): Promise<void> {
    for (let outage = 0; outage < outages; outage++) {
      r.say('shop.test', 'fail')
      await r.clock.advance(MINUTE)
      r.say('shop.test', 'ok')
      await r.clock.advance(2 * MINUTE)
    }
  }

  async function flapping(settings: Record<string, unknown> = { flap_detection: true }) {
    const r = await rig()
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    const common = { type: 'scripted', name: 'shop.test', host: 'shop.test', fail_threshold: 1 }
    const { id } = await r.engine.monitors.create({ ...common, ...settings })
    await r.clock.advance(MINUTE)
    await flap(r, 6)
    return { r, id }
  }

  it('is told once instead of every outage; whoever was told "down" was told "up"', async () => {
    const { r, id } = await flapping()
    const events = r.told.map(({ event }) => event)
    expect(events.filter((event) => event === 'flapping')).toHaveLength(1)
    // The sixth change of state is the one too many: that of the third recovery.
    expect(events.slice(0, 6)).toEqual(['down', 'up', 'down', 'up', 'down', 'up'])
    expect(events.slice(6)).toEqual(['flapping'])
    expect(r.told.at(-1)!.body).toMatchObject({ flapping: true, state: 'up' })
    expect((await r.engine.monitors.get(id)).flapping).toBe(true)
    expect((await r.engine.incidents.list()).items).toHaveLength(6)
  })

  it('its end is told, and a failure that stays is then told as well', async () => {
    const { r, id } = await flapping()
    const from = r.told.length
    r.say('shop.test', 'fail')
    await r.clock.advance(20 * MINUTE)
    expect(
      r.told
        .slice(from)
        .map(({ event }) => event)
        .sort(),
    ).toEqual(['down', 'flapping'])
    expect((await r.engine.monitors.get(id)).flapping).toBe(false)
    r.say('shop.test', 'ok')
    await r.clock.advance(2 * MINUTE)
    expect(r.told.at(-1)!.event).toBe('up')
  })

  it('is not looked for unless asked for: every outage is told', async () => {
    const { r } = await flapping({})
    const events = r.told.map(({ event }) => event)
    expect(events).toEqual(Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 'down' : 'up')))
  })
})

describe('an incident that somebody has taken on', () => {
  it('is not repeated, nor told to whoever was to hear later; its end is told', async () => {
    const r = await rig()
    const boss = await r.engine.contacts.create({ kind: 'recorder', name: 'boss', to: 'boss' })
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    await r.engine.monitors.create({
      type: 'scripted',
      name: 'Shop',
      host: 'shop.test',
      fail_threshold: 1,
      notify_repeat_min: 5,
      contact_ids: [boss.id],
      contact_delay: { [boss.id]: 30 },
    })
    await r.clock.advance(1000)
    r.say('shop.test', 'fail')
    await r.clock.advance(7 * MINUTE)
    const [open] = (await r.engine.incidents.list({ open: true })).items
    const taken = await r.engine.incidents.acknowledge(open!.id)
    expect(taken.acknowledged_at).toBe(new Date(r.clock.now()).toISOString())
    expect(await r.engine.incidents.acknowledge(open!.id)).toEqual(taken)
    const before = r.told.length
    await r.clock.advance(60 * MINUTE)
    expect(r.told).toHaveLength(before)
    r.say('shop.test', 'ok')
    await r.clock.advance(2 * MINUTE)
    expect(r.told.slice(before).map(({ to, event }) => `${to} ${event}`)).toEqual(['ops up'])
    await expect(r.engine.incidents.acknowledge(open!.id)).rejects.toMatchObject({ code: 'closed' })
  })
})

it('a round looks at the waiting children of its own monitor only', () => {
  const asked: number[] = []
  const dependencies = createDependencies({
    monitorCache: { peek: (id: number) => ({ record: { id } }) } as never,
    onCheckNeeded: ({ record }) => asked.push(record.id),
  })
  const waiting = (id: number, depends_on: readonly number[]) => {
    const incident = { suppression: { reason: 'dependency', by: 1 } }
    return { record: { id, common: { depends_on }, machine: { state: 'down', incident } } } as never
  }
  const roundOf = (id: number) => {
    const after = { record: { id, common: { depends_on: [] }, machine: { state: 'up' } } }
    dependencies.follow({ before: after, after, change: { results: [] } } as never)
    return asked.splice(0)
  }
  dependencies.update(waiting(10, [1, 2]))
  dependencies.update(waiting(11, [2]))
  expect(roundOf(1)).toEqual([10])
  expect(roundOf(2)).toEqual([10, 11])
  expect(roundOf(3)).toEqual([])
  // Another parent, and no longer known.
  dependencies.update(waiting(10, [3]))
  dependencies.forget(11)
  expect(roundOf(2)).toEqual([])
  expect(roundOf(3)).toEqual([10])
})
