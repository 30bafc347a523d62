/**
 * Which monitors are starved: their checks have not started for two intervals, at no location. A monitor that was up
 * at its last check must then not be shown as healthy.
 *
 * A running check counts. The start of checks in this process is known; for others only the report is, so that they
 * have their `timeout_ms` and five more seconds. Monitors of this process are judged on the monotonic clock, so that
 * setting the wall clock neither hides nor causes starvation. All others are judged by what is stored, so that every
 * engine on a shared store gives the same answer for a monitor.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import type { Timer } from '../../clock.ts'
import { isUndecided, lastCheckAt, looksOf } from '../../incident/state.ts'
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
export interface Turn {
  readonly cached: CachedMonitor
  readonly stale: boolean
  /** When it was last checked. */
  readonly since: EpochMs
}

/** What this process knows of a monitor that it watches. */
interface Sight {
  interval_sec: number
  /** The number of running checks. */
  running: number
  /** Monotonic: the last check, here or elsewhere, or the last change of the interval. */
  checkBegun: number
  /** The last checks as stored: see `looksOf`. */
  stored: readonly EpochMs[]
  /** The last check as reported in `starved`; `undefined` while it is not starved. */
  told: EpochMs | undefined
}

export interface Staleness {
  /** `onTurn` is called for every monitor that becomes starved, or no longer is. */
  start(onTurn: (turn: Turn) => void): void
  stop(): void
  /** Watches a monitor, or continues after it was changed. It has two intervals of grace. */
  watch(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A round of this process was stored: its checks are known, and are not judged again by the wall clock. */
  stored(cached: CachedMonitor): void
  /** A check of the monitor has started. */
  checkBegun(this: void, monitor_id: number): void
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
  const sights = new Map<number, Sight>()
  let counted = { at: -Infinity, count: 0 }

  /** The next evaluation of each monitor, monotonic. A check does not postpone it: it then finds the monitor healthy. */
  const turns = dueQueue()
  let timer: Timer | undefined
  let running = false
  let onTurn: ((turn: Turn) => void) | undefined

  function arm(): void {
    const first = turns.peek()
    if (!running || timer !== undefined || first === undefined) return
    timer = clock.timer(Math.max(0, first.due_at - clock.monotonic()), wake)
  }

  function wake(): void {
    timer = undefined
    const now = clock.monotonic()
    for (let next = turns.peek(); next !== undefined && next.due_at <= now; next = turns.peek()) {
      turns.pop()
      turn(next.id, now - next.due_at)
    }
    arm()
  }

  /** Evaluates in `ms`. A timer that is set for an earlier time stays. */
  function turnIn(id: number, ms: number): void {
    const at = clock.monotonic() + ms
    const first = turns.peek()
    turns.set(id, at)
    if (first !== undefined && first.due_at > at) {
      timer?.cancel()
      timer = undefined
    }
    arm()
  }

  function allowance({ record }: Outlined): number {
    const { interval_sec, timeout_ms } = record.common
    const unseen_ms = remote || !sights.has(record.id) ? timeout_ms + SLACK_MS : 0
    return INTERVALS * interval_sec * 1000 + unseen_ms
  }

  /** How long ago the last check was, in ms. */
  function neglect({ record }: Outlined): number {
    const sight = sights.get(record.id)
    if (sight === undefined) return clock.now() - lastCheckAt(record.machine)
    return sight.running > 0 ? 0 : clock.monotonic() - sight.checkBegun
  }

  /** The monotonic time of a stored check. A time in the future was stored before the clock was set back. */
  function lookedAt(stored: EpochMs): number {
    return clock.monotonic() - Math.max(0, clock.now() - stored)
  }

  /** Another process may have run checks meanwhile. Each check counts once, by the wall clock at that time. */
  function hear(sight: Sight, { record }: CachedMonitor): void {
    const stored = looksOf(record.machine)
    const news = stored.filter((at, i) => at !== sight.stored[i])
    sight.stored = stored
    sight.checkBegun = Math.max(sight.checkBegun, ...news.map(lookedAt))
  }

  function isStarved(cached: Outlined): boolean {
    return isWatchable(cached) && neglect(cached) > allowance(cached)
  }

  function isWatchable({ record: { machine, token_hash } }: Outlined): boolean {
    const { state } = machine
    return token_hash === null && state !== 'paused' && state !== 'maintenance'
  }

  function isStale(cached: Outlined): boolean {
    return isUndecided(cached.record.machine) || isStarved(cached)
  }

  function turn(id: number, late_ms: number): void {
    const [cached, sight] = [monitorCache.peek(id), sights.get(id)]
    if (cached === undefined || sight === undefined) return
    hear(sight, cached)
    const starved = isStarved(cached)
    // After a suspension nothing is reported: what is due by now may start first.
    const stoodStill = late_ms > LATE_MS
    if (starved && !stoodStill && sight.told === undefined) {
      sight.told = lastSeen(cached)
      tell(cached, sight.told, true)
    }
    // Negative for a starved monitor, and for one whose checks a maintenance window pauses.
    const left_ms = allowance(cached) - neglect(cached)
    turnIn(id, left_ms >= 0 ? left_ms + 1 : allowance(cached))
  }

  function lastSeen(cached: CachedMonitor): EpochMs {
    return Math.round(clock.now() - neglect(cached))
  }

  function tell(cached: CachedMonitor, since: EpochMs, stale: boolean): void {
    const about = { monitor_id: cached.record.id, since: iso(since) }
    if (stale) log.warn(about, 'a monitor is starved: its checks have not begun for two intervals')
    else log.info(about, 'a monitor is looked at again')
    onTurn?.({ cached, since, stale })
  }

  /** The monitor is being checked now. */
  function seen(id: number, sight: Sight): void {
    sight.checkBegun = clock.monotonic()
    const { told } = sight
    sight.told = undefined
    const cached = told === undefined ? undefined : monitorCache.peek(id)
    if (told !== undefined && cached !== undefined) tell(cached, told, false)
  }

  function checkBegun(id: number): void {
    const sight = sights.get(id)
    if (sight !== undefined) seen(id, sight)
  }

  function begins(id: number, by: 1 | -1): void {
    const sight = sights.get(id)
    if (sight === undefined) return
    sight.running = Math.max(0, sight.running + by)
    seen(id, sight)
  }

  return {
    start(listener) {
      running = true
      onTurn = listener
      arm()
    },
    stop() {
      running = false
      timer?.cancel()
      timer = undefined
    },
    watch(cached) {
      const { id, common, machine } = cached.record
      if (cached.type.checker.push !== undefined) return
      const { interval_sec } = common
      const stored = looksOf(machine)
      const sight = sights.get(id) ?? {
        ...{ interval_sec, stored, checkBegun: lookedAt(lastCheckAt(machine)) },
        ...{ running: 0, told: undefined },
      }
      hear(sight, cached)
      if (sight.interval_sec !== interval_sec) sight.checkBegun = clock.monotonic()
      sight.interval_sec = interval_sec
      sights.set(id, sight)
      turnIn(id, allowance(cached) + 1)
    },
    forget(id) {
      sights.delete(id)
      turns.delete(id)
    },
    stored({ record }) {
      const sight = sights.get(record.id)
      if (sight !== undefined) sight.stored = looksOf(record.machine)
    },
    checkBegun,
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
