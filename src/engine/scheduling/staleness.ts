/**
 * Which monitors are starved: no location has started a check for two intervals. Such a monitor must not be shown as
 * healthy, even if it was up at its last check.
 *
 * A running check counts. The start of a check is known only in the process that runs it; a check of another process
 * is known by its report, and is allowed its `timeout_ms` and five seconds more. Monitors of this process are judged on the monotonic clock, so that
 * setting the wall clock neither hides nor causes starvation. All others are judged by what is stored, so that every
 * engine on a shared store gives the same answer for a monitor.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { Timer } from '../../clock.ts'
import { isUndecided, lastCheckAt, checkTimesOf } from '../../incident/state.ts'
import type { EpochMs } from '../../model.ts'
import type { ProbeHost } from '../../probes/transport.ts'
import type { Core } from '../core/core.ts'
import { dueQueue } from '../../due-queue.ts'
import type { Outlined } from '../views/views.ts'
import type { CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'

/** Intervals without the start of a check. */
const INTERVALS = 2
/** Time for a report to arrive. */
const SLACK_MS = 5_000
/** A timer that is later than this indicates a suspended process. */
const LATE_MS = 5_000
/** How long a count is cached, since health is requested without authentication and at any rate. */
const COUNT_MS = 1_000

/** A monitor that became starved, or no longer is. */
export interface StalenessChange {
  readonly cached: CachedMonitor
  readonly stale: boolean
  /** When it was last checked. */
  readonly since: EpochMs
}

/** The checks of a monitor that this process tracks. */
interface CheckActivity {
  interval_sec: number
  /** The number of running checks. */
  running: number
  /** Monotonic: the last check, here or elsewhere, or the last change of the interval. */
  lastCheck: number
  /** The last checks as stored: see `checkTimesOf`. */
  stored: readonly EpochMs[]
  /** The last check as reported in `starved`; `undefined` while it is not starved. */
  reported_since: EpochMs | undefined
}

