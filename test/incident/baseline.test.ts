import { describe, expect, it } from 'vitest'
import {
  bandOf,
  hoursNeeded,
  LEARNED_MS,
  learned,
  medianOf,
  placeIn,
  troubledHours,
  usualHour,
} from '../../src/incident/baseline.ts'
import type { UsualHour } from '../../src/incident/baseline.ts'
import { usualAt, warningOf } from '../../src/incident/warn.ts'
import type { HourlyStats } from '../../src/model.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A Monday at 00:00 UTC. */
const MONDAY = Date.UTC(2026, 0, 5)
const NOW = MONDAY + 28 * DAY

const at = (day: number, hour: number) => MONDAY + day * DAY + hour * HOUR

/** 28 days of hours, each as the test says; `null` is an hour without checks. */
function hours(slowAt: (day: number, hour: number) => number | null, days = 28): UsualHour[] {
  const all: UsualHour[] = []
  for (let day = 28 - days; day < 28; day++)
    for (let hour = 0; hour < 24; hour++) {
      const slow = slowAt(day, hour)
      if (slow !== null) all.push({ hour: at(day, hour), fast: slow / 2, slow })
    }
  return all
}

const highAt = (history: readonly UsualHour[], hour: number): number =>
  bandOf(learned(history, NOW), NOW + hour * HOUR)!.high

describe('what is usual', () => {
  it.each<[string, (day: number, hour: number) => number, number, number]>([
    ['steady', () => 200, 12, 260],
    ['a local network: never less than 25 ms above', () => 3, 12, 28],
    ['a day with its busy hours', (_, hour) => (hour < 12 ? 100 : 400), 6, 130],
    ['the same day when it is busy', (_, hour) => (hour < 12 ? 100 : 400), 18, 520],
    ['the hour before a busy one', (_, hour) => (hour < 12 ? 100 : 400), 11, 520],
    ['the hour after a busy one', (_, hour) => (hour < 12 ? 400 : 100), 12, 520],
    ['a job on Mondays at three', (d, h) => (d % 7 === 0 && h === 3 ? 2000 : 200), 3, 2600],
    ['the same hour on Tuesdays', (d, h) => (d % 7 === 0 && h === 3 ? 2000 : 200), 27, 260],
    ['one Monday of four', (day, hour) => (day === 7 && hour === 3 ? 2000 : 200), 3, 260],
    ['a week of trouble', (day) => (day >= 21 ? 2000 : 200), 12, 260],
    [
      'more than a quarter of the days: a lasting change',
      (day) => (day > 19 ? 900 : 200),
      12,
      1170,
    ],
    ['every other day', (day) => (day % 2 === 0 ? 200 : 300), 12, 390],
    ['it varies by itself', (day) => 200 + 10 * day, 12, 400 + 70 * 3.5 * 1.4826],
  ])('%s', (_, slowAt, hour, high) => {
    expect(highAt(hours(slowAt), hour)).toBeCloseTo(high, 0)
  })

  it('is from what a tenth of the checks stays below, at the fastest of the hours beside each other', () => {
    const busy = hours((_, hour) => (hour < 12 ? 100 : 400))
    const lowAt = (hour: number) => bandOf(learned(busy, NOW), NOW + hour * HOUR)?.low
    expect([lowAt(6), lowAt(11), lowAt(12), lowAt(18)]).toEqual([50, 50, 50, 200])
  })

  it.each([
    [6, 260],
    [7, 2600],
  ])('is also what the hour beside it takes, once that was seen on %d days', (days, high) => {
    // Each of these days is another day of the week.
    const slow = (day: number, hour: number) => (hour !== 3 ? 200 : day < days ? 2000 : null)
    expect(highAt(hours(slow), 4)).toBe(high)
  })

  it.each([
    [1, 260],
    [2, 2600],
  ])(
    'is also what the same hour of the week takes, once that was seen in %d weeks',
    (weeks, high) => {
      const slow = (day: number, hour: number) =>
        day % 7 !== 0 || hour !== 3 ? 200 : day < 7 * weeks ? 2000 : null
      expect(highAt(hours(slow), 3)).toBe(high)
    },
  )

  it.each([
    [6, 1170],
    [7, 260],
  ])('is that of all hours where its own was seen on %d days', (days, high) => {
    const slow = (day: number, hour: number) =>
      hour < 2 || hour > 4 ? 900 : hour !== 3 || day < days ? 200 : null
    expect(highAt(hours(slow), 3)).toBe(high)
  })

  it('is known for a day, and not where it was learned too long ago', () => {
    const baseline = learned(
      hours(() => 200),
      NOW,
    )
    expect(baseline).toMatchObject({ hours: 672, weeks: 4 })
    for (const hour of [-1, 0, 24, 29])
      expect(bandOf(baseline, NOW + hour * HOUR)).toEqual({ low: 100, high: 260 })
    for (const hour of [-2, 30, 1000]) expect(bandOf(baseline, NOW + hour * HOUR)).toBeUndefined()
    expect(learned([], NOW)).toMatchObject({ hours: 0, weeks: 0 })
    expect(bandOf(learned([], NOW), NOW)).toBeUndefined()
  })

  it('is of all hours where a monitor seldom meets the same one', () => {
    const seldom = hours((day, hour) => ((day * 24 + hour) % 7 === 0 ? 200 : null))
    expect(seldom).toHaveLength(96)
    expect(highAt(seldom, 5)).toBe(260)
  })

  it('needs two weeks of four, or as many checks as were made in them', () => {
    expect(LEARNED_MS).toBe(28 * DAY)
    expect([10, 60, 3600, 7200, 86_400, 172_800].map(hoursNeeded)).toEqual([
      ...[336, 336, 336, 168, 14, 14],
    ])
  })
})

