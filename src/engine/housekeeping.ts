/**
 * Periodic work of a running engine: stores that it is alive, and prunes.
 *
 * @module
 */

import type { Timer } from '../clock.ts'
import type { EpochMs } from '../model.ts'
import { DAY_MS } from '../model/time.ts'
import { logError } from './core/core.ts'
import type { Core } from './core/core.ts'
import { retentionDays } from './options.ts'
import type { Retention } from './options.ts'
import type { ShardLeases } from './sharing/shard-leases.ts'

/** How often the engine stores that it is alive. */
const ALIVE_MS = 15_000
/** Heartbeats get new deadlines after no engine ran for longer than this. */
export const ABSENCE_MS = 2 * ALIVE_MS
/** Of engines that start together, the last is behind the first by less than this. */
const START_TOGETHER_MS = 60_000
const PRUNE_MS = 5 * 60_000
/** Of each table in one step: the rows of a result may be 60 KB long. */
const PRUNE_ROWS = 200
const PRUNE_PAUSE_MS = 20
/**
 * By how much one pruning may follow another: a day in an hour. By a clock that is years ahead, everything would be old.
 */
const PRUNE_STEP_MS = 2 * 3_600_000
const PRUNED_AT = 'pruned_at'
/** How long a revoked key is listed. The audit log has its revocation. */
const REVOKED_KEY_DAYS = 30
/** Of several engines on a store, the one that owns the shard of this id prunes. No monitor has the id. */
const PRUNING_ID = 0

export interface Housekeeping {
  /** When an engine on this store was last known to be alive; the current time if there was none. */
  lastAlive(): Promise<EpochMs>
  /**
   * When the absence began from which an engine of this store has just started again, this one or another;
   * `undefined` if there was none. Call it before `noteAlive`.
   */
  absentSince(alive_at: EpochMs): Promise<EpochMs | undefined>
  noteAlive(): Promise<void>
  start(): void
  stop(): void
}

export interface HousekeepingOptions {
  readonly core: Core
  readonly shardLeases: Pick<ShardLeases, 'owns'>
  readonly retention: Retention | undefined
}

export function createHousekeeping({
  core,
  shardLeases,
  retention,
}: HousekeepingOptions): Housekeeping {
  const { clock, store } = core
  const { resultsDays, notificationsDays, historyDays, hourlyDays, auditDays } =
    retentionDays(retention)
  const timers = new Set<Timer>()
  let stopped = false

  async function noteAlive(): Promise<void> {
    await store.meta.set('alive_at', String(clock.now()))
  }

  async function absentSince(alive_at: EpochMs): Promise<EpochMs | undefined> {
    const now = clock.now()
    if (now - alive_at > ABSENCE_MS) {
      // Another engine that starts at the same moment may find `alive_at` renewed by this one.
      await store.meta.set('absence', `${alive_at} ${now}`)
      return alive_at
    }
    const [from, until = NaN] = ((await store.meta.get('absence')) ?? '').split(' ').map(Number)
    return Math.abs(now - until) < START_TOGETHER_MS ? from : undefined
  }

  /** Repeats `work`, with `ms` between the end of one run and the next. */
  function every(ms: number, work: () => Promise<unknown>): void {
    if (stopped) return
    const timer = clock.timer(
      ms,
      () => {
        timers.delete(timer)
        work()
          .catch((err: unknown) => {
            // The store is closed while its steps go on.
            if (!stopped) logError(core, err, 'the housekeeping of the engine failed')
          })
          .finally(() => every(ms, work))
      },
      { background: true },
    )
    timers.add(timer)
  }

  /** In small steps, so that checks and deliveries are not delayed, and by one engine of all. */
  async function prune(): Promise<void> {
    if (!shardLeases.owns(PRUNING_ID)) return
    const pruned_at = Number((await store.meta.get(PRUNED_AT)) ?? NaN)
    const furthest = Number.isNaN(pruned_at) ? Infinity : pruned_at + PRUNE_STEP_MS
    const now = Math.min(clock.now(), furthest)
    const older = {
      results_before: now - resultsDays * DAY_MS,
      notifications_before: now - notificationsDays * DAY_MS,
      history_before: now - historyDays * DAY_MS,
      hours_before: now - hourlyDays * DAY_MS,
      audit_before: now - auditDays * DAY_MS,
      revoked_before: now - REVOKED_KEY_DAYS * DAY_MS,
      idempotency_before: now,
      limit: PRUNE_ROWS,
    }
    while (!stopped && (await store.prune(older)) >= PRUNE_ROWS) await clock.sleep(PRUNE_PAUSE_MS)
    if (!stopped) await store.meta.set(PRUNED_AT, String(now))
  }

  return {
    lastAlive: async () => Number((await store.meta.get('alive_at')) ?? clock.now()),
    absentSince,
    noteAlive,
    start() {
      every(ALIVE_MS, noteAlive)
      every(PRUNE_MS, prune)
    },
    stop() {
      stopped = true
      for (const timer of timers) timer.cancel()
    },
  }
}
