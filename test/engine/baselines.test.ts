/** How the baseline of a monitor is learned from its history, and when it is learned anew. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, up } from '../../src/checkers/checker.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { createBaselines } from '../../src/engine/rounds/baselines.ts'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import { StorageError } from '../../src/errors.ts'
import { bucketOf } from '../../src/incident/latency.ts'
import { initialState } from '../../src/incident/state.ts'
import type { HourlyStats, Outcome } from '../../src/model.ts'
import type { Change } from '../../src/store/store.ts'
import { outcome } from '../../src/testing/store-suite/case.ts'
import { cachedMonitor, NOON } from './cached-monitor.ts'
import { monitorsRig } from './monitors-rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const warn = { response: 'baseline' } as const
const PUSHED = { push: {} } as unknown as Partial<AnyChecker>

type Hour = Omit<HourlyStats, 'monitor_id'>

/** Sixty good checks of this many ms. */
function hourOf(hour: number, ms: number, change: Partial<Hour> = {}): Hour {
  return {
    ...{ hour, location_id: 1, ok: 60, fail: 0, unknown: 0, degraded: 0, ok_ms: 60 * ms },
    ...{ min_ms: ms, max_ms: ms, phases: {}, figures: {}, latency: [bucketOf(ms), 60] },
    ...change,
  }
}

/** Those of so many days until now. */
function days(count: number, change: Partial<Hour> = {}): Hour[] {
  return Array.from({ length: count * 24 }, (_, n) => hourOf(NOON - (n + 1) * HOUR, 100, change))
}

const figured = {
  ...defineChecker({
    type: 'figured',
    title: 'Figured',
    description: 'Has a response time of its own',
    fields: {},
    measurements: { took_ms: 'What counts' },
    response: 'took_ms',
    target: () => 'x',
    run: () => Promise.resolve(up()),
  }),
} as AnyChecker

async function learning() {
  const rig = await monitorsRig(figured)
  const { core, store, clock, monitorCache } = rig
  const baselines = createBaselines(rig)
  onTestFinished(() => baselines.stop())
  const reads: (readonly [number, number])[] = []
  const hourly = store.hourly.list.bind(store.hourly)
  let fails = false
  Object.assign(store.hourly, {
    list: (id: number, from: number, to: number) => {
      if (fails) return Promise.reject(new Error('the disk is full'))
      reads.push([id, (clock.now() - NOON) / MINUTE])
      return hourly(id, from, to)
    },
  })
  return {
    ...{ ...rig, baselines, reads, core },
    fail: (does: boolean) => void (fails = does),
    /** A monitor that is checked every minute and warns, with this history. */
    async watched(
      hours: readonly Hour[] = [],
      more: Partial<Change> = {},
      common: object = { warn },
      type = 'plain',
    ) {
      const { record } = await rig.add(
        { interval_sec: 60, ...common },
        { type, machine: { ...initialState(NOON), state: 'up' } },
      )
      const change = { monitor_id: record.id, revision: 1, at: NOON, hourly: hours, ...more }
      await monitorCache.change(record.id, () => ({ change }))
      return record.id
    },
    cached: (id = 1) => monitorCache.peek(id)!,
    /** Judges a check of so many ms in the round of this minute. */
    judge(
      ms: number,
      minute: number,
      of: CachedMonitor | undefined = monitorCache.peek(1),
      location = 1,
    ) {
      const tick = NOON + minute * MINUTE
      const checked = outcome({ duration_ms: ms, phases: {} })
      return baselines.judge(of!, location, { tick, outcome: checked })
    },
    /** How often each monitor has been read, whatever the parts. */
    readTimes: () => [...new Set(reads.map(([id, at]) => `${id} at ${Math.floor(at)}`))],
  }
}

