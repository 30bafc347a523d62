import { describe, expect, it } from 'vitest'
import { countsOf, percentiles } from '../../src/incident/latency.ts'
import { countHour, hourlyOf } from '../../src/incident/hours.ts'
import { addHours, MAX_BUCKETS } from '../../src/model/totals.ts'
import type { HourCounts } from '../../src/model/totals.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { hoursView } from '../../src/engine/views/hours-view.ts'
import { hoursBetween } from '../../src/engine/services/hours.ts'
import { coreOf } from '../../src/engine/options.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 3_600_000
const ALWAYS = Number.MAX_SAFE_INTEGER

const counts = (change: Partial<HourCounts> = {}): HourCounts => ({
  ...{ ok: 1, fail: 0, unknown: 0, degraded: 0, ok_ms: 5, min_ms: 5, max_ms: 5 },
  ...{ latency: [17, 1], phases: {}, figures: {} },
  ...change,
})

async function watched() {
  const store = memoryStore()
  const r = await rig({ store, locations: ['here', 'there'] })
  const shop = { type: 'scripted', name: 'Shop', host: 'shop.test', warn: { load: { above: 5 } } }
  const { id } = await r.engine.monitors.create({ ...shop, confirm_locations: 2 })
  const hours = () => hoursBetween(coreOf({ store, checkers: [] }), id, 0, ALWAYS)
  return { r, store, id, hours }
}

