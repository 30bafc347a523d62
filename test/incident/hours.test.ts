import { describe, expect, it } from 'vitest'
import { countHour, hourlyOf, hourOf } from '../../src/incident/hours.ts'
import type { Counted } from '../../src/incident/hours.ts'
import type { CurrentHour, HourCounts } from '../../src/model.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12)

const counts = (ok_ms: number): HourCounts => ({
  ...{ ok: 1, fail: 0, unknown: 0, degraded: 0, ok_ms, min_ms: ok_ms, max_ms: ok_ms },
  ...{ latency: [40, 1], phases: {}, figures: {} },
})
const round = (...ms: readonly number[]): Counted[] => ms.map((each, n) => [n + 1, counts(each)])

/** Counts rounds at these minutes after noon, with one location. */
function counted(minutes: readonly number[]) {
  let current: CurrentHour | undefined
  const stored: string[] = []
  for (const minute of minutes) {
    const { hour, finished } = countHour(current, NOON + minute * 60_000, round(100))
    current = hour
    stored.push(...finished.map((row) => `${row.ok} of ${(row.hour - NOON) / HOUR}`))
  }
  return { stored, current: current === undefined ? [] : hourlyOf(current) }
}

describe('the totals of the current hour', () => {
  it.each([
    ['a first round begins it', [5], [], 1],
    ['rounds of the same hour are added', [0, 5, 59], [], 3],
    ['the first round of the next hour returns the one before', [5, 10, 60], ['2 of 0'], 1],
    ['hours without a round are left out', [5, 200, 201], ['1 of 0'], 2],
    ['a round of an earlier hour is returned by itself', [60, 61, 59, 62], ['1 of 0'], 3],
  ])('%s', (_, minutes, stored, ok) => {
    const { stored: seen, current } = counted(minutes)
    expect(seen).toEqual(stored)
    expect(current).toHaveLength(1)
    expect(current[0]?.ok).toBe(ok)
  })

  it('are kept for each location, and added to those before', () => {
    const first = countHour(undefined, NOON, round(10, 200))
    const { hour, finished } = countHour(first.hour, NOON + 1, round(30))
    expect(finished).toEqual([])
    expect(hour?.hour).toBe(NOON)
    expect(hour?.locations['1']).toMatchObject({ ok: 2, ok_ms: 40, min_ms: 10, max_ms: 30 })
    expect(hour?.locations['2']).toEqual(counts(200))
    expect(hourlyOf(hour!)).toEqual([
      { location_id: 1, hour: NOON, ...hour!.locations['1'] },
      { location_id: 2, hour: NOON, ...counts(200) },
    ])
    // What was counted before is not written over: its round may still fail to be stored.
    expect(first.hour?.locations['1']).toEqual(counts(10))
  })

  it('stay as they are where a round counts nothing', () => {
    const { hour } = countHour(undefined, NOON, round(10))
    expect(countHour(hour, NOON + HOUR, [])).toEqual({ hour, finished: [] })
    expect(countHour(undefined, NOON, [])).toEqual({ hour: undefined, finished: [] })
  })
})

it('an hour begins at its first millisecond', () => {
  expect([NOON - 1, NOON, NOON + HOUR - 1, NOON + HOUR].map(hourOf)).toEqual([
    ...[NOON - HOUR, NOON, NOON, NOON + HOUR],
  ])
})
