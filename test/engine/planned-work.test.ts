import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

/** From so many minutes from now, for so many. */
function window(r: Rig, from_min: number, minutes: number, extra: Record<string, unknown> = {}) {
  const start = r.clock.now() + from_min * MINUTE
  return {
    start: new Date(start).toISOString(),
    end: new Date(start + minutes * MINUTE).toISOString(),
    ...extra,
  }
}

async function monitored(r: Rig, settings: Record<string, unknown> = {}) {
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const made = await r.engine.monitors.create({
    type: 'scripted',
    name: 'Shop',
    host: 'shop.test',
    ...settings,
  })
  await r.clock.advance(1000)
  return made.id
}

const state = async (r: Rig, id: number) => (await r.engine.monitors.status(id)).state
const events = (r: Rig) => r.told.map(({ event }) => event)

describe('planned work', () => {
  it('tells nobody of a failure within it, goes on checking, and counts the time apart', async () => {
    const r = await rig()
    const id = await monitored(r, { maintenance: [window(r, 10, 30)] })
    await r.clock.advance(10 * MINUTE)
    expect(await state(r, id)).toBe('maintenance')
    r.say('shop.test', 'fail')
    const before = r.checks.length
    await r.clock.advance(20 * MINUTE)
    expect(r.checks.length - before).toBe(20)
    r.say('shop.test', 'ok')
    await r.clock.advance(11 * MINUTE)

    expect(await state(r, id)).toBe('up')
    expect(events(r)).toEqual([])
    expect((await r.engine.incidents.list()).items).toEqual([])
    const { maintenance_sec, down_sec } = await r.engine.monitors.uptime(id, { days: 1 })
    expect(maintenance_sec).toBe(30 * 60)
    expect(down_sec).toBe(0)
  })

  it('makes no checks where the window asks for none', async () => {
    const r = await rig()
    await monitored(r, { maintenance: [window(r, 10, 30, { skip_checks: true })] })
    await r.clock.advance(10 * MINUTE)
    const before = r.checks.length
    await r.clock.advance(29 * MINUTE)
    expect(r.checks.length).toBe(before)
    await r.clock.advance(2 * MINUTE)
    expect(r.checks.length).toBeGreaterThan(before)
  })

  it('looks at once when it ends, and tells what is still broken', async () => {
    const r = await rig()
    const id = await monitored(r, { fail_threshold: 1, maintenance: [window(r, 10, 30)] })
    await r.clock.advance(11 * MINUTE)
    r.say('shop.test', 'fail')
    await r.clock.advance(29 * MINUTE)
    expect(await state(r, id)).toBe('down')
    expect(events(r)).toEqual(['down'])
  })

  it('an incident from before goes on afterwards: no second "down", and the recovery is told', async () => {
    const r = await rig()
    const id = await monitored(r, {
      fail_threshold: 1,
      notify_repeat_min: 5,
      maintenance: [window(r, 12, 30)],
    })
    r.say('shop.test', 'fail')
    await r.clock.advance(11 * MINUTE)
    expect(events(r)).toEqual(['down', 'repeat', 'repeat'].slice(0, events(r).length))
    const told = events(r).length
    await r.clock.advance(30 * MINUTE)
    expect(await state(r, id)).toBe('maintenance')
    expect(events(r)).toHaveLength(told)

    await r.clock.advance(9 * MINUTE)
    expect(await state(r, id)).toBe('down')
    expect(events(r).slice(told)).toEqual(['repeat'])
    r.say('shop.test', 'ok')
    await r.clock.advance(2 * MINUTE)
    expect(events(r).at(-1)).toBe('up')
    expect(events(r).filter((event) => event === 'down')).toHaveLength(1)
    expect((await r.engine.incidents.list()).items).toHaveLength(1)
  })

  it('a contact whose delay fell into it is told afterwards, once', async () => {
    const r = await rig()
    const late = await r.engine.contacts.create({ kind: 'recorder', name: 'boss', to: 'boss' })
    await monitored(r, {
      fail_threshold: 1,
      contact_ids: [late.id],
      contact_delay: { [late.id]: 20 },
      maintenance: [window(r, 10, 30)],
    })
    r.say('shop.test', 'fail')
    await r.clock.advance(39 * MINUTE)
    expect(r.told.filter(({ to }) => to === 'boss')).toEqual([])
    await r.clock.advance(30 * MINUTE)
    expect(r.told.filter(({ to }) => to === 'boss').map(({ event }) => event)).toEqual(['down'])
    expect(r.told.filter(({ to }) => to === 'ops').map(({ event }) => event)).toEqual(['down'])
  })

  it('a job that stays silent within it has its whole time again afterwards', async () => {
    const r = await rig({ checkers: [heartbeat()] })
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    const job = await r.engine.monitors.create({
      type: 'heartbeat',
      name: 'Backup',
      interval_sec: 600,
      grace_sec: 60,
      maintenance: [window(r, 5, 60)],
    })
    await r.engine.signal(String(job.token), { kind: 'success' })
    await r.clock.advance(66 * MINUTE)
    expect(events(r)).toEqual([])
    await r.clock.advance(12 * MINUTE)
    expect(events(r)).toEqual(['down'])
  })

  it('is entered after a restart in the middle of it, and after a resume', async () => {
    const r = await rig()
    const id = await monitored(r, { maintenance: [window(r, 10, 60)] })
    await r.engine.stop()
    await r.clock.advance(20 * MINUTE)
    const again = await r.restart()
    await again.clock.advance(1)
    expect(await state(again, id)).toBe('maintenance')
    await again.engine.monitors.pause(id)
    await again.clock.advance(MINUTE)
    expect(await state(again, id)).toBe('paused')
    await again.engine.monitors.resume(id)
    await again.clock.advance(1)
    expect(await state(again, id)).toBe('maintenance')
  })

  it('ends at once when its window is taken away, and begins at once when one is added', async () => {
    const r = await rig()
    const id = await monitored(r)
    await r.engine.monitors.update(id, { maintenance: [window(r, -1, 60)] })
    await r.clock.advance(1)
    expect(await state(r, id)).toBe('maintenance')
    await r.engine.monitors.update(id, { maintenance: [] })
    await r.clock.advance(1)
    expect(await state(r, id)).toBe('up')
  })

  it('comes again by cron, in its own time zone', async () => {
    const r = await rig()
    const opens = new Date(r.clock.now() + 10 * MINUTE)
    const [hour, minute] = [opens.getUTCHours(), opens.getUTCMinutes()]
    const cron = { cron: `${minute} ${hour} * * *`, duration_min: 30, time_zone: 'UTC' }
    const id = await monitored(r, { fail_threshold: 1, maintenance: [cron] })
    const { maintenance_changes_at } = await r.engine.monitors.status(id)
    expect(maintenance_changes_at?.slice(0, 16)).toBe(opens.toISOString().slice(0, 16))
    await r.clock.advance(11 * MINUTE)
    r.say('shop.test', 'fail')
    expect(await state(r, id)).toBe('maintenance')
    await r.clock.advance(20 * MINUTE)
    expect(events(r)).toEqual([])
    await r.clock.advance(10 * MINUTE)
    expect(events(r)).toEqual(['down'])
  })

  it('every wrong window is named with its place', async () => {
    const r = await rig()
    const wrong = {
      'out_of_range: entry 1, "end": must be after start': {
        start: '2026-01-01T00:00:00Z',
        end: '2026-01-01T00:00:00Z',
      },
      'invalid: entry 2, "start": an ISO 8601 time with a zone is expected, such as 2026-12-24T22:00:00Z':
        { start: '2026-01-01 10:00', end: '2026-01-02T00:00:00Z' },
      'invalid: entry 3, "at": HH:MM is expected': { at: '25:00', duration_min: 5 },
      'invalid: entry 4, "time_zone": an IANA time zone is expected, such as Europe/Berlin': {
        at: '05:00',
        duration_min: 5,
        time_zone: 'Mars/Olympus',
      },
      'required: entry 5, "duration_min"': { at: '05:00' },
      'invalid: entry 6, "weekdays", entry 1: one of mon, tue, wed, thu, fri, sat, sun is expected':
        { at: '05:00', duration_min: 5, weekdays: ['someday'] },
      'unknown_field: entry 7, "cron"': { at: '05:00', duration_min: 5, cron: '* * *' },
      'invalid: entry 8: an object is expected': 'tomorrow',
      'out_of_range: entry 9, "cron": at most once in an hour: a single minute is expected, such as "0 3 * * *"':
        { cron: '*/5 * * * *', duration_min: 1 },
      'out_of_range: entry 9, "duration_min": must be less than the time between two occurrences': {
        cron: '0 */2 * * *',
        duration_min: 120,
      },
      'invalid: entry 9, "cron": a cron expression of five fields is expected, such as "0 3 * * *"':
        { cron: '0 25 * * *', duration_min: 5 },
    }
    for (const [problem, window] of Object.entries(wrong)) {
      const before = Number(/entry (\d)/.exec(problem)?.[1]) - 1
      const maintenance = [...Array<unknown>(before).fill({ at: '05:00', duration_min: 5 }), window]
      const input = { type: 'scripted', name: 'Shop', host: 'shop.test', maintenance }
      await expect(r.engine.monitors.create(input as never)).rejects.toMatchObject({
        fields: { maintenance: problem },
      })
    }
  })
})
