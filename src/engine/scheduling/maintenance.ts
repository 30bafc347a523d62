/**
 * Moves monitors into maintenance when one of their windows opens, and out of it when it closes: windows of their own
 * settings, and those of their account.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import { maintenanceAt } from '../../incident/maintenance.ts'
import type { Maintenance } from '../../incident/maintenance.ts'
import type { EpochMs, MaintenanceWindow } from '../../model.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { planChange } from '../rounds/plan-change.ts'
import { withDeadlineReset } from '../rounds/push.ts'
import type { AccountWindows } from '../monitors/account-windows.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'
import type { ChangeBus } from '../monitors/change-bus.ts'
import { createScheduler } from './scheduler.ts'
import { createWindowSchedule } from './window-schedule.ts'

/** Delay before a change of state that could not be stored is retried. */
const RETRY_MS = 5_000
/** Monitors that enter or leave a window per step; with twenty windows each takes half a millisecond. */
const MONITORS_PER_STEP = 20

export interface MaintenanceSchedule {
  start(): void
  stop(): void
  /** Evaluates the windows of a monitor that was created, changed, or resumed. */
  reschedule(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** In maintenance, in a window that pauses checks. */
  skipsChecks(cached: CachedMonitor): boolean
}

export interface MaintenanceOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly accountWindows: AccountWindows
  readonly changeBus: ChangeBus
}

interface Evaluated {
  readonly from: EpochMs
  readonly maintenance: Maintenance
}

/** Not before either: the clock may be set back. */
function holdsAt({ from, maintenance: { changes_at } }: Evaluated, now: EpochMs): boolean {
  return now >= from && now < (changes_at ?? Infinity)
}

export function createMaintenanceSchedule(options: MaintenanceOptions): MaintenanceSchedule {
  const { core, monitorCache, accountWindows, changeBus } = options
  const { clock } = core
  /** Monitors with a window that opens or closes now. */
  const due: number[] = []
  const scheduler = createScheduler({
    clock,
    onDue: switchSoon,
    // Rare windows take long to compute: after a clock that was set, all are computed again in steps.
    dueAfterClockSet: (_id, now) => now,
  })
  /** Cached by the windows of a monitor: rare windows take long to compute, and every change of state needs the result. */
  const evaluated = new WeakMap<readonly MaintenanceWindow[], Evaluated>()
  const windowSchedule = createWindowSchedule({ core, accountWindows, onSwitch: switchMonitorsOf })

  function switchSoon(id: number): void {
    due.push(id)
    if (due.length === 1) void switchDue()
  }

  /** Queues the monitors of these accounts whose state is no longer what their windows say. */
  async function switchMonitorsOf(account_ids: ReadonlySet<number>): Promise<void> {
    let steps = 0
    for (const cached of monitorCache.all()) {
      if (++steps % MONITORS_PER_STEP === 0) await clock.sleep(0)
      if (account_ids.has(cached.record.account_id) && needsSwitch(cached, clock.now()))
        switchSoon(cached.record.id)
    }
  }

  /** Windows of many monitors open in the same minute: processed in steps that yield to the event loop. */
  async function switchDue(): Promise<void> {
    // After this microtask the scheduler has queued all monitors that are due at once.
    await Promise.resolve()
    while (due.length > 0) {
      for (const id of due.slice(0, MONITORS_PER_STEP)) void switchOrRetry(id)
      if (due.length > MONITORS_PER_STEP) await clock.sleep(0)
      due.splice(0, MONITORS_PER_STEP)
    }
  }

  async function switchOrRetry(id: number): Promise<void> {
    try {
      await switchState(id)
    } catch (err) {
      // Removed meanwhile, by itself or with its account.
      if (err instanceof NotFoundError) return
      logError(core, err, 'a maintenance window could not be stored')
      if (monitorCache.peek(id) !== undefined) scheduler.set(id, clock.now() + RETRY_MS)
    }
  }

  async function switchState(id: number): Promise<void> {
    if (monitorCache.peek(id) === undefined) return
    const changed = await monitorCache.change(id, (cached) => planSwitch(cached))
    const after = changed?.after ?? monitorCache.peek(id)
    if (after !== undefined) schedule.reschedule(after)
    if (changed !== null) await changeBus.publish(changed)
  }

  async function planSwitch(cached: CachedMonitor): Promise<Planned | null> {
    const at = clock.now()
    if (!needsSwitch(cached, at)) return null
    const ends = cached.record.machine.state === 'maintenance'
    const kind = ends ? 'maintenance_end' : 'maintenance_start'
    const planned = await planChange({ core, monitorCache }, cached, { event: { kind, at } })
    if (planned === null || !ends) return planned
    return { ...planned, change: { ...planned.change, ...withDeadlineReset(cached, at) } }
  }

  const schedule: MaintenanceSchedule = {
    start() {
      scheduler.start()
      windowSchedule.start()
    },
    stop() {
      scheduler.stop()
      windowSchedule.stop()
      due.length = 0
    },
    reschedule(cached) {
      const at = nextSwitch(cached, clock.now())
      if (at === null) scheduler.delete(cached.record.id)
      else scheduler.set(cached.record.id, at)
    },
    forget: (id) => scheduler.delete(id),
    skipsChecks({ record }) {
      if (record.machine.state !== 'maintenance') return false
      const now = clock.now()
      return ownAt(record, now).skip_checks || accountWindows.at(record, now).skip_checks
    },
  }

  function ownAt({ common }: CachedMonitor['record'], now: EpochMs): Maintenance {
    const before = evaluated.get(common.maintenance)
    if (before !== undefined && holdsAt(before, now)) return before.maintenance
    const maintenance = maintenanceAt(common.maintenance, now, core)
    evaluated.set(common.maintenance, { from: now, maintenance })
    return maintenance
  }

  /**
   * When the state must be evaluated next, `null` if no window of the monitor's own will change it. Those of its account
   * have a schedule of their own.
   */
  function nextSwitch({ record }: CachedMonitor, now: EpochMs): EpochMs | null {
    if (record.machine.state === 'paused') return null
    return needsSwitch({ record }, now) ? now : ownAt(record, now).changes_at
  }

  function needsSwitch({ record }: Pick<CachedMonitor, 'record'>, now: EpochMs): boolean {
    const { state } = record.machine
    if (state === 'paused') return false
    const active = accountWindows.at(record, now).active || ownAt(record, now).active
    return active !== (state === 'maintenance')
  }

  return schedule
}
