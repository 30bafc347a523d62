import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { ValidationError } from '../../src/errors.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { bucketOf } from '../../src/incident/latency.ts'
import type { FullStore } from '../../src/store/store.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Ten to six in the morning. */
const START = Date.UTC(2026, 0, 1, 5, 50)

const shop = { type: 'timed', host: 'shop.test', name: 'Shop', interval_sec: 60 }
const warned = { ...shop, warn: { response: 'baseline' } } as const

let folder: string | undefined
afterEach(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true })
  folder = undefined
})

/** An engine with a checker that takes as long as the test says, by location. */
async function timed(options: { store?: FullStore; locations?: string[] } = {}) {
  const { store = memoryStore(), locations = ['here'] } = options
  const takes: Record<string, number> = {}
  const checker = defineChecker({
    type: 'timed',
    title: 'Timed',
    description: 'Takes as long as the test says',
    fields: {
      host: field.host({ description: 'Target' }).required(),
      level: field.integer({ description: 'Any number', min: 0, max: 10 }).default(1),
    },
    measurements: { took_ms: 'What the test says', load: 'Another figure' },
    response: 'took_ms',
    target: (settings) => settings.host,
    run: (ctx) => Promise.resolve(up({ details: { took_ms: takes[ctx.location.name] ?? 100 } })),
  })
  const clock = simulatedClock({ now: START, settling: 'promises' })
  const r = await rig({ store, locations, checkers: [checker] }, { clock, store })
  await r.engine.contacts.create({
    ...{ kind: 'recorder', name: 'Team', to: 'team', all_monitors: true },
    events: ['degraded', 'restored'],
  })
  return { r, clock, store, take: (ms: number, at = 'here') => void (takes[at] = ms) }
}

/** The hours of an engine that has run for so many days, one check a minute, as long as the test says. */
async function lived(
  store: FullStore,
  monitor_id: number,
  { days, usual }: { days: number; usual: (hour: number, location_id: number) => number },
): Promise<void> {
  const last = Math.floor(START / HOUR) * HOUR
  const { machine, revision } = (await store.monitors.get(monitor_id))!
  const hourly = []
  for (let hour = last - days * DAY; hour < last; hour += HOUR)
    for (const location_id of [1, 2])
      hourly.push({
        ...{ hour, location_id, ok: 60, fail: 0, unknown: 0, degraded: 0 },
        ...{ ok_ms: 0, min_ms: null, max_ms: null, phases: {}, figures: {} },
        latency: [bucketOf(usual((hour % DAY) / HOUR, location_id)), 60],
      })
  await store.commit([{ monitor_id, revision, at: START, machine, hourly }])
}

/** By day it is slower. */
const shopHours = (hour: number) => (hour >= 8 && hour < 20 ? 400 : 100)

async function watched(options: { store?: FullStore; locations?: string[] } = {}) {
  const t = await timed(options)
  const { id } = await t.r.engine.monitors.create(warned)
  await lived(t.store, id, { days: 21, usual: shopHours })
  const last = async () => (await t.r.engine.results.list(id, { limit: 1 })).items[0]!
  const degraded = async () => (await t.r.engine.monitors.get(id)).degraded?.cause_text
  return { ...t, id, last, degraded }
}

describe('a monitor that warns by its baseline', () => {
  it('is degraded beyond what is usual at the hour, by the median of its checks', async () => {
    const { r, clock, take, last, degraded } = await watched()
    await clock.advance(8 * MINUTE)
    const { baseline } = (await last()).details
    expect(baseline).toEqual({ low_ms: expect.closeTo(100, -1), high_ms: expect.closeTo(130, -1) })
    take(9000)
    await clock.advance(3 * MINUTE)
    take(100)
    await clock.advance(8 * MINUTE)
    expect(await degraded()).toBeUndefined()
    take(420)
    await clock.advance(8 * MINUTE)
    const text = /^response is 420 ms; usual at this hour 10\d to 13\d ms \(3 weeks\)$/
    expect(await degraded()).toMatch(text)
    expect(await last()).toMatchObject({
      verdict: 'ok',
      details: { took_ms: 420, warning: { cause_code: 'warn_baseline', figure: 'response' } },
    })
    // Within, and too near to the upper end: it would be degraded again at once.
    take(125)
    await clock.advance(9 * MINUTE)
    expect(await degraded()).toMatch(text)
    expect((await last()).details['warning']).toBeUndefined()
    take(100)
    await clock.advance(8 * MINUTE)
    expect(await degraded()).toBeUndefined()
    expect(r.told.map(({ event }) => event)).toEqual(['degraded', 'restored'])
    // The hour beside a busy one is busy.
    take(420)
    await clock.advance(40 * MINUTE)
    expect(new Date(clock.now()).getUTCHours()).toBe(7)
    expect((await last()).details).toMatchObject({ baseline: { high_ms: expect.closeTo(520, -2) } })
    await r.engine.stop()
  })

  it('goes on where it was after a restart', async () => {
    folder = await mkdtemp(join(tmpdir(), 'watchpost-baseline-'))
    const file = join(folder, 'data.db')
    const { r, clock, take, id } = await watched({ store: sqliteStore({ file }) })
    take(420)
    await clock.advance(9 * MINUTE)
    await r.engine.stop()
    const again = await r.restart({ store: sqliteStore({ file }) })
    const last = async () => (await again.engine.results.list(id, { limit: 1 })).items[0]
    let warning: unknown
    // On a busy machine it takes more turns until the checks begin and three weeks are read.
    for (let checks = 0; checks < 6 && warning === undefined; checks++) {
      await clock.advance(MINUTE)
      for (let turn = 0; turn < 100; turn++) await clock.settle()
      warning = (await last())?.details['warning']
    }
    // The checks before the restart count among the seven.
    expect(warning).toMatchObject({ checks: 7, value: 420 })
    const monitor = await again.engine.monitors.get(id)
    expect(monitor.degraded?.cause_text).toMatch(/^response is 420 ms; usual at this hour/)
    take(100)
    await clock.advance(5 * MINUTE)
    expect((await again.engine.monitors.get(id)).degraded).toBeNull()
    expect(again.told.map(({ event }) => event)).toEqual(['degraded', 'restored'])
    await again.engine.stop()
  })

  it('knows what is usual at each location', async () => {
    const { r, clock, take, id } = await watched({ locations: ['here', 'there'] })
    await lived(r.store, id, { days: 21, usual: (_, location) => (location === 1 ? 100 : 900) })
    take(900, 'there')
    await clock.advance(12 * MINUTE)
    const { items } = await r.engine.results.list(id, { limit: 2 })
    const highs = items.map(({ details }) => (details['baseline'] as { high_ms: number }).high_ms)
    expect(Math.max(...highs)).toBeGreaterThan(1000)
    expect(Math.min(...highs)).toBeLessThan(200)
    await r.engine.stop()
  })
})