describe('an hour', () => {
  const stats = (change: Partial<HourlyStats> = {}): HourlyStats => ({
    ...{ monitor_id: 1, location_id: 1, hour: MONDAY, ok: 100, fail: 0, unknown: 0, degraded: 0 },
    ...{ ok_ms: 0, min_ms: null, max_ms: null, phases: {}, figures: {} },
    // 20 checks of 100 ms, 60 of 121 ms, 20 of 190 ms.
    latency: [49, 20, 0, 60, 0, 0, 0, 0, 20],
    ...change,
  })

  it('is learned from by what most of its checks took', () => {
    const { fast, slow } = usualHour(stats(), new Map())!
    expect([fast / 100, slow / 200]).toEqual([expect.closeTo(1, 1), expect.closeTo(1, 1)])
  })

  it.each<[string, Partial<HourlyStats>, number, boolean]>([
    ['without a time', { latency: [] }, 0, false],
    ['with buckets and no time in them', { latency: [49, 0, 0] }, 0, false],
    ['a tenth of its checks failed', { ok: 90, fail: 10 }, 0, true],
    ['more of them failed', { ok: 89, fail: 11 }, 0, false],
    ['a tenth failed and half could not be measured', { ok: 40, fail: 10, unknown: 50 }, 0, true],
    ['down or in maintenance for six minutes', {}, 6, true],
    ['down or in maintenance for longer', {}, 7, false],
  ])('%s', (_, change, minutes, isLearned) => {
    const troubled = new Map([[MONDAY, minutes * 60_000]])
    expect(usualHour(stats(change), troubled) !== undefined).toBe(isLearned)
  })

  it('knows how much of it was down or in maintenance', () => {
    const minute = (count: number) => MONDAY + count * 60_000
    const changes = [
      { at: minute(-600), availability: 'down' },
      { at: minute(10), availability: 'up' },
      { at: minute(50), availability: 'maintenance' },
      { at: minute(130), availability: 'unknown' },
      { at: minute(140), availability: 'degraded' },
      { at: minute(150), availability: 'paused' },
      { at: minute(170), availability: 'down' },
    ] as const
    const found = troubledHours(changes, MONDAY, minute(180))
    expect([...found].map(([hour, ms]) => [(hour - MONDAY) / HOUR, ms / 60_000])).toEqual([
      ...[
        [0, 20],
        [1, 60],
        [2, 20],
      ],
    ])
  })
})

