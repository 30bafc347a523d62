import { describe, expect, it } from 'vitest'
import { ValidationError } from '../../src/errors.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

const shop = {
  type: 'scripted',
  name: 'Shop',
  host: 'shop.test',
  fail_threshold: 2,
  recover_threshold: 2,
  warn: { load: { above: 5 } },
}

/** A busy target: up, with this load. */
const busy = (load: number) => ({ ok: { details: { load } } })

async function watched(settings: object = {}) {
  const r = await rig()
  await r.engine.contacts.create({
    ...{ kind: 'recorder', name: 'Duty', to: 'duty', all_monitors: true },
  })
  await r.engine.contacts.create({
    ...{ kind: 'recorder', name: 'Team', to: 'team', all_monitors: true },
    events: ['degraded', 'restored'],
  })
  const heard: string[] = []
  for (const event of ['degraded', 'restored', 'down', 'up', 'notice'] as const)
    r.engine.on(event, () => void heard.push(event))
  const { id } = await r.engine.monitors.create({ ...shop, ...settings })
  await r.clock.advance(MINUTE)
  return { r, id, heard, told: () => r.told.map(({ to, event }) => `${event} to ${to}`) }
}

const rounds = (r: Rig, count: number) => r.clock.advance(count * MINUTE)

describe('a monitor beyond a threshold of warn', () => {
  it('stays up, says why, and is told to those who asked', async () => {
    const { r, id, heard, told } = await watched()
    r.say('shop.test', busy(7))
    await rounds(r, 1)
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    await rounds(r, 1)
    const cause = { cause_code: 'warn_above', cause_text: 'load is 7, more than 5' }
    expect(await r.engine.monitors.get(id)).toMatchObject({
      ...{ state: 'up', status: 'up', cause_code: null, open_incident_id: null },
      degraded: { ...cause, since: expect.stringMatching(/Z$/) as string },
    })
    expect((await r.engine.monitors.list()).items[0]?.degraded).toMatchObject(cause)
    expect((await r.engine.monitors.status(id)).degraded).toMatchObject(cause)
    expect([...r.engine.readings()][0]?.degraded).toBe(true)
    expect((await r.engine.results.list(id, { limit: 1 })).items[0]).toMatchObject({
      verdict: 'ok',
      details: { load: 7, warning: { ...cause, figure: 'load', value: 7, above: 5 } },
    })
    r.say('shop.test', busy(5))
    await rounds(r, 2)
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    expect((await r.engine.results.list(id, { limit: 1 })).items[0]?.details).toEqual({ load: 5 })
    expect(told()).toEqual(['degraded to team', 'restored to team'])
    expect(heard).toEqual(['degraded', 'restored'])
    expect(r.told.map(({ body }) => body)).toMatchObject([
      { event: 'degraded', monitor: { id }, incident: null, degraded: cause },
      {
        ...{ event: 'restored', incident: null },
        degraded: { ...cause, duration_sec: 120, closed_reason: 'recovered' },
      },
    ])
    await r.engine.stop()
  })

  it('loses no uptime; the time degraded is counted beside it', async () => {
    const { r, id } = await watched()
    await rounds(r, 9)
    r.say('shop.test', busy(7))
    await rounds(r, 20)
    r.say('shop.test', busy(1))
    await rounds(r, 30)
    const uptime = await r.engine.monitors.uptime(id, { days: 1 })
    expect(uptime).toMatchObject({ overall: 100, down_sec: 0, incidents: 0, degraded_sec: 1200 })
    const [day] = uptime.days
    expect(day).toMatchObject({ uptime: 100, up_sec: uptime.up_sec, degraded_sec: 1200 })
    expect((await r.engine.monitors.status(id)).uptime_24h).toBe(100)
    await r.engine.stop()
  })

  it('is degraded no more once it is down, paused, in maintenance or gone, and each is said', async () => {
    const { r, id, told } = await watched({ fail_threshold: 1, recover_threshold: 1 })
    const degrade = async () => {
      r.say('shop.test', busy(7))
      await rounds(r, 2)
      expect((await r.engine.monitors.get(id)).degraded).not.toBeNull()
    }
    const ends = () =>
      r.told
        .filter(({ event }) => event === 'restored')
        .map(({ body }) => (body['degraded'] as { closed_reason: string }).closed_reason)
    await degrade()
    r.say('shop.test', 'fail')
    await rounds(r, 1)
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    await degrade()
    await r.engine.monitors.pause(id)
    await r.engine.monitors.resume(id)
    await degrade()
    await r.engine.monitors.update(id, { level: 2 })
    await degrade()
    const start = new Date(r.clock.now() + MINUTE / 2).toISOString()
    const end = new Date(r.clock.now() + 5 * MINUTE).toISOString()
    await r.engine.monitors.update(id, { maintenance: [{ start, end }] })
    await rounds(r, 3)
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    await rounds(r, 3)
    await degrade()
    await r.engine.monitors.remove(id)
    await r.clock.advance(1000)
    expect(ends()).toEqual(['down', 'paused', 'reconfigured', 'maintenance', 'deleted'])
    const soft = told().filter((line) => /^(?:degraded|restored)/.test(line))
    expect(soft).toEqual(ends().flatMap(() => ['degraded to team', 'restored to team']))
    await r.engine.stop()
  })

  it('is still so after a restart, and restored once', async () => {
    const { r, id } = await watched()
    r.say('shop.test', busy(7))
    await rounds(r, 2)
    await r.engine.stop()
    const again = await r.restart()
    again.say('shop.test', busy(7))
    await rounds(again, 3)
    expect((await again.engine.monitors.get(id)).degraded?.cause_code).toBe('warn_above')
    again.say('shop.test', busy(1))
    await rounds(again, 5)
    expect((await again.engine.monitors.get(id)).degraded).toBeNull()
    expect(again.told.map(({ event }) => event)).toEqual(['degraded', 'restored'])
    await again.engine.stop()
  })

  it('ends by itself where the threshold is raised or removed', async () => {
    const { r, id } = await watched()
    r.say('shop.test', busy(7))
    await rounds(r, 2)
    await r.engine.monitors.update(id, { warn: null })
    await rounds(r, 2)
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    await r.engine.stop()
  })

  it('needs as many locations as a failure does', async () => {
    const r = await rig({ locations: ['a', 'b', 'c'] })
    const settings = { ...shop, fail_threshold: 1, recover_threshold: 1, confirm_locations: 2 }
    const { id } = await r.engine.monitors.create(settings)
    const busyAt = (...names: string[]) =>
      r.say('shop.test', (location) => (names.includes(location) ? busy(9) : 'ok'))
    busyAt('a')
    await rounds(r, 2)
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    busyAt('a', 'c')
    await rounds(r, 2)
    expect((await r.engine.monitors.get(id)).degraded).not.toBeNull()
    await r.engine.stop()
  })
})