describe('hourly totals', () => {
  it('are exact for every hour and location, the one that goes on included', async () => {
    const { r, store, id, hours } = await watched()
    r.say('shop.test', { ok: { details: { load: 7 } } })
    await r.clock.advance(30 * MINUTE)
    r.say('shop.test', 'fail')
    await r.clock.advance(2 * HOUR)
    const read = await hours()
    const results = await store.results.list({ monitor_id: id, limit: 9999 })
    expect(new Set(read.map(({ location_id }) => location_id))).toEqual(new Set([1, 2]))
    expect(read.length).toBeGreaterThan(4)
    for (const { hour, location_id, ok, fail, unknown, degraded, ok_ms } of read) {
      const own = results.filter(
        (row) => row.location_id === location_id && Math.floor(row.round / HOUR) * HOUR === hour,
      )
      const of = (verdict: string) => own.filter((row) => row.verdict === verdict)
      expect({ ok, fail, unknown }).toEqual({
        ...{ ok: of('ok').length, fail: of('fail').length, unknown: of('unknown').length },
      })
      expect(degraded).toBe(own.filter((row) => row.details['warning'] !== undefined).length)
      expect(ok_ms).toBeCloseTo(of('ok').reduce((sum, row) => sum + row.duration_ms, 0))
    }
    const all = read.reduce((sum, { ok, fail, unknown }) => sum + ok + fail + unknown, 0)
    expect(all).toBe(results.length)
    await r.engine.stop()
  })

  it('an hour is written once it is over, and a pause or a change keeps what it has', async () => {
    const { r, store, id, hours } = await watched()
    await r.clock.advance(10 * MINUTE)
    const before = await hours()
    expect(await store.hourly.list(id, 0, ALWAYS)).toEqual([])
    await r.engine.monitors.pause(id)
    await r.engine.monitors.update(id, { level: 2 })
    expect(await hours()).toEqual(before)
    await r.engine.monitors.resume(id)
    await r.clock.advance(2 * HOUR)
    const [first] = await store.hourly.list(id, 0, ALWAYS)
    expect(first?.hour).toBe(before[0]?.hour)
    expect(first?.ok).toBeGreaterThanOrEqual(before[0]?.ok ?? Infinity)
    await r.engine.stop()
  })

  it('what comes in late is added to its hour, and the current one goes on', () => {
    const going = countHour(undefined, 5 * HOUR + MINUTE, [[1, counts()]]).hour
    const late = countHour(going, 4 * HOUR + 59 * MINUTE, [[1, counts({ fail: 1 })]])
    expect(late.hour).toEqual(going)
    expect(late.finished).toEqual([{ hour: 4 * HOUR, location_id: 1, ...counts({ fail: 1 }) }])
    const next = countHour(going, 6 * HOUR, [[2, counts()]])
    expect(next.finished).toEqual([{ hour: 5 * HOUR, location_id: 1, ...counts() }])
    expect(hourlyOf(next.hour!)).toEqual([{ hour: 6 * HOUR, location_id: 2, ...counts() }])
  })

  it.each([Infinity, 1e300, 2 ** 53])('end with a bucket of the number %d', (bucket) => {
    const sum = addHours(counts({ latency: [bucket, 1] }), counts())
    expect(sum.latency.length).toBeLessThanOrEqual(MAX_BUCKETS + 1)
    expect(sum.ok).toBe(2)
  })

  it('hold percentiles within five percent, in bounded space whatever the target does', () => {
    const numbers = Array.from({ length: 500 }, (_, at) => ((at * 37) % 500) - 250)
    const wild = numbers.map((at) => counts({ latency: [at, 1] })).reduce(addHours)
    expect(wild.latency).toHaveLength(MAX_BUCKETS + 1)
    const [lowest, shared, ...above] = wild.latency
    expect([lowest, shared, new Set(above)]).toEqual([150, 401, new Set([1])])
    // The slow end is untouched.
    const exact = Object.fromEntries(numbers.map((at) => [at, 1]))
    expect(percentiles(countsOf(wild.latency), [0.95])).toEqual(percentiles(exact, [0.95]))
    expect(countsOf([])).toEqual({})
    const phases = (at: number) => counts({ phases: { [`p${at}_ms`]: 1 } })
    const many = Array.from({ length: 99 }, (_, at) => phases(at)).reduce(addHours)
    expect(Object.keys(many.phases)).toHaveLength(20)
  })

  it('are read over several steps, in all and by location, with what was not simply up', async () => {
    const { r, id } = await watched()
    const began = r.clock.now()
    const at = (ms: number) => new Date(began + ms).toISOString()
    await r.clock.advance(2 * HOUR)
    r.say('shop.test', 'fail')
    await r.clock.advance(HOUR)
    await r.engine.monitors.pause(id)
    r.say('shop.test', 'ok')
    await r.clock.advance(5 * HOUR)
    await r.engine.monitors.resume(id)
    await r.clock.advance(HOUR + 30 * MINUTE)
    const { from, steps, locations, overall, spans } = await r.engine.monitors.hours(id, {
      from: began,
      step_hours: 4,
    })
    expect(from).toBe(at(0))
    // Nothing was checked between 03:00 and 08:00; the pause took all of the step in between.
    expect(steps.map((step) => step.at)).toEqual([at(0), at(8 * HOUR)])
    expect(steps[0]?.locations.map(({ location_id }) => location_id)).toEqual([1, 2])
    expect(locations[0]!.ok + locations[1]!.ok).toBe(overall.ok)
    expect(steps.reduce((sum, { fail }) => sum + fail, 0)).toBe(overall.fail)
    expect(spans.map(({ availability }) => availability)).toEqual(['down', 'paused'])
    expect(Date.parse(spans[1]!.to) - Date.parse(spans[1]!.from)).toBe(5 * HOUR)
    const day = await r.engine.monitors.hours(id)
    expect(day.step_hours).toBe(1)
    expect(day.steps.map((step) => step.at.slice(11, 16))).toContain('02:00')
    expect(day.overall).toEqual(overall)
    await r.engine.stop()
  })

  it('make the same days as the hours in them, also while a pause goes on', async () => {
    const store = memoryStore()
    const r = await rig({ store })
    const shop = { type: 'scripted', name: 'Shop', host: 'shop.test', interval_sec: 1200 }
    const { id } = await r.engine.monitors.create(shop)
    await r.clock.advance(3 * 24 * HOUR + 30 * MINUTE)
    const sums = async () => {
      const from = r.clock.now() - 10 * 24 * HOUR
      const { steps, overall } = await r.engine.monitors.hours(id, { from, step_hours: 24 })
      const { steps: hours, ...all } = await r.engine.monitors.hours(id, { from })
      expect(overall).toEqual(all.overall)
      for (const day of steps) {
        const own = hours.filter(({ at }) => at.startsWith(day.at.slice(0, 10)))
        expect(day.ok).toBe(own.reduce((sum, { ok }) => sum + ok, 0))
        expect(day.max_ms).toBe(Math.max(...own.map(({ max_ms }) => max_ms ?? 0)))
      }
      return steps.map(({ ok }) => ok)
    }
    const before = await sums()
    expect(before).toHaveLength(4)
    expect(before.slice(1, 3)).toEqual([72, 72])
    await r.engine.monitors.pause(id)
    await r.clock.advance(2 * 24 * HOUR)
    expect(await sums()).toEqual(before)
    await r.engine.stop()
  })

  it('of another account, or of an impossible period, are refused', async () => {
    const { r, id } = await watched()
    const { id: other } = await r.engine.accounts.create({ name: 'other' })
    await expect(r.engine.account(other).monitors.hours(id)).rejects.toThrow('monitor')
    for (const [options, field] of [
      [{ step_hours: 5 }, 'step_hours'],
      [{ step_hours: 0 }, 'step_hours'],
      [{ from: 0 }, 'from'],
      [{ from: 2, to: 1 }, 'from'],
      [{ steps: 4 }, 'steps'],
    ] as const)
      await expect(r.engine.monitors.hours(id, options as object)).rejects.toMatchObject({
        fields: { [field]: expect.any(String) },
      })
    await r.engine.stop()
  })
})

