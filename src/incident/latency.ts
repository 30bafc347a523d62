/**
 * Response times in buckets that grow by a tenth, so that a day's percentiles are kept in a few numbers
 * and days can be added up. A percentile read from them is off by at most five percent.
 *
 * @module
 */

const GROWTH = Math.log(1.1)

/** Below one millisecond everything is bucket 0. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / GROWTH)
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
 * counted. Buckets are whole numbers, and JavaScript keeps such keys in rising order.
 */
export function percentiles(
  counts: Readonly<Record<string, number>>,
  shares: readonly number[],
): (number | null)[] {
  const buckets = Object.keys(counts)
  const times = Object.values(counts)
  const total = times.reduce((sum, count) => sum + count, 0)
  return shares.map((p) => {
    let seen = 0
    const index = times.findIndex((count) => (seen += count) >= p * total)
    return total === 0 || index === -1 ? null : middleOf(Number(buckets[index]))
  })
}

function middleOf(bucket: number): number {
  return Math.round(Math.exp((bucket - 0.5) * GROWTH) * 10) / 10
}
