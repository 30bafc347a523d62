/**
 * Whether notifications of an incident are suppressed.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import { mayStillWait, parentSays } from '../../incident/dependency.ts'
import type { Suppression, MachineState } from '../../model.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'

/** Longer chains of parents are not followed; incidents at their end are notified. */
const CHAIN_LIMIT = 20

/** Why the open incident of `machine` is suppressed; `undefined` if it is to be notified. */
export async function suppressionOf(
  monitorCache: Pick<MonitorCache, 'get'>,
  { record }: CachedMonitor,
  machine: MachineState,
): Promise<Suppression | undefined> {
  const { incident } = machine
  if (incident === null) return undefined
  const rounds = (incident.suppression?.rounds ?? -1) + 1
  if (machine.flapping === true) return { reason: 'flapping', by: null, rounds }
  let unclear = false
  for (const id of record.common.depends_on) {
    const parent = await parentOf(monitorCache, id)
    // A removed parent does not suppress; the state of one that cannot be read is unknown.
    unclear ||= parent === 'unreadable'
    if (typeof parent === 'string') continue
    const says = parentSays(
      { machine: parent.record.machine, push: parent.type.checker.push !== undefined },
      incident.started_at,
    )
    if (says === 'cause' && !(await explainedBy(monitorCache, parent, record.id)))
      return { reason: 'dependency', by: id, rounds }
    unclear ||= says === 'unclear'
  }
  return unclear && mayStillWait(rounds) ? { reason: 'dependency', by: null, rounds } : undefined
}

async function parentOf(
  monitorCache: Pick<MonitorCache, 'get'>,
  id: number,
): Promise<CachedMonitor | 'gone' | 'unreadable'> {
  try {
    return await monitorCache.get(id)
  } catch (error) {
    return error instanceof NotFoundError ? 'gone' : 'unreadable'
  }
}

/** Whether the parent is itself suppressed by the child: in a cycle no incident would be notified. */
async function explainedBy(
  monitorCache: Pick<MonitorCache, 'get'>,
  parent: CachedMonitor,
  child: number,
): Promise<boolean> {
  let by = parent.record.machine.incident?.suppression?.by ?? null
  for (let step = 0; by !== null; step++) {
    if (by === child || step === CHAIN_LIMIT) return true
    const next = await parentOf(monitorCache, by)
    by = typeof next === 'string' ? null : (next.record.machine.incident?.suppression?.by ?? null)
  }
  return false
}
