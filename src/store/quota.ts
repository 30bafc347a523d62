/**
 * The quotas of an account, checked by the store in the transaction that adds to its usage.
 *
 * @module
 */

import { ConflictError } from '../errors.ts'
import type { AccountUse, MonitorRecord } from '../model.ts'

/** What is absent is unlimited. */
export type Allowance = Partial<AccountUse>

type Counted = keyof AccountUse | 'maintenance_windows' | 'public_pages' | 'status_reports'

const WORDS: Readonly<Record<Counted, string>> = {
  monitors: 'monitors',
  contacts: 'contacts',
  maintenance_windows: 'maintenance windows',
  public_pages: 'public pages',
  status_reports: 'status reports',
  checks_per_min: 'checks a minute',
}

/** Sums of fractions of a minute are not exact. */
const TOLERANCE = 1e-6

export function exceeds(use: number, limit: number | undefined): boolean {
  return limit !== undefined && use > limit + TOLERANCE
}

export function quotaError(what: Counted, limit: number): ConflictError {
  return new ConflictError(
    'quota',
    `The account may have ${limit} ${WORDS[what]}, and this is beyond`,
  )
}

/** @throws ConflictError `quota` if the account has `most` of these already */
export function requireRoom(count: number, most: number, words: string): void {
  if (count < most) return
  throw new ConflictError('quota', `The account may have ${most} ${words}, and this is beyond`)
}

/** @throws ConflictError `quota` if the usage exceeds the allowance */
export function requireWithin(use: Partial<AccountUse>, allowance: Allowance | undefined): void {
  for (const what of ['monitors', 'contacts', 'checks_per_min'] as const) {
    const limit = allowance?.[what]
    if (limit !== undefined && exceeds(use[what] ?? 0, limit)) throw quotaError(what, limit)
  }
}

/** Checks per minute by the settings alone. */
export function ratedChecks({ location_ids, interval_sec }: MonitorRecord['common']): number {
  return (location_ids.length * 60) / interval_sec
}

/** Whether checks run: not while paused, and not for push types, whose monitors have a token. */
export function isChecked(monitor: {
  readonly token_hash: string | null
  readonly state: string
}): boolean {
  return monitor.token_hash === null && monitor.state !== 'paused'
}
