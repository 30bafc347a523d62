import { describe, expect, it } from 'vitest'
import { countsOf, percentiles } from '../../src/incident/latency.ts'
import { countHour, hourlyOf } from '../../src/incident/hours.ts'
import { addHours, MOST_BUCKETS } from '../../src/model/totals.ts'
import type { HourCounts } from '../../src/model/totals.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { hoursBetween } from '../../src/engine/services/hours.ts'
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
  const hours = () => hoursBetween({ store }, id, 0, ALWAYS)
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

  it('hold percentiles within five percent, in bounded space whatever the target does', () => {
    const numbers = Array.from({ length: 500 }, (_, at) => ((at * 37) % 500) - 250)
    const wild = numbers.map((at) => counts({ latency: [at, 1] })).reduce(addHours)
    expect(wild.latency).toHaveLength(MOST_BUCKETS + 1)
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
})