describe('the view of hours', () => {
  const HOUR_0 = Date.parse('2026-03-01T00:00:00.000Z')
  const at = (hour: number, location_id: number, change: Partial<HourCounts> = {}) => ({
    ...{ monitor_id: 1, location_id, hour: HOUR_0 + hour * HOUR },
    ...counts(change),
  })
  const view = (
    hours: readonly ReturnType<typeof at>[],
    changes: Parameters<typeof hoursView>[0]['changes'] = [],
  ) =>
    hoursView({ from: HOUR_0, to: HOUR_0 + 12 * HOUR, step_hours: 6, hours, changes }, () =>
      Promise.resolve(),
    )

  it('puts an hour into the step that it begins in, and leaves out empty ones', async () => {
    const { steps } = await view([at(0, 1), at(5, 1), at(6, 2), at(11, 1)])
    expect(steps.map(({ at: begin, ok }) => [begin.slice(11, 13), ok])).toEqual([
      ['00', 2],
      ['06', 2],
    ])
    expect(steps[0]?.locations.map(({ location_id }) => location_id)).toEqual([1])
    expect(steps[1]?.locations.map(({ location_id }) => location_id)).toEqual([1, 2])
    expect((await view([])).overall).toMatchObject({ ok: 0, p50_ms: null, avg_ms: null })
  })

  it('has the mean of phases over all good checks, and percentiles within the times seen', async () => {
    const one = { ok_ms: 100, min_ms: 100, max_ms: 100, latency: [49, 1] }
    const { overall } = await view([
      at(0, 1, { ...one, phases: { connect: 20, tls: 10 }, figures: { loss: [1, 5, 5, 5] } }),
      at(1, 1, { ...one, phases: { connect: 40 }, figures: { loss: [3, 3, 0, 2] } }),
      at(2, 1, { ...{ ok: 0, fail: 1, ok_ms: 0, min_ms: null, max_ms: null }, latency: [] }),
    ])
    expect(overall).toMatchObject({ ok: 2, fail: 1, avg_ms: 100, p50_ms: 100, p99_ms: 100 })
    expect(overall.phases).toEqual({ connect: 30, tls: 5 })
    expect(overall.figures).toEqual({ loss: { avg: 2, min: 0, max: 5 } })
  })

  it('cuts spans to the period, and tells nothing of the time before the first change', async () => {
    const change = (hour: number, availability: 'up' | 'down' | 'maintenance') => ({
      ...{ monitor_id: 1, at: HOUR_0 + hour * HOUR, availability },
    })
    const { spans } = await view(
      [],
      [change(-3, 'down'), change(2, 'up'), change(11, 'maintenance')],
    )
    expect(spans.map(({ availability, from, to }) => [availability, from, to])).toEqual([
      ['down', '2026-03-01T00:00:00.000Z', '2026-03-01T02:00:00.000Z'],
      ['maintenance', '2026-03-01T11:00:00.000Z', '2026-03-01T12:00:00.000Z'],
    ])
  })
})
