import { describe, expect, it } from 'vitest'
import {
  addSeconds,
  lastDays,
  NO_SECONDS,
  secondsBetween,
  secondsFrom,
  secondsOfDays,
  uptimePercent,
} from '../../src/incident/uptime.ts'
import type { Availability, AvailabilityChange } from '../../src/model.ts'

const none = { up: 0, degraded: 0, down: 0, unknown: 0, paused: 0, maintenance: 0 }
const DAY = 86_400

/** `10 up, 30 down`: changes at these seconds. */
function changes(text: string): AvailabilityChange[] {
  return text.split(', ').map((change) => {
    const [at, availability] = change.split(' ')
    return { monitor_id: 1, at: Number(at) * 1000, availability: availability as Availability }
  })
}

describe('the seconds of a span', () => {
  it.each([
    ['10 up, 30 down, 40 up', 0, 100, { unknown: 10, up: 80, down: 10 }],
    ['10 up, 30 down, 40 up', 35, 60, { up: 20, down: 5 }],
    ['10 up, 30 down, 40 up', 15, 35, { up: 15, down: 5 }],
    ['10 up, 30 paused, 40 maintenance', 20, 50, { up: 10, paused: 10, maintenance: 10 }],
    ['10 up, 30 degraded, 40 up', 20, 60, { up: 40, degraded: 10 }],
    ['10 up', 0, 5, { unknown: 5 }],
    ['10 up', 10, 20, { up: 10 }],
  ])('%s, from %i to %i', (text, from, to, seconds) => {
    expect(secondsBetween(changes(text), from * 1000, to * 1000)).toEqual({ ...none, ...seconds })
  })

  it('are whole, add up, and are never negative', () => {
    expect(secondsFrom(999, 1000)).toBe(1)
    expect(secondsFrom(1000, 1999)).toBe(0)
    expect(secondsFrom(0, 700) + secondsFrom(700, 1400)).toBe(secondsFrom(0, 1400))
    expect(secondsFrom(5000, 1000)).toBe(0)
  })
})

describe('the seconds of days', () => {
  it('are those of each day, with the state that the day before left', () => {
    const text = `10 up, ${DAY - 5} down, ${DAY} up, ${2 * DAY + 7} down, ${4 * DAY} up`
    const begins = [0, 1, 2, 3, 4].map((day) => day * DAY * 1000)
    expect(secondsOfDays(changes(text), begins, (4 * DAY + 60) * 1000)).toEqual([
      { ...none, unknown: 10, up: DAY - 15, down: 5 },
      { ...none, up: DAY },
      { ...none, up: 7, down: DAY - 7 },
      { ...none, down: DAY },
      { ...none, up: 60 },
    ])
  })

  it('begin with the last of many changes before the first day', () => {
    const text = '1 up, 2 down, 3 up, 4 down, 5 paused'
    const [day] = secondsOfDays(changes(text), [DAY * 1000], 2 * DAY * 1000)
    expect(day).toEqual({ ...none, paused: DAY })
  })

  it('are unknown without changes', () => {
    expect(secondsOfDays([], [0], DAY * 1000)).toEqual([{ ...none, unknown: DAY }])
  })

  it('are added kind by kind', () => {
    const a = { up: 1, degraded: 6, down: 2, unknown: 3, paused: 4, maintenance: 5 }
    const b = { up: 10, degraded: 60, down: 20, unknown: 30, paused: 40, maintenance: 50 }
    const sum = { up: 11, degraded: 66, down: 22, unknown: 33, paused: 44, maintenance: 55 }
    expect(addSeconds(a, b)).toEqual(sum)
    expect(addSeconds(NO_SECONDS, a)).toEqual(a)
  })
})

describe('percent', () => {
  it.each([
    [0, 0, null],
    [10, 0, 100],
    [0, 10, 0],
    [1, 2, 33.3333],
    [2, 1, 66.6666],
    // A second in a year.
    [31_535_999, 1, 99.9999],
  ])('%i s up, %i s down: %f', (up, down, percent) => {
    expect(uptimePercent({ up, down })).toBe(percent)
  })
})

describe('the last days', () => {
  it('begin at midnight UTC and end with today', () => {
    const now = Date.parse('2026-03-02T13:00:00Z')
    expect(lastDays(now, 3).map((at) => new Date(at).toISOString())).toEqual([
      '2026-02-28T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
    ])
  })
})
