/**
 * The records of a round: results, states per location, and the totals of the day.
 *
 * @module
 */

import { responseOf } from '../../checkers/checker.ts'
import { bucketOf } from '../../incident/latency.ts'
import type { Cause } from '../../incident/transition.ts'
import type { CheckReport, DailyStats, EpochMs, LocationState } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import type { CachedMonitor } from '../monitors/monitor-cache.ts'
import { dayOf } from '../../model/time.ts'

/** What one location reported in one round. */
export interface Reported {
  readonly location_id: number
  readonly report: CheckReport
  readonly lag_ms: number
  /** A threshold of `warn` that it crosses. */
  readonly warning?: Cause
}

export function roundRecords(
  cached: CachedMonitor,
  reports: readonly Reported[],
  round: EpochMs,
): Pick<Change, 'results' | 'locations' | 'daily'> {
  if (reports.length === 0) return {}
  return {
    results: reports.map(({ location_id, report: { outcome }, lag_ms }) => ({
      ...outcome,
      location_id,
      round,
      started_at: Date.parse(outcome.started_at),
      lag_ms,
    })),
    locations: reports.map((reported) => locationState(cached, reported)),
    daily: reports.map(({ report: { outcome } }) => dailyStats(cached, outcome, round)),
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
  round: EpochMs,
): Omit<DailyStats, 'monitor_id'> {
  const { verdict } = outcome
  const good = verdict === 'ok'
  const response_ms = good ? responseOf(checker, outcome) : null
  return {
    day: dayOf(round),
    ok: good ? 1 : 0,
    fail: verdict === 'fail' ? 1 : 0,
    unknown: verdict === 'unknown' ? 1 : 0,
    ok_ms: response_ms ?? 0,
    latency: response_ms === null ? {} : { [bucketOf(response_ms)]: 1 },
  }
}