describe('a baseline', () => {
  it('is learned beside the first check, and compared with from the seventh on', async () => {
    const { watched, judge, clock } = await learning()
    await watched(days(21))
    expect(judge(80, 0)).toEqual({ place: 'unclear' })
    await clock.settle()
    const details = { low_ms: expect.closeTo(100, -1), high_ms: expect.closeTo(130, -1) } as object
    for (let minute = 1; minute < 6; minute++)
      expect(judge(80, minute)).toEqual({ place: 'unclear', details })
    expect(judge(80, 6)).toMatchObject({ place: 'within', value: 80, weeks: 3, details })
    for (let minute = 7; minute < 10; minute++) expect(judge(900, minute).place).toBe('within')
    // The median of the last seven.
    expect(judge(900, 10)).toMatchObject({ place: 'beyond', value: 900 })
  })

  it('is learning for two weeks, and says how far it is', async () => {
    const { watched, judge, clock } = await learning()
    await watched(days(3))
    judge(80, 0)
    await clock.settle()
    expect(judge(80, 1)).toMatchObject({
      ...{ place: 'learning', details: { hours: 72, hours_needed: 336 } },
    })
  })

  it('is of each location by itself', async () => {
    const { watched, judge, clock } = await learning()
    await watched([...days(21), ...days(2, { location_id: 2 })])
    judge(80, 0)
    judge(80, 0, undefined, 4)
    await clock.settle()
    expect(judge(80, 1, undefined, 4)).toMatchObject({ details: { hours: 0 } })
    expect(judge(80, 1, undefined, 2)).toMatchObject({ details: { hours: 48 } })
    expect(judge(80, 1)).toMatchObject({
      place: 'unclear',
      details: { low_ms: expect.any(Number) },
    })
    // One that has no history is learning from nothing.
    judge(80, 2, undefined, 3)
    await clock.advance(61 * MINUTE)
    expect(judge(80, 61, undefined, 3)).toMatchObject({ place: 'unclear' })
  })

  it('leaves out hours before the settings of today, troubled ones, and the one that runs', async () => {
    const { watched, judge, clock } = await learning()
    const checked_since = NOON - 10 * HOUR - 5 * MINUTE
    const hours = [...days(2), hourOf(NOON, 100)]
    const at = (hours: number) => NOON - hours * HOUR
    const availability = [
      { at: at(40), availability: 'down' },
      { at: at(8), availability: 'up' },
      { at: at(3), availability: 'maintenance' },
      { at: at(2), availability: 'up' },
    ] as const
    await watched(hours, { availability, machine: { ...initialState(NOON), checked_since } })
    judge(80, 0)
    await clock.settle()
    // Of ten whole hours two are down, and one is in maintenance.
    expect(judge(80, 1)).toMatchObject({ details: { hours: 7 } })
  })

  it('is learned from four weeks, in parts', async () => {
    const { watched, judge, clock, reads } = await learning()
    await watched(days(35))
    judge(80, 0)
    await clock.settle()
    expect(reads).toHaveLength(4)
    for (let minute = 1; minute < 7; minute++) judge(80, minute)
    expect(judge(80, 7)).toMatchObject({ weeks: 4 })
  })
})

