/**
 * Moves monitors into maintenance when one of their windows opens, and out of it when it closes.
 *
 * @module
 */

import { maintenanceAt } from '../../incident/maintenance.ts'
import type { Maintenance } from '../../incident/maintenance.ts'
import type { EpochMs, MaintenanceWindow } from '../../model.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { planChange } from '../rounds/plan-change.ts'
import { withDeadlineReset } from '../rounds/push.ts'
import type { Planned } from '../monitors/cached-monitor.ts'
import type { CommittedChanges } from '../monitors/committed.ts'
import type { CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import { createScheduler } from './scheduler.ts'

/** Delay before a change of state that could not be stored is retried. */
const RETRY_MS = 5_000
/** Monitors that enter or leave a window per step; with twenty windows each takes half a millisecond. */
const AT_ONCE = 20

export interface MaintenancePlan {
  start(): void
  stop(): void
  /** Evaluates the windows of a monitor that was created, changed, or resumed. */
  plan(cached: CachedMonitor): void
  forget(monitor_id: number): void
  /** In maintenance, in a window that pauses checks. */
  skipsChecks(cached: CachedMonitor): boolean
}

export interface MaintenanceOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly committed: CommittedChanges
}

export function createMaintenance({
  core,
  monitorCache,
  committed,
}: MaintenanceOptions): MaintenancePlan {
  const { clock } = core
  /** Monitors with a window that opens or closes now. */
  const due: number[] = []
  const scheduler = createScheduler({
    clock,
    onDue(id) {
      due.push(id)
      if (due.length === 1) void turnAll()
    },
    onJump: (id, now) => {
      const cached = monitorCache.peek(id)
      return cached === undefined ? null : nextTurn(cached, now)
    },
  })

  /** Windows of many monitors open in the same minute: processed in steps that yield to the event loop. */
  async function turnAll(): Promise<void> {
    // By then all that are due in this turn of the scheduler are in the queue.
    await Promise.resolve()
    while (due.length > 0) {
      for (const id of due.slice(0, AT_ONCE)) void turnOrRetry(id)
      if (due.length > AT_ONCE) await clock.sleep(0)
      due.splice(0, AT_ONCE)
    }
  }

  async function turnOrRetry(id: number): Promise<void> {
    try {
      await turn(id)
    } catch (err) {
      logError(core, err, 'a maintenance window could not be stored')
      if (monitorCache.peek(id) !== undefined) scheduler.set(id, clock.now() + RETRY_MS)
    }
  }

  async function turn(id: number): Promise<void> {
    if (monitorCache.peek(id) === undefined) return
    const changed = await monitorCache.change(id, (cached) => turned(cached))
    const after = changed?.after ?? monitorCache.peek(id)
    if (after !== undefined) plan.plan(after)
    if (changed !== null) await committed.publish(changed)
  }

  async function turned(cached: CachedMonitor): Promise<Planned | null> {
    const at = clock.now()
    if (!isWrong(cached, at)) return null
    const ends = cached.record.machine.state === 'maintenance'
    const kind = ends ? 'maintenance_end' : 'maintenance_start'
    const planned = await planChange({ core, monitorCache }, cached, { event: { kind, at } })
    if (planned === null || !ends) return planned
    return { ...planned, change: { ...planned.change, ...withDeadlineReset(cached, at) } }
  }

  const plan: MaintenancePlan = {
    start: () => scheduler.start(),
    stop() {
      scheduler.stop()
      due.length = 0
    },
    plan(cached) {
      const at = nextTurn(cached, clock.now())
      if (at === null) scheduler.delete(cached.record.id)
      else scheduler.set(cached.record.id, at)
    },
    forget: (id) => scheduler.delete(id),
    skipsChecks: ({ record: { machine, common } }) =>
      machine.state === 'maintenance' && look(common.maintenance, clock.now()).skip_checks,
  }
  function look(windows: readonly MaintenanceWindow[], now: EpochMs): Maintenance {
    return maintenanceAt(windows, now, core)
  }

  /** When the state must be evaluated next, `null` if no window will change it. */
  function nextTurn({ record: { machine, common } }: CachedMonitor, now: EpochMs): EpochMs | null {
    if (machine.state === 'paused') return null
    const { active, changes_at } = look(common.maintenance, now)
    return active === (machine.state === 'maintenance') ? changes_at : now
  }

  function isWrong({ record: { machine, common } }: CachedMonitor, now: EpochMs): boolean {
    if (machine.state === 'paused') return false
    return look(common.maintenance, now).active !== (machine.state === 'maintenance')
  }

  return plan
}
