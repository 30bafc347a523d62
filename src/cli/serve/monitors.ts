/**
 * Applies the monitors file before the engine starts. Monitors that it does not name are not
 * changed.
 *
 * @module
 */

import type { Engine } from '../../engine/api/engine.ts'
import type { Logger } from '../../logger.ts'
import { describePlan } from '../../monitors/plan.ts'
import { syncMonitors } from '../../monitors/sync.ts'
import { asMistakeOf, readList } from '../apply/list.ts'
import { displayIn, progress } from '../progress.ts'

/** @throws ConfigurationError that names the file, and every problem in it; nothing is changed then */
export async function applyMonitors(
  engine: Engine,
  path: string | undefined,
  log: Logger,
): Promise<void> {
  if (path === undefined) return
  const list = await readList(path)
  const under = progress('applying the monitors', displayIn(log))
  const onProgress = (done: number, all: number): void =>
    under.tell(`applying the monitors: ${done} of ${all} changes`)
  const plan = await syncMonitors(engine, list as never, { onProgress })
    .catch((error: unknown) => {
      throw asMistakeOf(`WATCHPOST_MONITORS: ${path}`, error)
    })
    .finally(() => under.end())
  for (const line of describePlan(plan)) log.info({ file: path }, line)
}
