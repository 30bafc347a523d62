/**
 * The standing of a registration. Pure, from the registry's data and the time.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import type { Registration } from './registration.ts'
import { DAY_MS } from '../../model/time.ts'

export type Standing =
  'good' | 'domain_redemption' | 'domain_pending_delete' | 'domain_expired' | 'domain_hold'

/**
 * The most severe first. During redemption EPP has `pendingDelete` as well (RFC 3915, 3.1), so
 * `pendingDelete` alone means that a restore is no longer possible. Registrars often put expired
 * names on hold.
 */
export function standingOf({ statuses, expires_at }: Registration, now: EpochMs): Standing {
  const has = (...words: readonly string[]): boolean =>
    words.some((word) => statuses.includes(word))
  if (has('redemptionPeriod', 'pendingRestore')) return 'domain_redemption'
  if (has('pendingDelete')) return 'domain_pending_delete'
  if (expires_at !== null && expires_at <= now) return 'domain_expired'
  if (has('clientHold', 'serverHold')) return 'domain_hold'
  return 'good'
}

/** Whole days, rounded down: 0 on the last day, negative afterwards. */
export function daysLeft(expires_at: EpochMs, now: EpochMs): number {
  return Math.floor((expires_at - now) / DAY_MS)
}

/** The threshold passed last: the smallest one that is not below the days left. */
export function thresholdPassed(
  days_left: number,
  days_warn: readonly number[],
): number | undefined {
  const passed = days_warn.filter((days) => days_left <= days)
  return passed.length === 0 ? undefined : Math.min(...passed)
}