describe('the latest response times', () => {
  it('count a round once, and none that is older than ten intervals', async () => {
    const { watched, judge, clock } = await learning()
    await watched(days(21))
    judge(80, 0)
    await clock.settle()
    for (let n = 0; n < 9; n++) judge(900, 1)
    for (let minute = 2; minute < 6; minute++) judge(80, minute)
    expect(judge(80, 5)).toMatchObject({ place: 'unclear' })
    expect(judge(80, 6)).toMatchObject({ place: 'within' })
    // Ten intervals after the first one it still counts.
    expect(judge(80, 11)).toMatchObject({ place: 'within' })
    expect(judge(80, 16)).toMatchObject({ place: 'unclear' })
  })

  it('are read from the store once, by an engine that starts', async () => {
    const { watched, judge, clock } = await learning()
    const result = (minutes: number, of: Partial<Outcome> = {}, location_id = 1) => ({
      ...outcome({ duration_ms: 900, phases: {}, ...of }),
      ...{ location_id, lag_ms: 0, round: NOON - minutes * MINUTE },
      started_at: NOON - minutes * MINUTE,
    })
    const results = [
      ...[12, 11, 9, 8, 7, 6, 5].map((minutes) => result(minutes)),
      result(4, { verdict: 'fail' }),
      result(3, { duration_ms: 5 }, 2),
      result(2),
    ]
    await watched(days(21), { results })
    judge(900, 0)
    await clock.settle()
    // Six of location 1 within ten intervals, and the first check.
    expect(judge(80, 1)).toMatchObject({ place: 'beyond', value: 900 })
  })

  it('are asked of the store once, for each location, and not from before the settings of today', async () => {
    const { watched, judge, clock, store, reads } = await learning()
    const list = store.results.list.bind(store.results)
    const asked: unknown[] = []
    Object.assign(store.results, {
      list: (query: never) => {
        asked.push(query)
        return list(query)
      },
    })
    const state = { last: null, consecutive_fails: 0, memo: null, monitor_id: 1 }
    const locations = [1, 2].map((location_id) => ({ ...state, location_id }))
    const checked_since = NOON - 5 * MINUTE
    await watched(days(2), { locations, machine: { ...initialState(NOON), checked_since } })
    judge(80, 0)
    await clock.advance(70 * MINUTE)
    judge(80, 70)
    await clock.settle()
    expect(reads.length).toBeGreaterThan(0)
    expect(asked).toEqual([{ monitor_id: 1, verdict: 'ok', from: checked_since, limit: 14 }])
  })

  it.each([
    ['none twice', [80, 80, 80, 80, 80, 80, 9000, 9000, 9000], [-3, -2, -1], 900, 80],
    ['seven in all', [5, 5, 5, 80, 80, 80, 900, 900, 900], [0], 900, 900],
  ])('of the store are %s', async (_, stored, seen, ms, value) => {
    const { watched, judge, clock } = await learning()
    const results = stored.map((duration_ms, n) => ({
      ...outcome({ duration_ms, phases: {} }),
      ...{ location_id: 1, lag_ms: 0, round: NOON + (n - 9) * MINUTE },
      started_at: NOON + (n - 9) * MINUTE,
    }))
    await watched(days(21), { results })
    for (const minute of seen) judge(ms, minute)
    await clock.settle()
    expect(judge(ms, seen.at(-1) ?? 0)).toMatchObject({ value })
  })

  it('are none of a check without its figure', async () => {
    const { baselines, watched, clock } = await learning()
    await watched(days(21))
    const checker = { response: 'took_ms' } as Partial<AnyChecker>
    const cached = cachedMonitor({ id: 1, common: { warn, interval_sec: 60 }, checker })
    const check = (minute: number, details: Outcome['details']) =>
      baselines.judge(cached, 1, { tick: NOON + minute * MINUTE, outcome: outcome({ details }) })
    expect(check(0, {})).toEqual({ place: 'unclear' })
    await clock.settle()
    for (let minute = 1; minute < 7; minute++)
      expect(check(minute, { took_ms: 80 }).place).toBe('unclear')
    expect(check(7, { took_ms: 80 })).toMatchObject({ place: 'within', value: 80 })
  })

  it('are none of a stored check without its figure either', async () => {
    const { baselines, watched, clock, cached } = await learning()
    const results = [80, 80, 80, 80, undefined, 80].map((took_ms, n) => ({
      ...outcome({ details: took_ms === undefined ? {} : { took_ms } }),
      ...{ location_id: 1, lag_ms: 0, round: NOON + (n - 6) * MINUTE },
      started_at: NOON + (n - 6) * MINUTE,
    }))
    await watched(days(21), { results }, { warn }, 'figured')
    const check = (minute: number, details: Outcome['details']) =>
      baselines.judge(cached(), 1, { tick: NOON + minute * MINUTE, outcome: outcome({ details }) })
    expect(check(0, {})).toEqual({ place: 'unclear' })
    await clock.settle()
    // Five of the store.
    expect(check(1, { took_ms: 80 }).place).toBe('unclear')
    expect(check(2, { took_ms: 80 })).toMatchObject({ place: 'within', value: 80 })
  })

  it('of the store give way to those that were seen', async () => {
    const { watched, judge, clock } = await learning()
    const results = Array.from({ length: 9 }, (_, n) => ({
      ...outcome({ duration_ms: 900, phases: {} }),
      ...{ location_id: 1, lag_ms: 0, round: NOON + n * MINUTE - 9 * MINUTE },
      started_at: NOON + n * MINUTE - 9 * MINUTE,
    }))
    await watched(days(21), { results })
    for (let minute = -3; minute < 0; minute++) judge(80, minute)
    await clock.settle()
    // Four earlier ones of the store, and three of today.
    expect(judge(80, -1)).toMatchObject({ place: 'beyond', value: 900 })
    expect(judge(80, 0)).toMatchObject({ place: 'within', value: 80 })
  })

  it('are none of a check that was not timed', async () => {
    const { baselines, watched, clock, reads } = await learning()
    await watched()
    const cached = cachedMonitor({ id: 1, common: { warn }, checker: PUSHED })
    const check = { tick: NOON, outcome: outcome() }
    expect(baselines.judge(cached, 1, check)).toEqual({ place: 'unclear' })
    await clock.settle()
    expect(reads.length).toBeGreaterThan(0)
    expect(baselines.judge(cached, 1, check)).toEqual({ place: 'unclear' })
  })
})

