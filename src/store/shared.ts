/**
 * What a store offers in addition if several processes share it.
 *
 * @module
 */

import type { EpochMs } from '../model.ts'

/** The number of shards. It is the maximum number of engines that share the monitors. */
export const SHARDS = 256

export function shardOf(monitor_id: number): number {
  return monitor_id % SHARDS
}

/** Assigns monitors to engines. Monitors are spread over `SHARDS` shards by their id (`shardOf`). */
export interface Shards {
  /**
   * One beat of an engine, in one transaction: the engine counts as alive until `until`, renews its shards, takes
   * free and expired ones, and releases those beyond its fair share (`SHARDS` divided by the number of live engines,
   * rounded up). Resolves to the shards it has until `until`. All engines lease for equally long, so one that is alive
   * until more than a minute after `until` had a wrong clock: it counts as gone until its next beat.
   */
  hold(beat: {
    readonly owner: string
    readonly now: EpochMs
    readonly until: EpochMs
  }): Promise<readonly number[]>
  /** Signs off and releases all shards. */
  release(owner: string): Promise<void>
}

/** Tables whose changes are broadcast as a whole: an account has few of their rows. */
export type BroadcastTable = 'maintenance'

/** Changes of monitors, so that an engine sees what another process changed. */
export interface Changes {
  /**
   * Reports monitors that any process on this store, this one included, created, removed, paused, resumed or changed
   * in settings or token. `null`: some may have been missed, so read all. Resolves to a function that stops
   * listening. `onTable` hears of created, changed and removed rows of a whole table; `null` concerns it as well.
   */
  listen(
    listener: (monitor_id: number | null) => void,
    onTable?: (table: BroadcastTable) => void,
  ): Promise<() => Promise<void>>
}

/** A count of requests that all processes share. */
export interface Requests {
  /**
   * Admits at most `limit` requests in any window of `window_ms`. `retry_at` is when the next one is admitted, `null`
   * if now.
   */
  admit(request: {
    readonly key_id: number
    readonly now: EpochMs
    readonly window_ms: number
    readonly limit: number
  }): Promise<{
    readonly admitted: boolean
    readonly remaining: number
    readonly retry_at: EpochMs | null
  }>
}

/** Which of two processes executes a request that may arrive at both. */
export interface IdempotencyLocks {
  /** `true`: the lock is `owner`'s until `until` or {@link IdempotencyLocks.release}; `false` while another owner has it. */
  acquire(lock: {
    readonly account_id: number
    readonly key: string
    readonly owner: string
    readonly now: EpochMs
    readonly until: EpochMs
  }): Promise<boolean>
  /** Does nothing if the lock has expired and another owner has it. */
  release(lock: {
    readonly account_id: number
    readonly key: string
    readonly owner: string
  }): Promise<void>
}
