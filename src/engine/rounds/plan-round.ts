/**
 * Plans a round. A failing one of a monitor whose maintenance window is open begins the maintenance instead: thousands
 * of monitors enter a window one after the other, and none of them opens an incident meanwhile.
 *
 * @module
 */

import { maintenanceAt } from '../../incident/maintenance.ts'
import type { AccountWindows } from '../monitors/account-windows.ts'
import type { CachedMonitor, Planned } from '../monitors/cached-monitor.ts'
import { planChange } from './plan-change.ts'
import type { MachineInput, PlanningContext } from './plan-change.ts'

export interface RoundContext extends PlanningContext {
  readonly accountWindows: Pick<AccountWindows, 'at'>
}

export async function planRound(
  context: RoundContext,
  cached: CachedMonitor,
  input: MachineInput,
): Promise<Planned | null> {
  const { at } = input.event
  if (!isFailure(input) || !isDueForMaintenance(context, cached))
    return planChange(context, cached, input)
  const planned = await planChange(context, cached, {
    ...input,
    event: { kind: 'maintenance_start', at },
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
