/**
 * Response times in buckets that grow by ten percent, so that a day's percentiles need a few numbers and days can be
 * added. A percentile computed from them deviates by at most five percent.
 *
 * @module
 */

const GROWTH = Math.log(1.1)

/** Times below a microsecond share one bucket. */
const LEAST_MS = 0.001

/** Bucket 0 ends at one millisecond; shorter times have negative buckets. */
export function bucketOf(ms: number): number {
  // `|| 0` turns -0 into 0, since they would be two keys.
  return Math.ceil(Math.log(Math.max(LEAST_MS, ms)) / GROWTH) || 0
}

/** The buckets of an hour by their numbers, as {@link percentiles} takes them. */
export function countsOf([lowest = 0, ...counts]: readonly number[]): Record<string, number> {
  const named: Record<string, number> = {}
  for (const [at, count] of counts.entries()) if (count > 0) named[lowest + at] = count
  return named
}

/** Adds the counts of several days. */
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
 * For each share (0 to 1) the value in ms that this share of the counted times does not exceed; `null` without
 * counts.
 */
export function percentiles(
  counts: Readonly<Record<string, number>>,
  shares: readonly number[],
): (number | null)[] {
  const buckets = bucketsOf(counts)
  let total = 0
  for (const bucket of buckets) total += counts[bucket] ?? 0
  if (total === 0) return shares.map(() => null)
  return shares.map((share) => {
    let seen = 0
    for (const bucket of buckets) {
      seen += counts[bucket] ?? 0
      if (seen >= share * total) return middleOf(bucket)
    }
    return null
  })
}

/** In ascending order. Integers from zero on are the first keys of an object, and in order. */
function bucketsOf(counts: Readonly<Record<string, number>>): readonly number[] {
  const buckets: number[] = []
  let inOrder = true
  for (const name of Object.keys(counts)) {
    const bucket = Number(name)
    if (bucket < (buckets.at(-1) ?? -Infinity)) inOrder = false
    buckets.push(bucket)
  }
  return inOrder ? buckets : buckets.sort((a, b) => a - b)
}

/** The same of one hour (`latency` of its totals), without a table of its buckets. */
export function percentileOfHour(latency: readonly number[], share: number): number | null {
  let total = 0
  for (let at = 1; at < latency.length; at++) total += latency[at] ?? 0
  let seen = 0
  for (let at = 1; at < latency.length; at++) {
    seen += latency[at] ?? 0
    if (total > 0 && seen >= share * total) return middleOf((latency[0] ?? 0) + at - 1)
  }
  return null
}

function middleOf(bucket: number): number {
  return roundedMs(Math.exp((bucket - 0.5) * GROWTH))
}

/**
 * Rounded to a tenth of a millisecond, below one to a thousandth, since round trips in a local network are that
 * short.
 */
export function roundedMs(ms: number): number {
  const parts = ms < 1 ? 1000 : 10
  return Math.round(ms * parts) / parts
}

/** The number of counted times. */
export function countOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
