/**
 * Which monitors are stale: their last rounds were inconclusive, or could not be stored, or they are starved, which
 * means that no location has started a check for two intervals. Such a monitor must not be shown as healthy, even if it
 * was up at its last check.
 *
 * A running check counts. The start of a check is known only in the process that runs it; a check of another process
 * is known by its report, and is allowed its `timeout_ms` and five seconds more. Monitors of this process are judged on
 * the monotonic clock, so that setting the wall clock neither hides nor causes starvation. All others are judged by
 * what is stored, so that every engine on a shared store gives the same answer for a monitor.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { isUndecided } from '../../incident/state.ts'
import type { EpochMs } from '../../model.ts'
import { REPORT_SLACK_MS } from '../../probes/transport.ts'
import type { ProbeHost } from '../../probes/transport.ts'
import type { Core } from '../core/core.ts'
import type { SummarySource } from '../views/views.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { createCheckActivity } from './check-activity.ts'
import { createEvaluationQueue } from './evaluation-queue.ts'

/** Intervals without the start of a check. */
const INTERVALS = 2
/** A timer that is later than this indicates a suspended process. */
const LATE_MS = 5_000
/** How long a count is cached, since health is requested without authentication and at any rate. */
const COUNT_MS = 1_000

/** A monitor that became starved, or no longer is. */
export interface StarvationChange {
  readonly cached: CachedMonitor
  readonly starved: boolean
  /** When it was last checked. */
  readonly since: EpochMs
}

export interface Staleness {
  /** `onChange` is called for every monitor that becomes starved, or no longer is. */
  start(onChange: (change: StarvationChange) => void): void
  stop(): void
  /** Tracks a monitor, or continues after it was changed. It has two intervals of grace. */
  track(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A round of this process was stored: its checks are known, and are not judged again by the wall clock. */
  roundStored(cached: CachedMonitor): void
  /** A round of this process ended: it was stored, or could not be. */
  roundEnded(this: void, monitor_id: number, stored: boolean): void
  /** A check of the monitor has started. */
  checkStarted(this: void, monitor_id: number): void
  countingChecks(this: void, run: ProbeHost['run']): ProbeHost['run']
  isStale(this: void, cached: SummarySource): boolean
  /** Stale monitors of this engine. */
  count(this: void): number
}

export interface StalenessOptions {
  readonly core: Core
  readonly monitorCache: Pick<MonitorCache, 'peek' | 'all'>
  /** Checks run in other processes. */
  readonly remote: boolean
}

export function createStaleness({ core, monitorCache, remote }: StalenessOptions): Staleness {
  const { clock, log } = core
  const activity = createCheckActivity(clock)
  // A check does not postpone the evaluation, which then finds the monitor healthy.
  const evaluations = createEvaluationQueue(clock, evaluate)
  /** The last check of each monitor that was reported as starved. */
  const reported = new Map<number, EpochMs>()
  /** Since when no round could be stored, on the monotonic clock. */
  const failingSince = new Map<number, number>()
  let counted = { at: -Infinity, count: 0 }
  let onChange: ((change: StarvationChange) => void) | undefined

  function allowedMs({ record }: SummarySource): number {
    const { interval_sec, timeout_ms } = record.common
    const unseen_ms = remote || !activity.has(record.id) ? timeout_ms + REPORT_SLACK_MS : 0
    return INTERVALS * interval_sec * 1000 + unseen_ms
  }

  function isStarved(cached: SummarySource): boolean {
    return canStarve(cached) && activity.sinceLastCheck(cached.record) > allowedMs(cached)
  }

  function isStale(cached: SummarySource): boolean {
    return isUndecided(cached.record.machine) || isStarved(cached) || cannotBeStored(cached)
  }

  /** The last round that was stored began an interval before the first that could not be. */
  function cannotBeStored(cached: SummarySource): boolean {
    const { id, common } = cached.record
    const since = failingSince.get(id)
    if (since === undefined || !canStarve(cached)) return false
    return clock.monotonic() - since > common.interval_sec * 1000
  }

  function evaluate(id: number, late_ms: number): void {
    const cached = monitorCache.peek(id)
    if (cached === undefined || !activity.has(id)) return
    activity.takeStored(cached.record)
    const since_ms = activity.sinceLastCheck(cached.record)
    // After a suspension nothing is reported: what is due by now may start first.
    const wasSuspended = late_ms > LATE_MS
    if (isStarved(cached) && !wasSuspended && !reported.has(id)) {
      const since = Math.round(clock.now() - since_ms)
      reported.set(id, since)
      report(cached, since, true)
    }
    // Negative for a starved monitor, and for one whose checks a maintenance window pauses.
    const left_ms = allowedMs(cached) - since_ms
    evaluations.set(id, left_ms >= 0 ? left_ms + 1 : allowedMs(cached))
  }

  function report(cached: CachedMonitor, since: EpochMs, starved: boolean): void {
    const about = { monitor_id: cached.record.id, since: iso(since) }
    if (starved)
      log.warn(about, 'a monitor is starved: its checks have not started for two intervals')
    else log.info(about, 'a monitor is checked again')
    onChange?.({ cached, since, starved })
  }

  /** The monitor is checked now: it is no longer starved. */
  function checked(id: number, running: -1 | 0 | 1): void {
    activity.checked(id, running)
    const since = reported.get(id)
    if (since === undefined) return
    reported.delete(id)
    const cached = monitorCache.peek(id)
    if (cached !== undefined) report(cached, since, false)
  }

  return {
    start(listener) {
      onChange = listener
      evaluations.start()
    },
    stop: () => evaluations.stop(),
    track(cached) {
      if (cached.type.checker.push !== undefined) return
      activity.track(cached.record)
      evaluations.set(cached.record.id, allowedMs(cached) + 1)
    },
    forget(id) {
      activity.forget(id)
      failingSince.delete(id)
      reported.delete(id)
      evaluations.delete(id)
    },
    roundStored: ({ record }) => activity.roundStored(record),
    roundEnded(id, stored) {
      if (stored) failingSince.delete(id)
      else if (!failingSince.has(id)) failingSince.set(id, clock.monotonic())
    },
    checkStarted: (id) => checked(id, 0),
    countingChecks: (run) => async (order, signal) => {
      checked(order.monitor_id, 1)
      try {
        return await run(order, signal)
      } finally {
        checked(order.monitor_id, -1)
      }
    },
    isStale,
    count() {
      if (clock.monotonic() - counted.at < COUNT_MS) return counted.count
      let count = 0
      for (const cached of monitorCache.all()) if (isStale(cached)) count++
      counted = { at: clock.monotonic(), count }
      return count
    },
  }
}

/** A push type has no checks, and in these states none is expected. */
function canStarve({ record: { machine, token_hash } }: SummarySource): boolean {
  const { state } = machine
  return token_hash === null && state !== 'paused' && state !== 'maintenance'
}
