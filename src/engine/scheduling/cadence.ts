/**
 * When a monitor is checked. Each has a phase of its own within its interval, by the hash of its id: the
 * load is spread, the same after a restart, and the same at every location. Pure.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'

/** A first check, or one that was missed for longer than an interval, comes within this time. */
const CATCH_UP_MS = 60_000
/** After a short absence, a restart or the takeover from an engine that died, few are overdue: they come sooner. */
const SHORT_MS = 30_000
const MAKE_UP_MS = 5_000
const FIRST_MS = 10_000
const RETRY_MIN_MS = 10_000

/** The first slot of the monitor's grid strictly after `after`. */
export function nextSlot(id: number, interval_ms: number, after: EpochMs): EpochMs {
  const phase = spread(id, interval_ms)
  return Math.floor((after - phase) / interval_ms) * interval_ms + interval_ms + phase
}

/** When the first round after a start is due: on the grid, or soon where one is overdue; spread, never a burst. */
export function firstSlot(
  id: number,
  interval_ms: number,
  last_round_at: EpochMs | null,
  now: EpochMs,
): EpochMs {
  if (last_round_at === null) return now + spread(id, Math.min(interval_ms, FIRST_MS))
  // A last round that is still to come was noted by a clock that has been set back since.
  if (last_round_at > now) return now + spread(id, Math.min(interval_ms, CATCH_UP_MS))
  const slot = nextSlot(id, interval_ms, last_round_at)
  if (slot > now) return slot
  return now + spread(id, Math.min(interval_ms, now - slot < SHORT_MS ? MAKE_UP_MS : CATCH_UP_MS))
}

/** While a failure waits for its confirmation, rounds come early. */
export function retrySlot(id: number, interval_ms: number, now: EpochMs): EpochMs {
  const early = now + Math.min(interval_ms, Math.max(RETRY_MIN_MS, interval_ms / 4))
  return Math.min(early, nextSlot(id, interval_ms, now))
}

/** A number in [0, within) that depends on the id alone. */
function spread(id: number, within: number): number {
  // Knuth's multiplicative hash with a final mix (murmur3): neighbouring ids land far apart.
  let h = Math.imul(id, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h ^= h >>> 13
  return Math.floor(((h >>> 0) / 2 ** 32) * within)
}
