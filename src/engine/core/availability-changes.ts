/**
 * Reads the availability of a monitor from the store.
 *
 * @module
 */

import { yielderOf } from '../../clock.ts'
import type { AvailabilityChange, EpochMs } from '../../model.ts'
import type { Core } from './core.ts'
import { setAside } from './damaged-rows.ts'

/** Rows per query. */
const CHANGES_AT_ONCE = 5000

/** The changes of a part of a period; the first is the one in force at its begin, if there is one. */
export interface ChangesRead {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly changes: readonly AvailabilityChange[]
}

/**
 * A period in parts, one after the other and without gaps. A target that goes up and down continuously has a million
 * changes a year, and a job that says so with every signal thirty: who needs all of them has no memory for anything else.
 */
export async function* changesInParts(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): AsyncGenerator<ChangesRead> {
  const { store, clock } = core
  const tell = setAside(core, 'availability')
  const yieldIfLong = yielderOf(clock)
  for (let since = from; ;) {
    const changes = await store.availability.list(monitor_id, since, to, CHANGES_AT_ONCE, tell)
    const last = changes.at(-1)
    if (last === undefined || changes.length < CHANGES_AT_ONCE) {
      yield { from: since, to, changes }
      return
    }
    // Of several changes at the same time the last counts; the next part starts with it.
    const next = Math.max(since, last.at + 1)
    yield { from: since, to: next, changes }
    await yieldIfLong()
    since = next
  }
}

/** The newest of a period, at least some thousands where there are more; the first is in force before the others. */
export async function newestChanges(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly AvailabilityChange[]> {
  let before: readonly AvailabilityChange[] = []
  let newest: readonly AvailabilityChange[] = []
  for await (const { changes } of changesInParts(core, monitor_id, from, to))
    [before, newest] = [newest, changes]
  return [...before, ...newest]
}
