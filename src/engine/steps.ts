/**
 * Work on many monitors in steps, between which everybody else has a turn.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

/** What one step takes; the one piece of work that goes beyond it ends the step. */
const STEP_MS = 10

export async function inSteps<T>(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  items: Iterable<T>,
  work: (item: T) => void,
): Promise<void> {
  let begun = clock.monotonic()
  for (const item of items) {
    work(item)
    if (clock.monotonic() - begun < STEP_MS) continue
    await clock.sleep(0)
    begun = clock.monotonic()
  }
}
