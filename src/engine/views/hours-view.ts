/**
 * Hourly totals as charts read them: hours of one step and locations added up.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { countsOf, percentiles, roundedMs } from '../../incident/latency.ts'
import { addHours } from '../../model/totals.ts'
import type {
  Availability,
  AvailabilityChange,
  EpochMs,
  HourCounts,
  HourlyStats,
} from '../../model.ts'
import { HOUR_MS } from '../../model/time.ts'
import type {
  AvailabilitySpan,
  HoursView,
  LocationTotals,
  StepTotals,
  TotalsView,
} from '../api/hours.ts'

/** Maximum number of spans: more would not be told apart in a chart. */
const MAX_SPANS = 1000

const NONE: HourCounts = {
  ok: 0,
  fail: 0,
  unknown: 0,
  degraded: 0,
  ok_ms: 0,
  min_ms: null,
  max_ms: null,
  latency: [],
  phases: {},
  figures: {},
}

/** Totals of a period, by location. */
interface Sum {
  readonly locations: Map<number, HourCounts>
}

interface HoursRead {
  /** Begin of the first step. */
  readonly from: EpochMs
  readonly to: EpochMs
  readonly step_hours: number
  /** Several of the same hour and location are added up. */
  readonly hours: readonly HourlyStats[]
  /** In order. */
  readonly changes: readonly AvailabilityChange[]
}

/** When the step of a time begins: steps begin with UTC days. */
export function stepOf(at: EpochMs, step_hours: number): EpochMs {
  const step_ms = step_hours * HOUR_MS
  return Math.floor(at / step_ms) * step_ms
}

/** A hundred days of many locations take a second: `yieldIfLong` is awaited before each part of the work. */
export async function hoursView(
  { from, to, step_hours, hours, changes }: HoursRead,
  yieldIfLong: () => Promise<void>,
): Promise<HoursView> {
  const steps = new Map<EpochMs, Sum>()
  const all: Sum = { locations: new Map() }
  for (const stats of hours) {
    await yieldIfLong()
    const at = stepOf(stats.hour, step_hours)
    const step = steps.get(at) ?? { locations: new Map() }
    steps.set(at, step)
    count(step, stats)
  }
  const views: StepTotals[] = []
  for (const [at, sum] of [...steps].sort(([a], [b]) => a - b)) {
    await yieldIfLong()
    for (const [location_id, counts] of sum.locations) count(all, { ...counts, location_id })
    views.push({ at: iso(at), ...totalsOf(sum) })
  }
  const { locations, ...overall } = totalsOf(all)
  return {
    from: iso(from),
    to: iso(to),
    step_hours,
    overall,
    locations,
    steps: views,
    spans: spansOf(changes, from, to),
  }
}

function count({ locations }: Sum, counts: HourCounts & Pick<HourlyStats, 'location_id'>): void {
  const known = locations.get(counts.location_id)
  locations.set(counts.location_id, known === undefined ? counts : addHours(known, counts))
}

function totalsOf({
  locations,
}: Sum): TotalsView & { readonly locations: readonly LocationTotals[] } {
  const each = [...locations].sort(([a], [b]) => a - b)
  return {
    ...totalsView(each.reduce((sum, [, counts]) => addHours(sum, counts), NONE)),
    locations: each.map(([location_id, counts]) => ({ location_id, ...totalsView(counts) })),
  }
}

function totalsView(counts: HourCounts): TotalsView {
  const { ok, fail, unknown, degraded, ok_ms, min_ms, max_ms, latency } = counts
  const timed = latency.slice(1).reduce((sum, times) => sum + times, 0)
  const [p50 = null, p95 = null, p99 = null] = percentiles(countsOf(latency), [0.5, 0.95, 0.99])
  // The middle of a bucket may lie beyond the times that are in it.
  const within = (ms: number | null): number | null =>
    ms === null ? null : Math.min(max_ms ?? ms, Math.max(min_ms ?? ms, ms))
  return {
    ok,
    fail,
    unknown,
    degraded,
    avg_ms: timed === 0 ? null : roundedMs(ok_ms / timed),
    min_ms,
    max_ms,
    p50_ms: within(p50),
    p95_ms: within(p95),
    p99_ms: within(p99),
    phases: valuesOf(counts.phases, (sum) => roundedMs(sum / Math.max(1, ok))),
    figures: valuesOf(counts.figures, ([times, sum, min, max]) => ({
      avg: Math.round((sum / times) * 1000) / 1000,
      min,
      max,
    })),
  }
}

function valuesOf<A, B>(
  record: Readonly<Record<string, A>>,
  to: (value: A) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
}

/** The newest. Without the time before the first change, of which nothing is known. */
function spansOf(
  changes: readonly AvailabilityChange[],
  from: EpochMs,
  to: EpochMs,
): readonly AvailabilitySpan[] {
  const spans: AvailabilitySpan[] = []
  let next = to
  for (let index = changes.length - 1; index >= 0 && spans.length < MAX_SPANS; index--) {
    const { at = to, availability = 'up' } = changes[index] ?? {}
    const begin = Math.max(at, from)
    const end = Math.min(next, to)
    next = at
    if (isSpecial(availability) && end > begin)
      spans.push({ availability, from: iso(begin), to: iso(end) })
  }
  return spans.reverse()
}

function isSpecial(availability: Availability): availability is AvailabilitySpan['availability'] {
  return availability !== 'up'
}