export interface Staleness {
  /** `onChange` is called for every monitor that becomes starved, or no longer is. */
  start(onChange: (evaluate: StalenessChange) => void): void
  stop(): void
  /** Tracks a monitor, or continues after it was changed. It has two intervals of grace. */
  track(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A round of this process was stored: its checks are known, and are not judged again by the wall clock. */
  roundStored(cached: CachedMonitor): void
  /** A check of the monitor has started. */
  checkStarted(this: void, monitor_id: number): void
  countingChecks(this: void, run: ProbeHost['run']): ProbeHost['run']
  isStale(this: void, cached: Outlined): boolean
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
  const activities = new Map<number, CheckActivity>()
  let counted = { at: -Infinity, count: 0 }

  /** The next evaluation of each monitor, monotonic. A check does not postpone it: it then finds the monitor healthy. */
  const evaluations = dueQueue()
  let timer: Timer | undefined
  let running = false
  let onChange: ((evaluate: StalenessChange) => void) | undefined

  function arm(): void {
    const first = evaluations.peek()
    if (!running || timer !== undefined || first === undefined) return
    timer = clock.timer(Math.max(0, first.due_at - clock.monotonic()), wake)
  }

  function wake(): void {
    timer = undefined
    const now = clock.monotonic()
    for (
      let next = evaluations.peek();
      next !== undefined && next.due_at <= now;
      next = evaluations.peek()
    ) {
      evaluations.pop()
      evaluate(next.id, now - next.due_at)
    }
    arm()
  }

  /** Evaluates in `ms`. A timer that is set for an earlier time stays. */
  function evaluateIn(id: number, ms: number): void {
    const at = clock.monotonic() + ms
    const first = evaluations.peek()
    evaluations.set(id, at)
    if (first !== undefined && first.due_at > at) {
      timer?.cancel()
      timer = undefined
    }
    arm()
  }

  function allowed_ms({ record }: Outlined): number {
    const { interval_sec, timeout_ms } = record.common
    const unseen_ms = remote || !activities.has(record.id) ? timeout_ms + SLACK_MS : 0
    return INTERVALS * interval_sec * 1000 + unseen_ms
  }

  /** How long ago the last check was, in ms. */
  function sinceLastCheck({ record }: Outlined): number {
    const activity = activities.get(record.id)
    if (activity === undefined) return clock.now() - lastCheckAt(record.machine)
    return activity.running > 0 ? 0 : clock.monotonic() - activity.lastCheck
  }

  /** The monotonic time of a stored check. A time in the future was stored before the clock was set back. */
  function monotonicOf(stored: EpochMs): number {
    return clock.monotonic() - Math.max(0, clock.now() - stored)
  }

  /** Another process may have run checks meanwhile. Each check counts once, by the wall clock at that time. */
  function takeStored(activity: CheckActivity, { record }: CachedMonitor): void {
    const stored = checkTimesOf(record.machine)
    const added = stored.filter((at, i) => at !== activity.stored[i])
    activity.stored = stored
    activity.lastCheck = Math.max(activity.lastCheck, ...added.map(monotonicOf))
  }

  function isStarved(cached: Outlined): boolean {
    return canStarve(cached) && sinceLastCheck(cached) > allowed_ms(cached)
  }

  function canStarve({ record: { machine, token_hash } }: Outlined): boolean {
    const { state } = machine
    return token_hash === null && state !== 'paused' && state !== 'maintenance'
  }

  function isStale(cached: Outlined): boolean {
    return isUndecided(cached.record.machine) || isStarved(cached)
  }

  function evaluate(id: number, late_ms: number): void {
    const [cached, activity] = [monitorCache.peek(id), activities.get(id)]
    if (cached === undefined || activity === undefined) return
    takeStored(activity, cached)
    const starved = isStarved(cached)
    // After a suspension nothing is reported: what is due by now may start first.
    const wasSuspended = late_ms > LATE_MS
    if (starved && !wasSuspended && activity.reported_since === undefined) {
      activity.reported_since = lastChecked(cached)
      report(cached, activity.reported_since, true)
    }
    // Negative for a starved monitor, and for one whose checks a maintenance window pauses.
    const left_ms = allowed_ms(cached) - sinceLastCheck(cached)
    evaluateIn(id, left_ms >= 0 ? left_ms + 1 : allowed_ms(cached))
  }

  function lastChecked(cached: CachedMonitor): EpochMs {
    return Math.round(clock.now() - sinceLastCheck(cached))
  }

  function report(cached: CachedMonitor, since: EpochMs, stale: boolean): void {
    const about = { monitor_id: cached.record.id, since: iso(since) }
    if (stale)
      log.warn(about, 'a monitor is starved: its checks have not started for two intervals')
    else log.info(about, 'a monitor is checked again')
    onChange?.({ cached, since, stale })
  }

  /** The monitor is being checked now. */
  function noteCheck(id: number, activity: CheckActivity): void {
    activity.lastCheck = clock.monotonic()
    const { reported_since } = activity
    activity.reported_since = undefined
    const cached = reported_since === undefined ? undefined : monitorCache.peek(id)
    if (reported_since !== undefined && cached !== undefined) report(cached, reported_since, false)
  }

  function checkStarted(id: number): void {
    const activity = activities.get(id)
    if (activity !== undefined) noteCheck(id, activity)
  }

  function begins(id: number, by: 1 | -1): void {
    const activity = activities.get(id)
    if (activity === undefined) return
    activity.running = Math.max(0, activity.running + by)
    noteCheck(id, activity)
  }

  return {
    start(listener) {
      running = true
      onChange = listener
      arm()
    },
    stop() {
      running = false
      timer?.cancel()
      timer = undefined
    },
    track(cached) {
      const { id, common, machine } = cached.record
      if (cached.type.checker.push !== undefined) return
      const { interval_sec } = common
      const stored = checkTimesOf(machine)
      const activity = activities.get(id) ?? {
        ...{ interval_sec, stored, lastCheck: monotonicOf(lastCheckAt(machine)) },
        ...{ running: 0, reported_since: undefined },
      }
      takeStored(activity, cached)
      if (activity.interval_sec !== interval_sec) activity.lastCheck = clock.monotonic()
      activity.interval_sec = interval_sec
      activities.set(id, activity)
      evaluateIn(id, allowed_ms(cached) + 1)
    },
    forget(id) {
      activities.delete(id)
      evaluations.delete(id)
    },
    roundStored({ record }) {
      const activity = activities.get(record.id)
      if (activity !== undefined) activity.stored = checkTimesOf(record.machine)
    },
    checkStarted,
    countingChecks: (run) => async (order, signal) => {
      begins(order.monitor_id, 1)
      try {
        return await run(order, signal)
      } finally {
        begins(order.monitor_id, -1)
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
