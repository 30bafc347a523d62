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
    for (const [bucket, count] of Object.entries(day)) sum[bucket] = (sum[bucket] ?? 0) + count
  }
  return sum
}

/** For each share (0 to 1) the value below which that much of the counted times lies, in ms; `null` where none was counted. */
export function percentiles(
  counts: Readonly<Record<string, number>>,
  shares: readonly number[],
): (number | null)[] {
  const buckets = Object.entries(counts)
    .map(([bucket, count]) => [Number(bucket), count] as const)
    .sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  return shares.map((p) => {
    let seen = 0
    const found = buckets.find(([, count]) => (seen += count) >= p * total)
    return total === 0 || found === undefined ? null : middleOf(found[0])
  })
}

function middleOf(bucket: number): number {
  return Math.round(Math.exp((bucket - 0.5) * GROWTH) * 10) / 10
}
