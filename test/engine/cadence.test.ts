/** When a monitor is checked: on a grid of its own, and spread over time after an absence. */
import { describe, expect, it } from 'vitest'
import { firstDueAt, nextDueAt, retryDueAt } from '../../src/engine/scheduling/cadence.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const MINUTE = 60_000
const IDS = Array.from({ length: 1000 }, (_, n) => n + 1)
/** Where the monitor stands within so many milliseconds. */
const phase = (id: number, within: number): number => nextDueAt(id, within, -1)

describe('the ticks of a monitor', () => {
  it('are an interval apart, and the next one is strictly later', () => {
    for (const id of [1, 2, 77, 123_456]) {
      const first = nextDueAt(id, MINUTE, NOW)
      expect(first).toBeGreaterThan(NOW)
      expect(first).toBeLessThanOrEqual(NOW + MINUTE)
      expect(nextDueAt(id, MINUTE, first - 1)).toBe(first)
      expect(nextDueAt(id, MINUTE, first)).toBe(first + MINUTE)
      expect(first % MINUTE).toBe(phase(id, MINUTE))
    }
  })

  it('are the same at every location, at another engine and after an update', () => {
    expect([1, 2, 3, 1000, 2_000_000_000].map((id) => phase(id, MINUTE))).toEqual([
      23_449, 59_461, 36_751, 53_467, 10_778,
    ])
  })

  it('spread the load evenly over the interval', () => {
    const phases = IDS.map((id) => phase(id, MINUTE))
    expect(Math.min(...phases)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...phases)).toBeLessThan(MINUTE)
    for (let from = 0; from < MINUTE; from += MINUTE / 10) {
      const tenth = phases.filter((at) => at >= from && at < from + MINUTE / 10)
      expect(tenth.length).toBeGreaterThan(60)
      expect(tenth.length).toBeLessThan(140)
    }
  })
})

describe('the first check after a start', () => {
  const after = (last_round_at: number | null, interval_ms = 10 * MINUTE) =>
    IDS.slice(0, 20).map((id) => firstDueAt(id, interval_ms, last_round_at, NOW) - NOW)
  const within = (ms: number) => IDS.slice(0, 20).map((id) => phase(id, ms))

  it('of a monitor without any begins within 10 s, or within its interval', () => {
    expect(after(null)).toEqual(within(10_000))
    expect(after(null, 2000)).toEqual(within(2000))
  })

  it('that is not overdue is on the grid', () => {
    for (const id of IDS.slice(0, 20)) {
      const tick = nextDueAt(id, 10 * MINUTE, NOW)
      expect(firstDueAt(id, 10 * MINUTE, tick - 10 * MINUTE, NOW)).toBe(tick)
      expect(firstDueAt(id, 10 * MINUTE, NOW, NOW)).toBe(tick)
    }
  })

  it('that is overdue by less than 30 s begins within 5 s, else within a minute', () => {
    for (const id of IDS.slice(0, 20)) {
      const tick = nextDueAt(id, 10 * MINUTE, NOW)
      const begins = (overdue_ms: number) =>
        firstDueAt(id, 10 * MINUTE, tick - 1, tick + overdue_ms) - tick - overdue_ms
      expect([0, 29_999].map(begins)).toEqual(Array(2).fill(phase(id, 5000)))
      expect([30_000, 9 * MINUTE].map(begins)).toEqual(Array(2).fill(phase(id, MINUTE)))
    }
  })

  it('that is overdue begins within its interval where that is shorter', () => {
    for (const id of IDS.slice(0, 20)) {
      expect(firstDueAt(id, 3000, NOW - 60 * MINUTE, NOW) - NOW).toBe(phase(id, 3000))
    }
  })

  it('begins soon where the last one lies in the future: the clock was set back', () => {
    expect(after(NOW + 60 * MINUTE)).toEqual(within(MINUTE))
    expect(after(NOW + 1, 5000)).toEqual(within(5000))
  })
})

describe('a check that is to confirm a failure', () => {
  it.each([
    [60 * MINUTE, 15 * MINUTE],
    [MINUTE, 15_000],
    [40_000, 10_000],
    [20_000, 10_000],
    [5000, 5000],
  ])('with an interval of %i ms comes after %i ms', (interval_ms, wait_ms) => {
    // Just behind a tick, so that the next one is later.
    const now = nextDueAt(1, interval_ms, NOW)
    expect(retryDueAt(1, interval_ms, now)).toBe(now + wait_ms)
  })

  it('comes with the next tick where that is sooner', () => {
    const tick = nextDueAt(1, 60 * MINUTE, NOW)
    expect(retryDueAt(1, 60 * MINUTE, tick - 1000)).toBe(tick)
  })
})