describe('the setting warn', () => {
  it.each([
    [{ load: { above: 5 } }, undefined],
    [{ response: { above: 800 }, load: { below: 1, above: 5 } }, undefined],
    [{ note: { above: 5 } }, 'unknown_field: "note": known are response, load'],
    [{ lode: { above: 5 } }, 'unknown_field: "lode": did you mean "load"?'],
    [{ load: {} }, 'required: "load": above or below'],
    [{ load: { over: 5 } }, 'unknown_field: "load", "over"'],
    [{ load: { above: '5' } }, 'invalid: "load", "above": a number is expected'],
    [{ load: { above: 1, below: 2 } }, /^out_of_range: "load": below must not/],
    [{ load: 5 }, 'invalid: "load": { above?, below? } is expected'],
    [[], 'invalid: an object is expected'],
    [JSON.parse('{"__proto__":{"above":1}}') as object, /^unknown_field: "__proto__"/],
  ])('%j', async (warn, problem) => {
    const { engine } = await rig()
    const made = engine.monitors.create({ ...shop, warn } as never)
    if (problem === undefined) expect((await made).warn).toEqual(warn)
    else {
      const error = await made.then(String, (thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ValidationError)
      const { warn: said } = (error as ValidationError).fields
      if (typeof problem === 'string') expect(said).toBe(problem)
      else expect(said).toMatch(problem)
    }
    await engine.stop()
  })

  it('takes the figures of its type, which GET /types names', async () => {
    const { engine } = await rig()
    const type = engine.types.list().find((each) => each.type === 'scripted')
    expect(type?.measurements.map(({ name, figure }) => [name, figure])).toEqual([
      ['load', true],
      ['note', false],
    ])
    await engine.stop()
  })
})
