/**
 * Puts monitors under maintenance when a window of theirs opens, and back to work when it closes.
 *
 * @module
 */

import { maintenanceAt } from '../incident/maintenance.ts'
import type { EpochMs } from '../model.ts'
import type { Change } from '../store/store.ts'
import { complain } from './core.ts'
import type { Core } from './core.ts'
import { interpret } from './interpret.ts'
import { rearmed } from './passive.ts'
import type { Changed, Entry, Roster } from './roster.ts'
import { createScheduler } from './scheduler.ts'

/** A change of state that could not be stored is tried again after this. */
const RETRY_MS = 5_000

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
  const { clock } = core
  const scheduler = createScheduler({
    clock,
    onDue: (id) =>
      void turn(id).catch((err: unknown) => {
        complain(core, err, 'a maintenance window could not be stored')
        if (roster.peek(id) !== undefined) scheduler.set(id, clock.now() + RETRY_MS)
      }),
    onJump: (id, now) => {
      const entry = roster.peek(id)
      return entry === undefined ? null : nextTurn(entry, now)
    },
  })

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
    stop: () => scheduler.stop(),
    plan(entry) {
      const at = nextTurn(entry, clock.now())
      if (at === null) scheduler.delete(entry.record.id)
      else scheduler.set(entry.record.id, at)
    },
    forget: (id) => scheduler.delete(id),
    skipsChecks: ({ record: { machine, common } }) =>
      machine.state === 'maintenance' && maintenanceAt(common.maintenance, clock.now()).skip_checks,
  }
  return plan
}

/** When the state has to be looked at next, `null` where no window will ever change it. */
function nextTurn(entry: Entry, now: EpochMs): EpochMs | null {
  const { machine, common } = entry.record
  if (machine.state === 'paused') return null
  if (isWrong(entry, now)) return now
  return common.maintenance.length === 0 ? null : maintenanceAt(common.maintenance, now).changes_at
}

function isWrong({ record: { machine, common } }: Entry, now: EpochMs): boolean {
  if (machine.state === 'paused') return false
  if (common.maintenance.length === 0) return machine.state === 'maintenance'
  return maintenanceAt(common.maintenance, now).active !== (machine.state === 'maintenance')
}
