/**
 * Plans a round, by what maintenance makes of it. A failing one of a monitor whose window is open begins the maintenance
 * instead: thousands of monitors enter a window one after the other, and none of them opens an incident meanwhile. One
 * that began in maintenance decides nothing, though the window has closed before the last location answered.
 *
 * @module
 */

import { maintenanceAt } from '../../incident/maintenance.ts'
import type { MonitorState } from '../../model.ts'
import type { AccountWindows } from '../monitors/account-windows.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import { planChange } from './plan-change.ts'
import type { MachineInput, PlanningContext } from './plan-change.ts'

export interface RoundContext extends PlanningContext {
  readonly accountWindows: Pick<AccountWindows, 'at'>
}

/** `begunIn`: the state of the monitor when the round began. Default: the present one. */
export async function planRound(
  context: RoundContext,
  cached: CachedMonitor,
  input: MachineInput,
  begunIn: MonitorState = cached.record.machine.state,
): Promise<Planned | null> {
  const { at } = input.event
  const isOver = begunIn === 'maintenance' && cached.record.machine.state !== 'maintenance'
  if (!isOver && !(isFailure(input) && isDueForMaintenance(context, cached)))
    return planChange(context, cached, input)
  const planned = await planChange(context, cached, {
    ...input,
    notices: [],
    event: { kind: isOver ? 'maintenance_end' : 'maintenance_start', at },
  })
  const machine = planned?.change.machine
  if (planned === null || machine === undefined) return planned
  return { ...planned, change: { ...planned.change, machine: { ...machine, last_round_at: at } } }
}

function isFailure({ event }: MachineInput): boolean {
  return event.kind === 'round' && event.verdict === 'fail'
}

/** One of its windows is open, and its state does not say so yet. */
function isDueForMaintenance(
  { core, accountWindows }: RoundContext,
  { record }: CachedMonitor,
): boolean {
  const { state } = record.machine
  if (state === 'paused' || state === 'maintenance') return false
  const now = core.clock.now()
  return (
    accountWindows.at(record, now).active ||
    maintenanceAt(record.common.maintenance, now, core).active
  )
}
