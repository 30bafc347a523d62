/**
 * Whether an incident is told now, or held back because something else explains it.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import { isPatient, parentSays } from '../../incident/dependency.ts'
import type { Held, MachineState } from '../../model.ts'
import type { Entry, Roster } from '../monitors/monitor-cache.ts'

/** Longer chains of explanations are not followed; what hangs on them is told. */
const CHAIN_LIMIT = 20

/** Why the open incident of `machine` is held, `undefined` where it is to be told. */
export async function holdOf(
  roster: Pick<Roster, 'get'>,
  { record }: Entry,
  machine: MachineState,
): Promise<Held | undefined> {
  const { incident } = machine
  if (incident === null) return undefined
  const rounds = (incident.held?.rounds ?? -1) + 1
  if (machine.flapping === true) return { reason: 'flapping', by: null, rounds }
  let unclear = false
  for (const id of record.common.depends_on) {
    const parent = await lookAt(roster, id)
    // One that is gone explains nothing; of one that cannot be read just now nobody knows.
    unclear ||= parent === 'unreadable'
    if (typeof parent === 'string') continue
    const says = parentSays(
      { machine: parent.record.machine, passive: parent.type.checker.passive !== undefined },
      incident.started_at,
    )
    if (says === 'explains' && !(await explainedBy(roster, parent, record.id)))
      return { reason: 'dependency', by: id, rounds }
    unclear ||= says === 'unclear'
  }
  return unclear && isPatient(rounds) ? { reason: 'dependency', by: null, rounds } : undefined
}

async function lookAt(
  roster: Pick<Roster, 'get'>,
  id: number,
): Promise<Entry | 'gone' | 'unreadable'> {
  try {
    return await roster.get(id)
  } catch (error) {
    return error instanceof NotFoundError ? 'gone' : 'unreadable'
  }
}

/** Whether the parent is itself explained by the child: in a circle nobody would be told. */
async function explainedBy(
  roster: Pick<Roster, 'get'>,
  parent: Entry,
  child: number,
): Promise<boolean> {
  let by = parent.record.machine.incident?.held?.by ?? null
  for (let step = 0; by !== null; step++) {
    if (by === child || step === CHAIN_LIMIT) return true
    const next = await lookAt(roster, by)
    by = typeof next === 'string' ? null : (next.record.machine.incident?.held?.by ?? null)
  }
  return false
}
