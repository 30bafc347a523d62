/**
 * When each monitor is due: by its interval, by its deadline for push types, and earlier if it was changed or another
 * monitor waits for it.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type { EpochMs } from '../../model.ts'
import type { ClockSet } from '../../store/store.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { CachedMonitor, Changed } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import { memoOf, termsOf } from '../rounds/push.ts'
import type { PushMonitors } from '../rounds/push.ts'
import type { Rounds } from '../rounds/rounds.ts'
import type { SummarySource, ScheduleFacts } from '../views/views.ts'
import { firstDueAt, nextDueAt, retryDueAt } from './cadence.ts'
import { createDependencies } from './dependencies.ts'
import { createComposites } from './composites.ts'
import type { MaintenanceSchedule } from './maintenance.ts'
import { createScheduler } from './scheduler.ts'
import type { Staleness } from './staleness.ts'

/**
 * Delay before the next try for a monitor that could not be read, or a missed deadline that could not be judged or
 * stored.
 */
const RETRY_MS = 5_000

/** A push monitor whose alert waits for its parent is judged at least this often: the parent may be paused or removed. */
const WAITING_MS = 300_000

export interface MonitorSchedule {
  /** Starts with the added monitors. */
  start(): void
  /** Starts nothing new. */
  stop(): void
  /** Schedules a monitor that this engine did not run before. */
  add(cached: CachedMonitor): void
  /** Drops a monitor that another engine runs from now on. A check that a caller waits for goes on. */
  release(monitor_id: number): void
  /** Drops a monitor that another process removed, or that went with its account. */
  remove(monitor_id: number): void
  /** Follows what this engine committed: a round, a change of settings or state, a removal. */
  follow(this: void, changed: Changed): void
  /** Schedules a monitor after it was created, or changed by another process. */
  reschedule(cached: CachedMonitor, when: 'now' | 'next'): void
  forget(monitor_id: number): void
  nextDue(monitor_id: number): EpochMs | null
  factsOf(cached: SummarySource): ScheduleFacts
  /** How late the scheduler was at the last due time, in ms; waiting for a free check slot is not in it. */
  readonly lag_ms: number
}

export interface MonitorScheduleOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  /** Whether this engine currently runs the monitor. */
  readonly owns: (monitor_id: number) => boolean
  readonly rounds: Rounds
  readonly push: PushMonitors
  readonly maintenance: MaintenanceSchedule
  readonly staleness: Staleness
  /** The wall clock was set. */
  readonly onClockSet: (set: ClockSet) => void
}