describe('the history of a monitor', () => {
  it('is read once an hour while there is not enough, and once a day from then on', async () => {
    const { watched, judge, clock, readTimes } = await learning()
    await watched(days(13))
    for (let minute = 0; minute < 26 * 60; minute += 30) {
      judge(80, minute)
      await clock.advance(30 * MINUTE)
    }
    const hours = Array.from({ length: 26 }, (_, hour) => `1 at ${hour * 60}`)
    expect(readTimes()).toEqual(hours)

    const enough = await learning()
    await enough.watched(days(14))
    for (let minute = 0; minute < 50 * 60; minute += 30) {
      enough.judge(80, minute)
      await enough.clock.advance(30 * MINUTE)
    }
    expect(enough.readTimes()).toEqual(['1 at 0', '1 at 1440', '1 at 2880'])
  })

  it('is read again where the clock was set back', async () => {
    const { watched, judge, clock, reads } = await learning()
    await watched(days(3))
    judge(80, 0)
    await clock.advance(100)
    const before = reads.length
    clock.jump(-HOUR)
    judge(80, -60)
    await clock.advance(100)
    expect(reads.length).toBeGreaterThan(before)
  })

  it('is read anew where the settings that matter have changed', async () => {
    const { watched, judge, clock, cached, monitorCache, reads } = await learning()
    await watched(days(21))
    for (let minute = 0; minute < 8; minute++) judge(80, minute)
    await clock.settle()
    const before = reads.length
    const { record } = cached()
    const machine = { ...record.machine, checked_since: NOON - DAY }
    const change = { monitor_id: 1, revision: record.revision, at: NOON, machine }
    await monitorCache.change(1, () => ({ change }))
    expect(judge(80, 8)).toEqual({ place: 'unclear' })
    await clock.advance(100)
    expect(reads.length).toBeGreaterThan(before)
    expect(judge(80, 9)).toMatchObject({ place: 'learning', details: { hours: 24 } })
  })

  it('of several monitors is read one after the other, 50 ms apart', async () => {
    const { watched, judge, clock, cached, reads } = await learning()
    for (let n = 0; n < 3; n++) await watched()
    for (const id of [1, 2, 3]) judge(80, 0, cached(id))
    judge(80, 0, cached(3))
    const seen: number[] = []
    for (let n = 0; n < 4; n++) {
      await clock.advance(n === 0 ? 0 : 50)
      seen.push(new Set(reads.map(([id]) => id)).size)
    }
    expect(seen).toEqual([1, 2, 3, 3])
    expect(reads.length % 3).toBe(0)
    await clock.advance(50)
    expect(clock.pending).toBe(0)
  })

  it('of an account does not wait for all monitors of another', async () => {
    const { watched, judge, clock, cached, reads, monitorCache } = await learning()
    for (let n = 0; n < 5; n++) await watched()
    const peek = monitorCache.peek.bind(monitorCache)
    const other = { ...cached(5), record: { ...cached(5).record, account_id: 2 } }
    monitorCache.peek = (id) => (id === 5 ? other : peek(id))
    for (const id of [1, 2, 3, 4, 5]) judge(80, 0, cached(id))
    await clock.advance(200)
    expect([...new Set(reads.map(([id]) => id))]).toEqual([1, 2, 5, 3, 4])
  })

  it('is not read where nothing warns by it, nor of a monitor that is gone', async () => {
    const { watched, judge, clock, reads } = await learning()
    await watched([], {}, { warn: { response: { above: 5 } } })
    judge(80, 0)
    judge(80, 0, cachedMonitor({ id: 77, common: { warn } }))
    await clock.advance(200)
    expect(reads).toEqual([])
  })

  it('that cannot be read is logged, and read in the next hour', async () => {
    const { watched, judge, clock, logged, fail, reads } = await learning()
    await watched(days(21))
    fail(true)
    judge(80, 0)
    await clock.advance(100)
    const text = 'error: the baseline of a monitor cannot be learned at present: the disk is full'
    expect(logged).toEqual([text])
    fail(false)
    judge(80, 59)
    await clock.advance(59 * MINUTE)
    expect(reads).toEqual([])
    judge(80, 60)
    await clock.settle()
    expect(reads.length).toBeGreaterThan(0)
  })

  it('is learned without the totals and results that cannot be read, which is said once', async () => {
    const { watched, judge, clock, logged, core } = await learning()
    await watched(days(21))
    for (const table of [core.store.hourly, core.store.results]) {
      const list = table.list.bind(table) as (...given: readonly unknown[]) => unknown
      const skip = (given: readonly unknown[]) => given.at(-1) as (error: StorageError) => void
      Object.assign(table, {
        list(...given: readonly unknown[]) {
          skip(given)(new StorageError('Unreadable "latency" in row 5'))
          return list(...given)
        },
      })
    }
    judge(80, 0)
    await clock.settle()
    expect(judge(80, 1)).toMatchObject({ details: { low_ms: expect.any(Number) as number } })
    expect(logged).toEqual([
      'error: totals of an hour or a day cannot be read; they are left out: Unreadable "latency" in row 5',
      'error: a result cannot be read; it is left out: Unreadable "latency" in row 5',
    ])
  })

  it('is not read once the engine stops, which waits for the read that runs', async () => {
    const { watched, judge, clock, baselines, cached, reads } = await learning()
    for (let n = 0; n < 3; n++) await watched()
    for (const id of [1, 2, 3]) judge(80, 0, cached(id))
    await clock.settle()
    const before = reads.length
    await baselines.stop()
    judge(80, 120)
    await clock.advance(1000)
    expect([reads.length, clock.pending]).toEqual([before, 0])
  })
})
