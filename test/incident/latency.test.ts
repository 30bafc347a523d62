import { describe, expect, it } from 'vitest'
import {
  addCounts,
  bucketOf,
  countOf,
  countsOf,
  percentileOfHour,
  percentiles,
  roundedMs,
} from '../../src/incident/latency.ts'

/** The counts of these times. */
function counted(...times: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const ms of times) counts[bucketOf(ms)] = (counts[bucketOf(ms)] ?? 0) + 1
  return counts
}

describe('buckets of response times', () => {
  it.each([
    [1, 0],
    [0.95, 0],
    [1.05, 1],
    [1.1, 1],
    [1.15, 2],
    [0.9, -1],
    [1000, 73],
  ])('%f ms is in bucket %i', (ms, bucket) => {
    expect(Object.is(bucketOf(ms), bucket)).toBe(true)
  })

  it('times below a microsecond share one', () => {
    expect(bucketOf(0)).toBe(bucketOf(0.001))
    expect(bucketOf(0.002)).toBeGreaterThan(bucketOf(0.001))
  })
})

describe('percentiles', () => {
  it.each([0.005, 0.1, 0.99, 1, 3, 120, 15_000])('of one time, %f ms, is that time', (ms) => {
    const [p50 = null] = percentiles(counted(ms), [0.5])
    expect(Math.abs(p50! - ms) / ms).toBeLessThan(0.051)
  })

  it('are in the order of the times, not of the texts of their buckets', () => {
    // Buckets -24, 0, 8, 25, 49, 73.
    const times = [0.1, 1, 2, 10, 100, 1000]
    const shares = times.map((_, index) => (index + 1) / times.length)
    percentiles(counted(...times), shares).forEach((value, index) => {
      expect(Math.abs(value! - times[index]!) / times[index]!).toBeLessThan(0.051)
    })
  })

  it('are in that order also of two times, the longer one first', () => {
    const [p50, p100] = percentiles({ 8: 1, '-8': 1 }, [0.5, 1])
    expect(p50).toBeLessThan(1)
    expect(p100).toBeGreaterThan(1)
  })

  it('are the value that the share does not exceed', () => {
    const counts = counted(...Array<number>(99).fill(10), 5000)
    const [p50, p99, p100] = percentiles(counts, [0.5, 0.99, 1])
    expect(p50).toBeCloseTo(10, 0)
    expect(p99).toBe(p50)
    expect(p100).toBeGreaterThan(4700)
  })

  it('are null without counts', () => {
    expect(percentiles({}, [0.5, 0.99])).toEqual([null, null])
    expect(percentiles({ 5: 0 }, [0.5])).toEqual([null])
  })

  it('of several days are those of all their times', () => {
    const days = [counted(5, 5, 80), {}, counted(5, 900)]
    expect(addCounts(days)).toEqual(counted(5, 5, 80, 5, 900))
    expect(addCounts([])).toEqual({})
    expect(countOf(addCounts(days))).toBe(5)
    expect(countOf({})).toBe(0)
  })
})

describe('the times of an hour', () => {
  it('are buckets from the lowest on, of which those without a time are left out', () => {
    expect(countsOf([-2, 3, 0, 0, 1])).toEqual({ '-2': 3, 1: 1 })
    expect(countsOf([49, 1])).toEqual({ 49: 1 })
    expect(countsOf([])).toEqual({})
  })

  it.each([
    ['many', [49, 20, 0, 60, 0, 0, 0, 0, 20]],
    ['two', [-3, 1, 1]],
    ['one', [73, 1]],
    ['none', [73, 0, 0]],
    ['no bucket', []],
  ])('have the percentiles of their counts: %s', (_, latency) => {
    const shares = [0, 0.1, 0.2, 0.5, 0.8, 0.81, 1]
    expect(shares.map((share) => percentileOfHour(latency, share))).toEqual(
      percentiles(countsOf(latency), shares),
    )
  })
})

describe('a time that is shown', () => {
  it.each([
    [0.12345, 0.123],
    [0.9996, 1],
    [1, 1],
    [1.26, 1.3],
    [1234.56, 1234.6],
  ])('%f ms as %f', (ms, shown) => {
    expect(roundedMs(ms)).toBe(shown)
  })
})
