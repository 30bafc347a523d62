/**
 * The data of the response time chart: for the last day from results, for longer ranges from the daily totals.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import type { ResultView, UptimeView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import { dayText } from '../layout/words.ts'
import type { LatencyPoint } from './latency-chart.ts'
import { DAY_MS } from '../../model/time.ts'

export const RANGES = ['24h', '30d', '90d'] as const
export type Range = (typeof RANGES)[number]

export interface Latency {
  readonly range: Range
  readonly points: readonly LatencyPoint[]
  readonly from: string
  readonly to: string
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
}

const BIN_MS = 15 * 60_000
/**
 * Maximum number of results read for the last day, newest first: three locations every ten seconds would have five
 * times as many.
 */
const ROWS = 5000
const PAGE_ROWS = 1000
/** Maximum number of pages read; a page with long details has fewer rows. */
const PAGES = 20

/** With less than a week of data the last day is shown in full. */
export function usualRange({ days }: UptimeView): Range {
  return days.filter(({ p50_ms }) => p50_ms !== null).length < 7 ? '24h' : '90d'
}

export function latencyOfDays(range: '30d' | '90d', uptime: UptimeView): Latency {
  const points = uptime.days.map(({ date, p50_ms, p95_ms }) => ({
    label: dayText(date),
    p50_ms,
    p95_ms,
  }))
  const { p50_ms, p95_ms, p99_ms } = uptime
  const from = points[0]?.label ?? ''
  return { range, points, from, to: 'Today', p50_ms, p95_ms, p99_ms }
}

export async function latencyOfToday(
  scope: Pick<AccountScope, 'results'>,
  { id, now }: { readonly id: number; readonly now: EpochMs },
): Promise<Latency> {
  const begin = Math.floor((now - DAY_MS) / BIN_MS) * BIN_MS + BIN_MS
  const bins = new Map<number, number[]>()
  const all: number[] = []
  for (const { started_at, response_ms } of await goodOnes(scope, id, begin)) {
    if (response_ms === null) continue
    const bin = Math.floor(Date.parse(started_at) / BIN_MS) * BIN_MS
    const times = bins.get(bin) ?? []
    times.push(response_ms)
    bins.set(bin, times)
    all.push(response_ms)
  }
  const points = Array.from({ length: DAY_MS / BIN_MS }, (_, at) => {
    const times = bins.get(begin + at * BIN_MS) ?? []
    const label = new Date(begin + at * BIN_MS).toISOString().slice(11, 16)
    return { label, p50_ms: percentile(times, 0.5), p95_ms: percentile(times, 0.95) }
  })
  return {
    range: '24h',
    points,
    from: '24 h ago',
    to: 'Now',
    p50_ms: percentile(all, 0.5),
    p95_ms: percentile(all, 0.95),
    p99_ms: percentile(all, 0.99),
  }
}

type Timed = Pick<ResultView, 'started_at' | 'response_ms'>

async function goodOnes(
  scope: Pick<AccountScope, 'results'>,
  id: number,
  from: EpochMs,
): Promise<readonly Timed[]> {
  const found: Timed[] = []
  let after: number | undefined
  for (let page = 0; page < PAGES && found.length < ROWS; page++) {
    const { items, next } = await scope.results.list(id, {
      from,
      verdict: 'ok',
      limit: PAGE_ROWS,
      ...(after === undefined ? {} : { after }),
    })
    found.push(...items.map(({ started_at, response_ms }) => ({ started_at, response_ms })))
    if (next === null) break
    after = next
  }
  return found
}

/** Nearest rank. */
function percentile(times: readonly number[], p: number): number | null {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.ceil(p * sorted.length) - 1] ?? null
}
