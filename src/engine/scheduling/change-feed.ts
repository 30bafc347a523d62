/**
 * Follows changes that other processes make on the same store.
 *
 * @module
 */

import type { Timer } from '../../clock.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { CachedMonitor, MonitorCache } from '../monitors/monitor-cache.ts'
import type { Rounds } from '../rounds/rounds.ts'
import type { MonitorSchedule } from './monitor-schedule.ts'

/** Delay before what was missed is read again; doubled while reading fails. */
const RETRY_MIN_MS = 5_000
const RETRY_MAX_MS = 60_000
/** Maximum number of failures per try: a store that is down is not queried for every monitor. */
const FAILURES = 5

export interface ChangeFeed {
  /** Follows changes from then on; changes of monitors that are not cached have no effect. */
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
  /** Monitors whose change could not be read; `null` for all. */
  const missed = new Set<number | null>()
  let timer: Timer | undefined
  let fruitless = 0

  async function refresh(id: number): Promise<void> {
    const { before, after } = await monitorCache.refresh(id)
    if (before === after) return
    if (after === undefined) schedule.release(id)
    else if (before === undefined) schedule.adopt(after)
    else follow(before, after)
  }

  function follow(before: CachedMonitor, after: CachedMonitor): void {
    const { id, version, machine } = after.record
    // A round with the previous settings does not count: it gives way to a new one.
    const ended = version !== before.record.version && rounds.cancel(id, 'changed')
    if (machine.state === 'paused') schedule.forget(id)
    else schedule.reschedule(after, beginsAnew(before, after) || ended ? 'now' : 'next')
  }

  async function refreshAll(): Promise<void> {
    for (const id of await monitorCache.outdated()) await refresh(id)
  }

  async function read(id: number | null): Promise<void> {
    await (id === null ? refreshAll() : refresh(id))
    missed.delete(id)
  }

  function miss(id: number | null, err: unknown): void {
    logError(core, err, 'a change of others could not be followed yet')
    if (end === undefined) return
    // Moved to the end of the queue: a monitor that can never be read does not block the others.
    missed.delete(id)
    missed.add(id)
    const pause_ms = Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** fruitless)
    timer ??= core.clock.timer(pause_ms, () => void readMissed(), { background: true })
  }

  async function readMissed(): Promise<void> {
    const failed: [number | null, unknown][] = []
    const ids = [...missed]
    for (const id of ids) {
      if (failed.length === FAILURES) break
      await read(id).catch((err: unknown) => failed.push([id, err]))
    }
    timer = undefined
    fruitless = failed.length < Math.min(FAILURES, ids.length) ? 0 : fruitless + 1
    for (const [id, err] of failed) miss(id, err)
  }

  return {
    async start() {
      end = await core.store.changes?.listen(
        (id) => void read(id).catch((err: unknown) => miss(id, err)),
      )
    },
    async stop() {
      timer?.cancel()
      timer = undefined
      missed.clear()
      const ending = end
      end = undefined
      await ending?.()
    },
  }
}

/** The monitor was resumed, or its target changed. */
function beginsAnew(before: CachedMonitor, after: CachedMonitor): boolean {
  return after.record.machine.state === 'pending' && before.record.machine.state !== 'pending'
}
