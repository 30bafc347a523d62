/**
 * When a monitor is checked. Each has a phase of its own within its interval, by the hash of its id: the load is
 * spread, equal after a restart, and equal at every location. Pure.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'

/** A check that is overdue by `SHORT_MS` or more starts within this time. */
const CATCH_UP_MS = 60_000
/** A restart, or a takeover from an engine that ended, takes less than this. */
const SHORT_MS = 30_000
/** A check that is overdue by less than `SHORT_MS` starts within this time: few are. */
const MAKE_UP_MS = 5_000
/** The first check of a monitor starts within this time. */
const FIRST_MS = 10_000
const RETRY_MIN_MS = 10_000

/** The first slot of the monitor's grid strictly after `after`. */
export function nextSlot(id: number, interval_ms: number, after: EpochMs): EpochMs {
  const phase = spread(id, interval_ms)
  return Math.floor((after - phase) / interval_ms) * interval_ms + interval_ms + phase
}

/** When the first round after a start is due: on the grid, or earlier if one is overdue; always spread over time. */
export function firstSlot(
  id: number,
  interval_ms: number,
  last_round_at: EpochMs | null,
  now: EpochMs,
): EpochMs {
  if (last_round_at === null) return now + spread(id, Math.min(interval_ms, FIRST_MS))
  // A last round in the future was stored before the clock was set back.
  if (last_round_at > now) return now + spread(id, Math.min(interval_ms, CATCH_UP_MS))
  const slot = nextSlot(id, interval_ms, last_round_at)
  if (slot > now) return slot
  return now + spread(id, Math.min(interval_ms, now - slot < SHORT_MS ? MAKE_UP_MS : CATCH_UP_MS))
}

/** Rounds come early while a failure waits for its confirmation. */
export function retrySlot(id: number, interval_ms: number, now: EpochMs): EpochMs {
  const early = now + Math.min(interval_ms, Math.max(RETRY_MIN_MS, interval_ms / 4))
  return Math.min(early, nextSlot(id, interval_ms, now))
}

/** A number in [0, within) that depends on the id only. */
function spread(id: number, within: number): number {
  // Knuth's multiplicative hash with a final mix (murmur3), which spreads neighbouring ids.
  let h = Math.imul(id, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h ^= h >>> 13
  return Math.floor(((h >>> 0) / 2 ** 32) * within)
}
