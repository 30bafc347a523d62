/**
 * Totals of a monitor: of a day, and of an hour at one location. Those of an hour are small enough to be written with
 * every round, and can be added.
 *
 * @module
 */

/** Results of one monitor on one UTC day. */
export interface DailyStats {
  readonly monitor_id: number
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly ok: number
  readonly fail: number
  readonly unknown: number
  /** Sum of the response times of the good results, which `latency` counts. */
  readonly ok_ms: number
  /** Good results per latency bucket (see `incident/latency.ts`), bucket number to count. */
  readonly latency: Readonly<Record<string, number>>
}

/** Count, sum, least and greatest value. */
export type FigureTotals = readonly [count: number, sum: number, least: number, greatest: number]

export interface HourCounts {
  /** Checks by verdict. */
  readonly ok: number
  readonly fail: number
  readonly unknown: number
  /** The part of `ok` that was beyond a threshold of `warn`. */
  readonly degraded: number
  /** The response times of the good checks; `null` where none was measured. */
  readonly ok_ms: number
  readonly min_ms: number | null
  readonly max_ms: number | null
  /**
   * The number of a bucket (see `incident/latency.ts`), the count of response times in it, and those of the buckets
   * above it; empty without times. A percentile read from them deviates by at most five percent. They are at most
   * {@link MAX_BUCKETS}, from one to 13,000: what is faster is counted in the lowest one.
   */
  readonly latency: readonly number[]
  /** The sum of each phase of the good checks, in ms. */
  readonly phases: Readonly<Record<string, number>>
  /** What the type charts of its measurements, by their names. */
  readonly figures: Readonly<Record<string, FigureTotals>>
}

export interface HourlyStats extends HourCounts {
  readonly monitor_id: number
  readonly location_id: number
  /** When the hour begins, UTC, in epoch milliseconds. */
  readonly hour: number
}

/** The current hour, per location id. */
export interface CurrentHour {
  readonly hour: number
  readonly locations: Readonly<Record<string, HourCounts>>
}

export const MAX_BUCKETS = 100
/** A type of one's own may name its phases after what it meets. */
const MAX_PHASES = 20

/** Adds two totals of the same hour, or of several hours that one point of a chart stands for. */
export function addHours(a: HourCounts, b: HourCounts): HourCounts {
  return {
    ok: a.ok + b.ok,
    fail: a.fail + b.fail,
    unknown: a.unknown + b.unknown,
    degraded: a.degraded + b.degraded,
    ok_ms: exact(a.ok_ms + b.ok_ms),
    min_ms: extreme(Math.min, a.min_ms, b.min_ms),
    max_ms: extreme(Math.max, a.max_ms, b.max_ms),
    latency: addBuckets(a.latency, b.latency),
    phases: withinPhases(addSums(a.phases, b.phases)),
    figures: addFigures(a.figures, b.figures),
  }
}

function extreme(
  choose: (a: number, b: number) => number,
  a: number | null,
  b: number | null,
): number | null {
  return a === null || b === null ? (a ?? b) : choose(a, b)
}

type Sums = Readonly<Record<string, number>>

function addSums(a: Sums, b: Sums): Sums {
  const sums: Record<string, number> = { ...a }
  for (const name of Object.keys(b)) sums[name] = exact((sums[name] ?? 0) + (b[name] ?? 0))
  return sums
}

function addFigures(a: HourCounts['figures'], b: HourCounts['figures']): HourCounts['figures'] {
  const names = Object.keys(b)
  if (names.length === 0) return a
  const totals: Record<string, FigureTotals> = { ...a }
  for (const name of names) {
    const [known, more] = [a[name], b[name]]
    if (more === undefined) continue
    totals[name] =
      known === undefined
        ? more
        : [
            known[0] + more[0],
            exact(known[1] + more[1]),
            Math.min(known[2], more[2]),
            Math.max(known[3], more[3]),
          ]
  }
  return totals
}

function addBuckets(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  const [low, more] = (a[0] ?? 0) <= (b[0] ?? 0) ? [a, b] : [b, a]
  const [first = 0, start = 0] = [low[0], more[0]]
  const top = Math.max(first + low.length, start + more.length) - 2
  const least = Math.max(first, top - MAX_BUCKETS + 1)
  const sums = low.length - 1 === top - first + 1 && least === first ? [...low] : [least]
  if (sums.length === 1) {
    // By their number: beyond 2^53 the next bucket is the same.
    for (let more = top - least; more >= 0; more--) sums.push(0)
    addInto(sums, low)
  }
  addInto(sums, more)
  return sums
}

function addInto(sums: number[], counts: readonly number[]): void {
  const [least = 0] = sums
  const [first = 0] = counts
  for (let at = 1; at < counts.length; at++) {
    const place = Math.max(0, first + at - 1 - least) + 1
    sums[place] = (sums[place] ?? 0) + (counts[at] ?? 0)
  }
}

function withinPhases(phases: Sums): Sums {
  const names = Object.keys(phases)
  if (names.length <= MAX_PHASES) return phases
  return Object.fromEntries(names.slice(0, MAX_PHASES).map((name) => [name, phases[name] ?? 0]))
}

/** Times are measured to a microsecond: further digits come from adding, and only take space. */
function exact(value: number): number {
  return Math.round(value * 1000) / 1000
}
