/**
 * What a store offers besides where several processes share it.
 *
 * @module
 */

import type { EpochMs } from '../model.ts'

/** The number of parts that engines share monitors by. A fleet cannot grow beyond as many engines. */
export const SHARDS = 256

export function shardOf(monitor_id: number): number {
  return monitor_id % SHARDS
}

/** Which engine watches which monitors. Monitors are spread over `SHARDS` shards by their id (`shardOf`). */
export interface Shards {
  /**
   * One beat of an engine, in one transaction: it counts as living until `until`, renews the shards it holds,
   * takes those that are free or lapsed, and gives up what is beyond its fair share (`SHARDS` by the number
   * of living engines, rounded up). Resolves to the shards that it holds until `until`.
   */
  hold(beat: {
    readonly owner: string
    readonly now: EpochMs
    readonly until: EpochMs
  }): Promise<readonly number[]>
  /** Leaves, and gives up everything at once. */
  release(owner: string): Promise<void>
}

/** News of monitors, so that an engine sees what another process changed. */
export interface Changes {
  /**
   * Tells of monitors that anybody on this store made, removed, paused, resumed or changed in their settings
   * or token, this process included. `null`: some may have been missed, look at all. Resolves to the end of it.
   */
  listen(listener: (monitor_id: number | null) => void): Promise<() => Promise<void>>
}

/** A count of requests that all processes share. */
export interface Requests {
  /** Admits at most `limit` in any window of `window_ms`. `retry_at` is when the next would be admitted, `null` if now. */
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

/** Whose turn it is to carry out a request that may arrive at two processes. */
export interface Turns {
  /** `true`: it is `owner`'s until `until` or {@link Turns.end}; `false` while it is somebody else's. */
  take(turn: {
    readonly account_id: number
    readonly key: string
    readonly owner: string
    readonly now: EpochMs
    readonly until: EpochMs
  }): Promise<boolean>
  /** Does nothing where the turn has lapsed and is another's by now. */
  end(turn: {
    readonly account_id: number
    readonly key: string
    readonly owner: string
  }): Promise<void>
}
