/**
 * Response times in buckets that grow by a tenth, so that a day's percentiles are kept in a few numbers
 * and days can be added up. A percentile read from them is off by at most five percent.
 *
 * @module
 */

const GROWTH = Math.log(1.1)

/** Below a microsecond everything is one bucket. */
const LEAST_MS = 0.001

/** Bucket 0 ends at one millisecond; those below it are negative. */
export function bucketOf(ms: number): number {
  // Without the sign of a zero, which would be another key.
  return Math.ceil(Math.log(Math.max(LEAST_MS, ms)) / GROWTH) || 0
}

/** Days together. */
export function addCounts(
  days: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> {
  const sum: Record<string, number> = {}
  for (const day of days) {
    for (const bucket of Object.keys(day)) sum[bucket] = (sum[bucket] ?? 0) + (day[bucket] ?? 0)
  }
  return sum
}

/**
 * For each share (0 to 1) the value below which that much of the counted times lies, in ms; `null` where none was
 * counted.
 */
export function percentiles(
  counts: Readonly<Record<string, number>>,
  shares: readonly number[],
): (number | null)[] {
  const buckets = Object.keys(counts).sort((a, b) => Number(a) - Number(b))
  const times = buckets.map((bucket) => counts[bucket] ?? 0)
  const total = times.reduce((sum, count) => sum + count, 0)
  return shares.map((p) => {
    let seen = 0
    const index = times.findIndex((count) => (seen += count) >= p * total)
    return total === 0 || index === -1 ? null : middleOf(Number(buckets[index]))
  })
}

function middleOf(bucket: number): number {
  return roundedMs(Math.exp((bucket - 0.5) * GROWTH))
}

/** To a tenth of a millisecond, and below one to a thousandth: round trips at home are as short. */
export function roundedMs(ms: number): number {
  const parts = ms < 1 ? 1000 : 10
  return Math.round(ms * parts) / parts
}

/** How many times were counted. */
export function countOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
