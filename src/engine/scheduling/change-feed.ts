/**
 * Keeps up with what other processes change on the same store.
 *
 * @module
 */

import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import type { Rounds } from '../rounds/rounds.ts'
import type { MonitorSchedule } from './monitor-schedule.ts'

export interface ChangeFeed {
  start(): Promise<void>
  stop(): Promise<void>
}

export interface ChangeFeedOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly rounds: Pick<Rounds, 'cancel'>
  readonly schedule: MonitorSchedule
}

export function createChangeFeed({
  core,
  monitorCache,
  rounds,
  schedule,
}: ChangeFeedOptions): ChangeFeed {
  let end: (() => Promise<void>) | undefined

  async function refresh(id: number): Promise<void> {
    const { before, after } = await monitorCache.refresh(id)
    if (before === after) return
    if (after === undefined) schedule.release(id)
    else if (before === undefined) schedule.adopt(after)
    else follow(before, after)
  }

  function follow(before: CachedMonitor, after: CachedMonitor): void {
    const { id, version, machine } = after.record
    // A round of the settings before does not count any more: it makes room for one of these.
    const ended = version !== before.record.version && rounds.cancel(id, 'changed')
    if (machine.state === 'paused') schedule.forget(id)
    else schedule.reschedule(after, beginsAnew(before, after) || ended ? 'now' : 'next')
  }

  async function refreshAll(): Promise<void> {
    for (const id of await monitorCache.outdated()) await refresh(id)
  }

  return {
    async start() {
      end = await core.store.changes?.listen((id) => {
        const work = id === null ? refreshAll() : refresh(id)
        work.catch((err: unknown) =>
          logError(core, err, 'a change of others could not be followed'),
        )
      })
    },
    async stop() {
      await end?.()
    },
  }
}

/** It was resumed, or given another target. */
function beginsAnew(before: CachedMonitor, after: CachedMonitor): boolean {
  return after.record.machine.state === 'pending' && before.record.machine.state !== 'pending'
}