describe('a response time', () => {
  it.each([
    [90, 'within'],
    [180, 'within'],
    [181, 'near'],
    [260, 'near'],
    [260.1, 'beyond'],
    [5, 'within'],
  ])('%f ms of a usual 100 to 260 ms is %s', (value, place) => {
    expect(placeIn({ low: 100, high: 260 }, value)).toBe(place)
  })

  it('is judged by the median: the lower one of two', () => {
    expect(medianOf([9, 1, 5])).toBe(5)
    expect(medianOf([9, 1, 5, 7])).toBe(5)
  })

  const usual = (latest: readonly number[], days = 28) =>
    usualAt(
      {
        latest,
        interval_sec: 60,
        baseline: learned(
          hours(() => 200, days),
          NOW,
        ),
      },
      NOW,
    )

  it('warns by the median of the last seven checks, and says why', () => {
    const beyond = usual([190, 200, 841, 842.4567, 843, 900, 9000])
    expect(warningOf({ response: 'baseline' }, () => null, beyond)).toEqual({
      cause_code: 'warn_baseline',
      cause_text: 'response is 842 ms; usual at this hour 100 to 260 ms (4 weeks)',
      facts: { figure: 'response', value: 842.457, checks: 7, low: 100, high: 260, weeks: 4 },
    })
    expect(beyond).toMatchObject({ details: { low_ms: 100, high_ms: 260 } })
    const outliers = usual([200, 200, 200, 200, 9000, 9000, 9000])
    expect(outliers).toMatchObject({ place: 'near', value: 200 })
    expect(warningOf({ response: 'baseline' }, () => 9000, outliers)).toBeUndefined()
    expect(usual([9000, 9000, 9000, 9000, 9000, 9000])).toMatchObject({ place: 'unclear' })
  })

  it('is not judged before there are two weeks of hours', () => {
    expect(usual([9000, 9000, 9000, 9000, 9000, 9000, 9000], 13)).toEqual({
      place: 'learning',
      details: { text: 'learning, 312 of 336 hours', hours: 312, hours_needed: 336 },
    })
    expect(usual([200, 200, 200, 200, 200, 200, 200], 14)).toMatchObject({ place: 'near' })
    const unread = { latest: [1, 2, 3], interval_sec: 60, baseline: undefined }
    expect(usualAt(unread, NOW)).toEqual({ place: 'unclear' })
  })

  it('is not judged by what was learned too long ago', () => {
    const all = hours(() => 200)
    const latest = [9000, 9000, 9000, 9000, 9000, 9000, 9000]
    const times = { latest, interval_sec: 60, baseline: learned(all, NOW) }
    expect(usualAt(times, NOW + 2 * DAY)).toEqual({ place: 'unclear' })
  })

  it('is shown to a tenth below ten milliseconds; what was learned in a week says so', () => {
    const local = { latest: Array<number>(7).fill(60), interval_sec: 86_400 }
    const baseline = learned(
      hours(() => 6.5, 7),
      NOW,
    )
    const beyond = usualAt({ ...local, baseline }, NOW)
    expect(warningOf({ response: 'baseline' }, () => null, beyond)?.cause_text).toBe(
      'response is 60 ms; usual at this hour 3.3 to 32 ms (1 week)',
    )
  })

  it('leaves the other figures as they are', () => {
    const warn = { response: 'baseline', load: { above: 5 } } as const
    expect(warningOf(warn, () => 7, usual([]))).toMatchObject({ cause_code: 'warn_above' })
    expect(warningOf(warn, () => 5)).toBeUndefined()
  })
})
