/**
 * Which monitors nobody looks at: their checks have not begun for two intervals, at no location. What was up
 * when somebody looked last is then not to be shown as healthy.
 *
 * A check that is under way counts as a look. Of checks made in this process the begin is known; of all others only
 * the report, so that they have their `timeout_ms` and five seconds more. What this process watches is judged on the
 * monotonic clock, so that a wall clock that is set neither hides a neglect nor makes one up. All else is judged by
 * what is stored, so that every engine on a shared store says the same of a monitor, whoever watches it.
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

/** Intervals without the begin of a check. */
const INTERVALS = 2
/** For the way of a report. */
const SLACK_MS = 5_000
/** A turn that comes later than this after its time tells of a process that stood still. */
const LATE_MS = 5_000
/** For how long a count holds: health is asked by strangers, and as often as they like. */
const COUNT_MS = 1_000

/** A monitor that is starved from now on, or no longer. */
export interface Turn {
  readonly cached: CachedMonitor
  readonly stale: boolean
  /** When it was looked at last. */
  readonly since: EpochMs
}

/** What this process has seen of a monitor that it watches. */
interface Sight {
  interval_sec: number
  /** Checks under way. */
  running: number
  /** Monotonic: when somebody looked last, here or elsewhere, or the interval became another. */
  checkBegun: number
  /** What the store told of last: see `looksOf`. */
  stored: readonly EpochMs[]
  /** It was told to be starved, and since when. */
  told: EpochMs | undefined
}

export interface Staleness {
  /** `onTurn` is told of every monitor that is starved from now on, or no longer. */
  start(onTurn: (turn: Turn) => void): void
  stop(): void
  /** Watches a monitor, or goes on after it was changed. The next two intervals are its grace before it is told. */
  watch(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** A round of this process was stored: its looks were seen here, and are not judged by the wall clock as news. */
  stored(cached: CachedMonitor): void
  /** A check has been made of it. */
  checkBegun(this: void, monitor_id: number): void
  countingChecks(this: void, run: ProbeHost['run']): ProbeHost['run']
  isStale(this: void, cached: Outlined): boolean
  count(this: void): number
}

export interface StalenessOptions {
  readonly core: Core
  readonly monitorCache: Pick<MonitorCache, 'peek' | 'all'>
  /** Checks are made in other processes. */
  readonly remote: boolean
}

export function createStaleness({ core, monitorCache, remote }: StalenessOptions): Staleness {
  const { clock, log } = core
  const sights = new Map<number, Sight>()
  let counted = { at: -Infinity, count: 0 }

  /** When each monitor has its next turn, monotonic. A look does not move it: the turn then finds nothing to tell. */
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

  /** `turn` in so many ms. A timer that is set for an earlier one stays. */
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

  /** For how long nobody has looked, in ms. */
  function neglect({ record }: Outlined): number {
    const sight = sights.get(record.id)
    if (sight === undefined) return clock.now() - lastCheckAt(record.machine)
    return sight.running > 0 ? 0 : clock.monotonic() - sight.checkBegun
  }

  /** Of a look that the store tells of, monotonic. One of the future is one of a clock that was set back since. */
  function lookedAt(stored: EpochMs): number {
    return clock.monotonic() - Math.max(0, clock.now() - stored)
  }

  /** Another process may have looked meanwhile. Each look counts once, by the wall clock as it is then. */
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
    // Who stood still does not blame others: whatever is due by now may begin first.
    const stoodStill = late_ms > LATE_MS
    if (starved && !stoodStill && sight.told === undefined) {
      sight.told = lastSeen(cached)
      tell(cached, sight.told, true)
    }
    // Negative for a starved one, and for one whose checks a window of planned work leaves out.
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

  /** Somebody looks at it now. */
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
