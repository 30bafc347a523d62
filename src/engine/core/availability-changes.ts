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

/** In the order of the store, in steps: a target that goes up and down continuously has a million changes a year. */
export async function changesBetween(
  core: Core,
  monitor_id: number,
  from: EpochMs,
  to: EpochMs,
): Promise<readonly AvailabilityChange[]> {
  const { store, clock } = core
  const tell = setAside(core, 'availability')
  const changes: AvailabilityChange[] = []
  const yieldIfLong = yielderOf(clock)
  for (let since = from; ;) {
    const step = await store.availability.list(monitor_id, since, to, CHANGES_AT_ONCE, tell)
    for (const change of step) changes.push(change)
    const last = step.at(-1)
    if (last === undefined || step.length < CHANGES_AT_ONCE) return changes
    await yieldIfLong()
    // Of several changes at the same time the last counts; the next step starts with it.
    since = Math.max(since, last.at + 1)
  }
}