describe('what it learns from', () => {
  it('is two weeks of the same settings; until then its results say how much there is', async () => {
    const { r, clock, store, take } = await timed()
    const { id } = await r.engine.monitors.create(warned)
    await lived(store, id, { days: 13, usual: shopHours })
    take(9000)
    const said = async () => {
      const [result] = (await r.engine.results.list(id, { limit: 1 })).items
      return (result?.details['baseline'] as { text?: string } | undefined)?.text
    }
    await clock.advance(9 * MINUTE)
    expect(await said()).toBe('learning, 312 of 336 hours')
    await clock.advance(66 * MINUTE)
    expect(await said()).toBe('learning, 314 of 336 hours')
    await r.engine.monitors.update(id, { name: 'Shop 2' })
    await clock.advance(2 * MINUTE)
    expect(await said()).toBe('learning, 314 of 336 hours')
    await r.engine.monitors.update(id, { level: 2 })
    await clock.advance(2 * MINUTE)
    expect(await said()).toBe('learning, 0 of 336 hours')
    expect((await r.engine.monitors.get(id)).degraded).toBeNull()
    await r.engine.stop()
  })

  it('is read once an hour while it learns, then once a day, and by no other monitor', async () => {
    const inner = memoryStore()
    const reads: number[] = []
    const list: FullStore['hourly']['list'] = (id, from, to) => {
      reads.push(id)
      return inner.hourly.list(id, from, to)
    }
    const { r, clock, id } = await watched({ store: { ...inner, hourly: { list } } })
    await r.engine.monitors.create({ ...shop, warn: { response: { above: 5000 } } })
    const { id: learning } = await r.engine.monitors.create(warned)
    await clock.advance(3 * HOUR)
    const parts = 4
    expect(reads.filter((each) => each === id)).toHaveLength(parts)
    expect(reads.filter((each) => each === learning)).toHaveLength(4 * parts)
    expect(reads).toHaveLength(5 * parts)
    await r.engine.stop()
  })

  it('is nothing where the store keeps no hours, and a failure of the store ends no check', async () => {
    const inner = memoryStore()
    const { hourly: _, ...without } = inner
    const failing = { list: () => Promise.reject(new Error('The disk is full')) }
    for (const [store, text] of [
      [without, 'learning, 0 of 336 hours'],
      [{ ...memoryStore(), hourly: failing }, undefined],
    ] as const) {
      const { r, clock, take } = await timed({ store: store as FullStore })
      const { id } = await r.engine.monitors.create(warned)
      take(9000)
      await clock.advance(12 * MINUTE)
      const [result] = (await r.engine.results.list(id, { limit: 1 })).items
      expect(result).toMatchObject({ verdict: 'ok' })
      expect(result?.details['baseline']).toEqual(
        text === undefined ? undefined : { text, hours: 0, hours_needed: 336 },
      )
      await r.engine.stop()
    }
  })
})

describe('a baseline', () => {
  it.each([
    [{ response: 'baseline' }, undefined],
    [{ took_ms: 'baseline', load: { above: 5 } }, undefined],
    [
      { load: 'baseline' },
      'invalid: "load": a baseline is of response times only: response, took_ms',
    ],
    [{ response: 'basline' }, /^invalid: "response"/],
    [{ response: { above: 'baseline' } }, /^invalid: "response", "above"/],
  ])('%j', async (warn, problem) => {
    const { r } = await timed()
    const made = r.engine.monitors.create({ ...shop, warn } as never)
    if (problem === undefined) expect((await made).warn).toEqual(warn)
    else {
      const error = await made.then(String, (thrown: unknown) => thrown)
      expect((error as ValidationError).fields['warn']).toMatch(problem)
    }
    await r.engine.stop()
  })
})
