/**
 * The data of a monitor's charts: an hour from results, a day from results where there are few and from hourly totals
 * where there are many, longer ranges from hourly totals. They begin when the monitor was created.
 *
 * @module
 */

import type { AccountScope, TypeView } from '../../engine/api/engine.ts'
import type { AvailabilitySpan } from '../../engine/api/hours.ts'
import type { MonitorView, UptimeDay, UptimeView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import { DAY_MS, dayOf, HOUR_MS } from '../../model/time.ts'
import { stepsOfHours, stepsOfResults } from './ranges.ts'
import type { Range, Steps } from './ranges.ts'
import { binned, resultsSince, totalsOf } from './result-totals.ts'
import type { StepTotals } from './result-totals.ts'

export interface ChartData extends Steps {
  readonly range: Range
  /** One per step; `undefined`: nothing was checked in it. */
  readonly totals: readonly (StepTotals | undefined)[]
  readonly overall: Pick<StepTotals, 'p50_ms' | 'p95_ms' | 'p99_ms' | 'max_ms'>
  readonly spans: readonly AvailabilitySpan[]
  /** Neighbouring checks are at most this many steps apart: beyond it there is a gap. */
  readonly reach: number
  /** How many results were read, if there are more than are read for a chart. */
  readonly read: number | undefined
}

interface ChartQuery {
  readonly monitor: Pick<MonitorView, 'id' | 'created_at' | 'interval_sec' | 'locations'>
  readonly type: TypeView | undefined
  readonly range: Range
  readonly now: EpochMs
  /** Of at least the range: hours from before there were hourly totals are taken from its days. */
  readonly uptime: Pick<UptimeView, 'days' | 'p50_ms' | 'p95_ms' | 'p99_ms'>
}

type Scope = Pick<AccountScope, 'results'> & {
  readonly monitors: Pick<AccountScope['monitors'], 'hours'>
}

/** A day of more results is charted from its hours, which are exact and read in an instant. */
const RESULTS_OF_DAY = 1500
/** An hour of more results has the newest of them. */
const RESULTS_OF_HOUR = 5000
/** A step without a check is no gap while the next one is not overdue. */
const OVERDUE = 1.5
/** The share of the distances between checks that the usual one is not below. */
const USUAL = 0.75

export async function chartData(scope: Scope, query: ChartQuery): Promise<ChartData> {
  const { monitor, range } = query
  if (range === '1h') return ofResults(scope, query, RESULTS_OF_HOUR)
  if (range !== '24h') return ofHours(scope, query)
  const locations = Math.max(1, monitor.locations.length)
  if ((DAY_MS / 1000 / monitor.interval_sec) * locations > RESULTS_OF_DAY)
    return ofHours(scope, query)
  // A shorter interval before, or many repeated checks, may have made more of them.
  const few = await ofResults(scope, query, RESULTS_OF_DAY * 2)
  return few.read === undefined ? few : ofHours(scope, query)
}

async function ofResults(
  scope: Scope,
  { monitor, type, range, now }: ChartQuery,
  most: number,
): Promise<ChartData> {
  const { id } = monitor
  const steps = stepsOfResults(range === '1h' ? range : '24h', now, Date.parse(monitor.created_at))
  const { begin } = steps
  const { results, complete } = await resultsSince(scope, { id, from: begin, most })
  const { spans } = await scope.monitors.hours(id, { from: begin })
  const oldest = results.at(-1)
  // The step in which reading ended is not whole.
  const cut =
    complete || oldest === undefined
      ? 0
      : Math.floor((Date.parse(oldest.round) - begin) / steps.step_ms) + 1
  const kept: Steps = {
    begin: begin + cut * steps.step_ms,
    step_ms: steps.step_ms,
    count: Math.max(1, steps.count - cut),
  }
  const bins = binned(results, kept)
  const totals = bins.map((bin) => (bin.length === 0 ? undefined : totalsOf(bin, type)))
  return {
    ...{ range, ...kept, totals, spans },
    reach: reachOf(totals, { ...monitor, ...kept }),
    overall: totalsOf(bins.flat(), type),
    read: complete ? undefined : results.length,
  }
}

async function ofHours(
  scope: Scope,
  { monitor, range, now, uptime }: ChartQuery,
): Promise<ChartData> {
  const steps = stepsOfHours(range, now, Date.parse(monitor.created_at))
  const view = await scope.monitors.hours(monitor.id, {
    from: steps.begin,
    step_hours: steps.step_ms / HOUR_MS,
  })
  const known = new Map(view.steps.map((step) => [Date.parse(step.at), step]))
  const first = dayOf(Date.parse(view.steps[0]?.at ?? new Date(now).toISOString()))
  const days = new Map(
    range === '24h'
      ? []
      : uptime.days.filter(({ date }) => date < first).map((day) => [day.date, day]),
  )
  const totals = Array.from({ length: steps.count }, (_, index) => {
    const at = steps.begin + index * steps.step_ms
    return known.get(at) ?? ofDay(days.get(dayOf(at)))
  })
  const { p50_ms, p95_ms, p99_ms } = uptime
  const older = [...days.values()].some(({ checks }) => checks > 0)
  return {
    ...{ range, ...steps, totals, spans: view.spans },
    reach: reachOf(totals, { ...monitor, ...steps }),
    // The maximum of days from before there were hourly totals is not known.
    overall: older ? { p50_ms, p95_ms, p99_ms, max_ms: null } : view.overall,
    read: undefined,
  }
}

/**
 * Checks that are rarer than steps leave steps without a check, which is no gap: neither by the interval as it is now,
 * nor where it was longer for a good part of the time.
 */
export function reachOf(
  totals: readonly unknown[],
  { interval_sec, step_ms }: { readonly interval_sec: number; readonly step_ms: number },
): number {
  const checked = totals.flatMap((step, at) => (step === undefined ? [] : [at]))
  const apart = checked.slice(1).map((at, index) => at - (checked[index] ?? 0))
  apart.sort((a, b) => a - b)
  const usual = apart[Math.ceil(USUAL * apart.length) - 1] ?? 1
  return Math.max(1, Math.floor(OVERDUE * Math.max(usual, (interval_sec * 1000) / step_ms)))
}

/** A day from before there were hourly totals: each step in it has the figures of the whole day. */
function ofDay(day: UptimeDay | undefined): StepTotals | undefined {
  if (day === undefined || day.checks === 0) return undefined
  const { checks, avg_ms, p50_ms, p95_ms, p99_ms } = day
  return {
    ...{ ok: checks, fail: 0, unknown: 0, degraded: 0, avg_ms, p50_ms, p95_ms, p99_ms },
    ...{ min_ms: null, max_ms: null, phases: {}, figures: {}, locations: [] },
  }
}
