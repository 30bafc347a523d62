/**
 * The records of a round: results, states per location, and the totals of the day and of the hour.
 *
 * @module
 */

import { chartedFigures } from '../../checkers/charts.ts'
import { responseOf } from '../../checkers/response-time.ts'
import { countHour } from '../../incident/hours.ts'
import type { Hours } from '../../incident/hours.ts'
import { bucketOf, roundedMs } from '../../incident/latency.ts'
import type { Cause } from '../../incident/transition.ts'
import type {
  CheckReport,
  DailyStats,
  EpochMs,
  FigureTotals,
  HourCounts,
  LocationState,
} from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { dayOf } from '../../model/time.ts'

/** What one location reported in one round. */
export interface Reported {
  readonly location_id: number
  readonly report: CheckReport
  readonly lag_ms: number
  /** A threshold of `warn` that it crosses. */
  readonly warning?: Cause
  /** It says neither that the monitor is degraded nor that it is not. */
  readonly unclear?: boolean
}

export function roundRecords(
  cached: CachedMonitor,
  reports: readonly Reported[],
  tick: EpochMs,
): Pick<Change, 'results' | 'locations' | 'daily'> {
  if (reports.length === 0) return {}
  return {
    results: reports.map(({ location_id, report: { outcome }, lag_ms }) => ({
      location_id,
      round: tick,
      lag_ms,
      ...outcome,
      started_at: Date.parse(outcome.started_at),
    })),
    locations: reports.map((reported) => locationState(cached, reported)),
    daily: reports.map(({ report: { outcome } }) => dailyStats(cached, outcome, tick)),
  }
}

function locationState(cached: CachedMonitor, { location_id, report }: Reported): LocationState {
  const before = cached.locations.get(location_id)
  const { outcome, memo } = report
  const fails = before?.consecutive_fails ?? 0
  return {
    monitor_id: cached.record.id,
    location_id,
    last: outcome,
    consecutive_fails:
      outcome.verdict === 'fail' ? fails + 1 : outcome.verdict === 'ok' ? 0 : fails,
    memo: memo ?? before?.memo ?? null,
  }
}

function dailyStats(
  { type: { checker } }: CachedMonitor,
  outcome: CheckReport['outcome'],
  tick: EpochMs,
): Omit<DailyStats, 'monitor_id'> {
  const { verdict } = outcome
  const good = verdict === 'ok'
  const response_ms = good ? responseOf(checker, outcome) : null
  return {
    day: dayOf(tick),
    ok: good ? 1 : 0,
    fail: verdict === 'fail' ? 1 : 0,
    unknown: verdict === 'unknown' ? 1 : 0,
    ok_ms: response_ms ?? 0,
    latency: response_ms === null ? {} : { [bucketOf(response_ms)]: 1 },
  }
}

/** The current hour with this round in it, and the hour before once it is over. */
export function roundHours(
  cached: CachedMonitor,
  reports: readonly Reported[],
  tick: EpochMs,
): Hours {
  const counted = reports.map(
    (reported) => [reported.location_id, hourCounts(cached, reported)] as const,
  )
  return countHour(cached.record.machine.hour, tick, counted)
}

function hourCounts(
  { type: { checker } }: CachedMonitor,
  { report: { outcome }, warning }: Reported,
): HourCounts {
  const { verdict, phases, details } = outcome
  const good = verdict === 'ok'
  const response_ms = good ? responseOf(checker, outcome) : null
  const ms = response_ms === null ? null : roundedMs(response_ms)
  const figures: Record<string, FigureTotals> = {}
  for (const name of chartedFigures(checker)) {
    const value = details[name]
    if (typeof value === 'number' && Number.isFinite(value))
      figures[name] = [1, value, value, value]
  }
  return {
    ok: good ? 1 : 0,
    fail: verdict === 'fail' ? 1 : 0,
    unknown: verdict === 'unknown' ? 1 : 0,
    degraded: warning === undefined ? 0 : 1,
    ok_ms: ms ?? 0,
    min_ms: ms,
    max_ms: ms,
    latency: response_ms === null ? [] : [bucketOf(response_ms), 1],
    phases: good ? { ...phases } : {},
    figures,
  }
}