export function createMonitorSchedule(options: MonitorScheduleOptions): MonitorSchedule {
  const { core, monitorCache, owns, rounds, push, maintenance, staleness } = options
  const { clock } = core
  let lag_ms = 0

  const scheduler = createScheduler({
    clock,
    onDue(id, due_at) {
      lag_ms = Math.max(0, clock.now() - due_at)
      monitorCache.get(id).then(
        (cached) => runDue(cached, due_at),
        (err: unknown) => {
          // Removed meanwhile, by itself or with its account.
          if (err instanceof NotFoundError) return
          logError(core, err, 'a due monitor could not be read')
          scheduler.set(id, clock.now() + RETRY_MS)
        },
      )
    },
    onClockSet: options.onClockSet,
    dueAfterClockSet(id, now) {
      const cached = monitorCache.peek(id)
      return cached === undefined ? null : nextAfter(cached, now)
    },
  })
  const dependencies = createDependencies({ monitorCache, onCheckNeeded: checkSoon })
  const composites = createComposites({
    clock,
    monitorCache,
    underWay: rounds.underWay,
    onJudgementNeeded({ record: { id } }, at) {
      scheduler.set(id, Math.min(at, scheduler.dueAt(id) ?? at))
    },
  })

  /** An extra round between two regular ones, for a monitor that a parent or a child waits for. */
  function checkSoon(cached: CachedMonitor): void {
    if (!isPush(cached) || judgedAgainAt(cached) !== null)
      scheduler.set(cached.record.id, clock.now())
  }

  function runDue(cached: CachedMonitor, due_at: EpochMs): void {
    if (!isChecked(cached)) return
    const { id } = cached.record
    const now = clock.now()
    const next = nextAfter(cached, now)
    // A missed deadline stays due until it is judged; after a failure it is not retried at once.
    const not_before = isPush(cached) ? now + RETRY_MS : now
    if (next !== null) scheduler.set(id, Math.max(next, not_before))
    if (isPush(cached)) {
      push
        .judge(cached)
        .catch((err: unknown) => logError(core, err, 'a missed deadline could not be judged'))
      return
    }
    if (!owns(id)) return
    // The previous round has not ended: this one is skipped, not queued.
    if (rounds.underWay(id) || maintenance.skipsChecks(cached)) return
    // No caller waits for it; a failure was logged already.
    void rounds.run(cached, due_at, { deferrable: true }).catch(() => undefined)
  }

  function follow(changed: Changed): void {
    const { before, after, change } = changed
    const { id } = before.record
    if (after === undefined || after.record.machine.state === 'paused') {
      schedule.forget(id)
      rounds.cancel(id, after === undefined ? 'changed' : 'paused')
    } else if (change.settings !== undefined) {
      const startsOver = before.record.machine !== after.record.machine
      // A round with the previous settings does not count: it gives way to a new one.
      const ended = rounds.cancel(id, 'changed')
      schedule.reschedule(after, startsOver || ended ? 'now' : 'next')
    } else if (isInMaintenance(before) !== isInMaintenance(after)) {
      // What was seen in maintenance decides nothing: a round that goes on gives way to a new one.
      if (isInMaintenance(before)) rounds.cancelScheduled(id)
      schedule.reschedule(after, 'now')
    } else if (change.machine !== undefined || change.locations !== undefined) {
      staleness.roundStored(after)
      scheduleNext(after, change.machine?.state === 'confirming')
    }
    dependencies.follow(changed)
    composites.follow(changed)
  }

  /** A monitor of another engine is not scheduled here, though it may be checked or changed here. */
  function isCached(id: number): boolean {
    return monitorCache.peek(id) !== undefined
  }

  function scheduleNext(cached: CachedMonitor, soon: boolean): void {
    const { id, common } = cached.record
    const now = clock.now()
    const at =
      soon && !isPush(cached)
        ? retryDueAt(id, common.interval_sec * 1000, now)
        : nextAfter(cached, now)
    if (at === null || !isChecked(cached) || !isCached(id)) scheduler.delete(id)
    else scheduler.set(id, at)
  }

  function drop(id: number): void {
    schedule.forget(id)
    dependencies.forget(id)
    composites.forget(id)
  }

  const schedule: MonitorSchedule = {
    start() {
      maintenance.start()
      scheduler.start()
    },
    stop() {
      scheduler.stop()
      maintenance.stop()
    },
    add(cached) {
      dependencies.update(cached)
      composites.update(cached)
      maintenance.reschedule(cached)
      if (!isChecked(cached)) return
      staleness.track(cached)
      const at = firstAfter(cached, clock.now())
      if (at !== null) scheduler.set(cached.record.id, at)
    },
    release(id) {
      drop(id)
      // An engine also checks monitors of others on request.
      rounds.cancelScheduled(id)
    },
    remove(id) {
      drop(id)
      rounds.cancel(id, 'changed')
    },
    follow,
    reschedule(cached, when) {
      const { id } = cached.record
      if (!isCached(id)) return
      dependencies.update(cached)
      composites.update(cached)
      maintenance.reschedule(cached)
      staleness.track(cached)
      const due_at = scheduler.dueAt(id)
      scheduleNext(cached, false)
      if (!isChecked(cached)) return
      if (isPush(cached)) {
        if (hasMissedDeadline(cached, clock.now())) scheduler.set(id, clock.now())
      } else if (when === 'now') scheduler.set(id, clock.now())
      // A change of other settings does not delay a check that is due sooner.
      else if (due_at !== undefined && due_at < (scheduler.dueAt(id) ?? due_at))
        scheduler.set(id, due_at)
    },
    forget(id) {
      scheduler.delete(id)
      maintenance.forget(id)
      staleness.forget(id)
    },
    nextDue: (id) => scheduler.dueAt(id) ?? null,
    factsOf: (cached) => ({
      checker: core.registry.get(cached.record.type)?.checker,
      next_due_at: schedule.nextDue(cached.record.id),
      stale: staleness.isStale(cached),
    }),
    get lag_ms() {
      return lag_ms
    },
  }
  return schedule
}

function isPush({ type }: CachedMonitor): boolean {
  return type.checker.push !== undefined
}

function isInMaintenance({ record }: CachedMonitor): boolean {
  return record.machine.state === 'maintenance'
}

/** Deadlines that are earlier than before may lie before the last judgement, and are then not due by themselves. */
function hasMissedDeadline(cached: CachedMonitor, now: EpochMs): boolean {
  if (cached.record.machine.state === 'down') return false
  const due_at = cached.type.checker.push?.dueAt(memoOf(cached), 0, termsOf(cached)) ?? null
  return due_at !== null && due_at <= now
}

/** Deadlines do not apply in maintenance; they start again afterwards. */
function isChecked(cached: CachedMonitor): boolean {
  if (cached.record.machine.state === 'paused') return false
  return !(isInMaintenance(cached) && isPush(cached))
}

function firstAfter(cached: CachedMonitor, now: EpochMs): EpochMs | null {
  const { id, common, machine } = cached.record
  if (isPush(cached)) return nextAfter(cached, now)
  return firstDueAt(id, common.interval_sec * 1000, machine.last_round_at, now)
}

function nextAfter(cached: CachedMonitor, now: EpochMs): EpochMs | null {
  const { id, common, machine } = cached.record
  const { push } = cached.type.checker
  if (push === undefined) return nextDueAt(id, common.interval_sec * 1000, now)
  // From the last judgement, not from now: what became due while the engine was down is due at once.
  const due_at = push.dueAt(memoOf(cached), machine.last_round_at ?? 0, termsOf(cached))
  const times = [due_at, judgedAgainAt(cached)].filter((at) => at !== null)
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * When a push monitor that is down, and whose alert is held back, is judged without a signal or a deadline: only a
 * failing round ends a suppression. `null` for all others.
 */
function judgedAgainAt({ record: { common, machine } }: CachedMonitor): EpochMs | null {
  const reason = machine.incident?.suppression?.reason
  if (machine.state !== 'down' || reason === undefined) return null
  const interval_ms = common.interval_sec * 1000
  const pause_ms = reason === 'dependency' ? Math.min(interval_ms, WAITING_MS) : interval_ms
  return (machine.last_round_at ?? machine.since) + pause_ms
}
