/**
 * Puts monitors under maintenance when a window of theirs opens, and back to work when it closes.
 *
 * @module
 */

import { maintenanceAt } from '../../incident/maintenance.ts'
import type { Maintenance } from '../../incident/maintenance.ts'
import type { EpochMs, MaintenanceWindow } from '../../model.ts'
import type { Change } from '../../store/store.ts'
import { complain } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { interpret } from '../rounds/plan-change.ts'
import { rearmed } from '../rounds/push.ts'
import type { Changed, Entry, Roster } from '../monitors/monitor-cache.ts'
import { createScheduler } from './scheduler.ts'

/** A change of state that could not be stored is tried again after this. */
const RETRY_MS = 5_000
/** Monitors that enter or leave a window at once; with twenty windows each takes half a millisecond. */
const AT_ONCE = 20

export interface MaintenancePlan {
  start(): void
  stop(): void
  /** Looks at the windows of a monitor anew: it was made, changed, or resumed. */
  plan(entry: Entry): void
  forget(monitor_id: number): void
  /** Under maintenance, in a window that asks for no checks. */
  skipsChecks(entry: Entry): boolean
}

export interface MaintenanceOptions {
  readonly core: Core
  readonly roster: Roster
  /** A monitor has entered maintenance or left it. */
  readonly onChanged: (changed: Changed) => void
}

export function createMaintenance({
  core,
  roster,
  onChanged,
}: MaintenanceOptions): MaintenancePlan {
  const { clock, zones } = core
  /** Monitors with a window that opens or closes now. */
  const due: number[] = []
  const scheduler = createScheduler({
    clock,
    onDue(id) {
      due.push(id)
      if (due.length === 1) void turnAll()
    },
    onJump: (id, now) => {
      const entry = roster.peek(id)
      return entry === undefined ? null : nextTurn(entry, now)
    },
  })

  /** Windows of many monitors open in the same minute: in steps, between which everybody else has a turn. */
  async function turnAll(): Promise<void> {
    // Those that fall due in this turn of the scheduler are all in the queue then.
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
      complain(core, err, 'a maintenance window could not be stored')
      if (roster.peek(id) !== undefined) scheduler.set(id, clock.now() + RETRY_MS)
    }
  }

  async function turn(id: number): Promise<void> {
    if (roster.peek(id) === undefined) return
    const changed = await roster.change(id, (entry) => turned(entry))
    const after = changed?.after ?? roster.peek(id)
    if (after !== undefined) plan.plan(after)
    if (changed !== null) onChanged(changed)
  }

  async function turned(entry: Entry): Promise<Change | null> {
    const at = clock.now()
    if (!isWrong(entry, at)) return null
    const ends = entry.record.machine.state === 'maintenance'
    const kind = ends ? 'maintenance_end' : 'maintenance_start'
    const interpreted = await interpret({ core, roster }, entry, { event: { kind, at } })
    if (interpreted === null) return null
    return { ...interpreted.change, ...(ends ? rearmed(entry, at) : {}) }
  }

  const plan: MaintenancePlan = {
    start: () => scheduler.start(),
    stop() {
      scheduler.stop()
      due.length = 0
    },
    plan(entry) {
      const at = nextTurn(entry, clock.now())
      if (at === null) scheduler.delete(entry.record.id)
      else scheduler.set(entry.record.id, at)
    },
    forget: (id) => scheduler.delete(id),
    skipsChecks: ({ record: { machine, common } }) =>
      machine.state === 'maintenance' && look(common.maintenance, clock.now()).skip_checks,
  }
  function look(windows: readonly MaintenanceWindow[], now: EpochMs): Maintenance {
    return maintenanceAt(windows, now, zones)
  }

  /** When the state has to be looked at next, `null` where no window will ever change it. */
  function nextTurn({ record: { machine, common } }: Entry, now: EpochMs): EpochMs | null {
    if (machine.state === 'paused') return null
    const { active, changes_at } = look(common.maintenance, now)
    return active === (machine.state === 'maintenance') ? changes_at : now
  }

  function isWrong({ record: { machine, common } }: Entry, now: EpochMs): boolean {
    if (machine.state === 'paused') return false
    return look(common.maintenance, now).active !== (machine.state === 'maintenance')
  }

  return plan
}
