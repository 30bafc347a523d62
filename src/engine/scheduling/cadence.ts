/**
 * When a monitor is checked. Each has a phase of its own within its interval, by the hash of its id: the load is
 * spread, equal after a restart, and equal at every location. Pure.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'

/** A restart, or a takeover from an engine that ended, takes less than this. */
const SHORT_ABSENCE_MS = 30_000
/** A check that is overdue by less than {@link SHORT_ABSENCE_MS} starts within this time; there are few of them. */
const AFTER_SHORT_ABSENCE_MS = 5_000
/** A check that is overdue by that much or more starts within this time. */
const AFTER_LONG_ABSENCE_MS = 60_000
/** The first check of a monitor starts within this time. */
const FIRST_CHECK_MS = 10_000
const RETRY_MIN_MS = 10_000

/** The first tick of the monitor strictly after `after`. Its ticks lie on a grid of time. */
export function nextDueAt(id: number, interval_ms: number, after: EpochMs): EpochMs {
  const phase = spread(id, interval_ms)
  return Math.floor((after - phase) / interval_ms) * interval_ms + interval_ms + phase
}

/** When the first round after a start is due: on the grid, or earlier if one is overdue; always spread over time. */
export function firstDueAt(
  id: number,
  interval_ms: number,
  last_round_at: EpochMs | null,
  now: EpochMs,
): EpochMs {
  if (last_round_at === null) return now + spread(id, Math.min(interval_ms, FIRST_CHECK_MS))
  // A last round in the future was stored before the clock was set back.
  if (last_round_at > now) return now + spread(id, Math.min(interval_ms, AFTER_LONG_ABSENCE_MS))
  const tick = nextDueAt(id, interval_ms, last_round_at)
  if (tick > now) return tick
  const within = now - tick < SHORT_ABSENCE_MS ? AFTER_SHORT_ABSENCE_MS : AFTER_LONG_ABSENCE_MS
  return now + spread(id, Math.min(interval_ms, within))
}

/** Rounds come early while a failure waits for its confirmation. */
export function retryDueAt(id: number, interval_ms: number, now: EpochMs): EpochMs {
  const early = now + Math.min(interval_ms, Math.max(RETRY_MIN_MS, interval_ms / 4))
  return Math.min(early, nextDueAt(id, interval_ms, now))
}

/** A number in [0, within) that depends on the id only. */
function spread(id: number, within: number): number {
  // Knuth's multiplicative hash with a final mix (murmur3), which spreads neighbouring ids.
  let h = Math.imul(id, 0x9e3779b1)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h ^= h >>> 13
  return Math.floor(((h >>> 0) / 2 ** 32) * within)
}
