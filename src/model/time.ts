/**
 * Durations in milliseconds, and UTC days.
 *
 * @module
 */

import type { EpochMs } from '../model.ts'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** The UTC day of a time, `YYYY-MM-DD`. */
export function dayOf(at: EpochMs): string {
  return new Date(at).toISOString().slice(0, 10)
}
