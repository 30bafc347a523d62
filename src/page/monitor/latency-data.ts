/**
 * The data of the response time chart: up to a day from results, for longer ranges from the daily totals. It begins
 * when the monitor was created.
 *
 * @module
 */

import type { AccountScope } from '../../engine/api/engine.ts'
import type { ResultView, UptimeView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import { counted, dayText, durationText } from '../layout/words.ts'
import type { LatencyPoint } from './latency-chart.ts'
import { DAY_MS } from '../../model/time.ts'

export const RANGES = ['1h', '24h', '7d', '30d', '90d'] as const
export type Range = (typeof RANGES)[number]
type DayRange = Exclude<Range, '1h' | '24h'>

/** The median of one location per point. */
export interface LocationLine {
  readonly location_id: number
  readonly p50_ms: readonly (number | null)[]
}

export interface Latency {
  readonly range: Range
  readonly points: readonly LatencyPoint[]
  /** The times of the first and behind the last point. */
  readonly begin: EpochMs
  readonly end: EpochMs
  readonly from: string
  readonly to: string
  readonly p50_ms: number | null
  readonly p95_ms: number | null
  readonly p99_ms: number | null
  /** `null` for ranges of days, whose totals do not have it. */
  readonly max_ms: number | null
  /** With several locations, and up to a day. */
  readonly locations: readonly LocationLine[]
  /** How many results were read, if there are more than are read for a chart. */
  readonly read: number | undefined
}

const MINUTE_MS = 60_000
const BINS: Readonly<Record<'1h' | '24h', { readonly bin_ms: number; readonly bins: number }>> = {
  '1h': { bin_ms: MINUTE_MS, bins: 60 },
  '24h': { bin_ms: 15 * MINUTE_MS, bins: 96 },
}
/**
 * Maximum number of results read, newest first: three locations every ten seconds would have five times as many in a
 * day. A chart of fewer says so.
 */
const ROWS = 5000
const PAGE_ROWS = 1000
/** Maximum number of pages read; a page with long details has fewer rows. */
const PAGES = 20

/** With less than a week of data the last day is shown in full. */
export function usualRange({ days }: UptimeView): Range {
  return days.filter(({ p50_ms }) => p50_ms !== null).length < 7 ? '24h' : '90d'
}

export function latencyOfDays(range: DayRange, uptime: UptimeView, created_at: string): Latency {
  const days = uptime.days.filter(({ date }) => date >= created_at.slice(0, 10))
  const points = days.map(({ date, p50_ms, p95_ms, down_sec }) => ({
    label: dayText(date),
    p50_ms,
    p95_ms,
    failed: down_sec > 0 ? `${durationText(down_sec)} of downtime` : undefined,
  }))
  const { p50_ms, p95_ms, p99_ms } = uptime
  const begin = Date.parse(days[0]?.date ?? uptime.from)
  return {
    ...{ range, points, p50_ms, p95_ms, p99_ms, begin },
    ...{ from: points[0]?.label ?? '', to: 'Today', end: begin + days.length * DAY_MS },
    ...{ max_ms: null, locations: [], read: undefined },
  }
}

interface ResultsAsk {
  readonly id: number
  readonly now: EpochMs
  readonly range: '1h' | '24h'
  readonly created_at: string
}

export async function latencyOfResults(
  scope: Pick<AccountScope, 'results'>,
  { id, now, range, created_at }: ResultsAsk,
): Promise<Latency> {
  const { bin_ms, bins } = BINS[range]
  const binOf = (at: EpochMs): EpochMs => Math.floor(at / bin_ms) * bin_ms
  const earliest = binOf(now) - (bins - 1) * bin_ms
  const { results, complete } = await resultsSince(scope, id, earliest)
  const oldest = results.at(-1)
  const limit = complete || oldest === undefined ? 0 : binOf(Date.parse(oldest.started_at)) + bin_ms
  const begin = Math.max(earliest, binOf(Date.parse(created_at)), limit)
  const count = Math.round((binOf(now) - begin) / bin_ms) + 1
  const shown = results.filter(({ started_at }) => Date.parse(started_at) >= begin)
  const binned = (some: readonly Timed[]): readonly (readonly Timed[])[] => {
    const all: Timed[][] = Array.from({ length: count }, () => [])
    for (const each of some) all[(binOf(Date.parse(each.started_at)) - begin) / bin_ms]?.push(each)
    return all
  }
  const points = binned(shown).map((some, at) => pointOf(some, begin + at * bin_ms))
  const all = timesOf(shown)
  const places = [...new Set(shown.map(({ location_id }) => location_id))].sort((a, b) => a - b)
  return {
    ...{ range, points, begin, end: begin + count * bin_ms },
    from: begin > earliest ? timeText(begin) : range === '1h' ? '1 h ago' : '24 h ago',
    to: 'Now',
    p50_ms: percentile(all, 0.5),
    p95_ms: percentile(all, 0.95),
    p99_ms: percentile(all, 0.99),
    max_ms: percentile(all, 1),
    locations: (places.length < 2 ? [] : places).map((location_id) => ({
      location_id,
      p50_ms: binned(shown.filter((each) => each.location_id === location_id)).map((some) =>
        percentile(timesOf(some), 0.5),
      ),
    })),
    read: complete ? undefined : results.length,
  }
}

function pointOf(some: readonly Timed[], at: EpochMs): LatencyPoint {
  const times = timesOf(some)
  const fails = some.filter(({ verdict }) => verdict === 'fail').length
  return {
    label: timeText(at),
    p50_ms: percentile(times, 0.5),
    p95_ms: percentile(times, 0.95),
    max_ms: percentile(times, 1),
    failed: fails === 0 ? undefined : `${counted(fails, 'check')} failed`,
  }
}

function timeText(at: EpochMs): string {
  return new Date(at).toISOString().slice(11, 16)
}

type Timed = Pick<ResultView, 'started_at' | 'response_ms' | 'location_id' | 'verdict'>

/** Of the checks that succeeded. */
function timesOf(some: readonly Timed[]): readonly number[] {
  return some.flatMap(({ verdict, response_ms: ms }) =>
    verdict === 'ok' && ms !== null ? [ms] : [],
  )
}

interface ResultsRead {
  /** Newest first. */
  readonly results: readonly Timed[]
  readonly complete: boolean
}

async function resultsSince(
  scope: Pick<AccountScope, 'results'>,
  id: number,
  from: EpochMs,
): Promise<ResultsRead> {
  const results: Timed[] = []
  let after: number | undefined
  for (let page = 0; page < PAGES && results.length < ROWS; page++) {
    const { items, next } = await scope.results.list(id, {
      from,
      limit: PAGE_ROWS,
      ...(after === undefined ? {} : { after }),
    })
    for (const { started_at, response_ms, location_id, verdict } of items)
      results.push({ started_at, response_ms, location_id, verdict })
    if (next === null) return { results, complete: true }
    after = next
  }
  return { results, complete: false }
}

/** Nearest rank. */
function percentile(times: readonly number[], p: number): number | null {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.ceil(p * sorted.length) - 1] ?? null
}
