/**
 * When the next signal of a job is expected: one period after the last one, or at the next time of
 * its cron expression. Pure.
 *
 * @module
 */

import { occurrencesOf } from '../../fields/cron.ts'
import type { EpochMs } from '../../model.ts'
import { DAY_MS } from '../../model/time.ts'
import type { Terms } from '../push.ts'

export interface HeartbeatSettings {
  readonly grace_sec?: number
  readonly first_signal_sec?: number
  readonly cron?: string
  readonly time_zone?: string
}

export type HeartbeatTerms = Terms<HeartbeatSettings>

/** Part of the memo, therefore a type alias: an interface is not assignable to `Json`. */
export type Expected = {
  readonly at: EpochMs
  /** Time until the signal after it. */
  readonly period_ms: number
  /** Expected time of the last signal that may be missed. */
  readonly last_at: EpochMs
  readonly last_period_ms: number
  /** The base and schedule of this computation. */
  readonly of: string
}

/**
 * Tolerance for a job whose clock is fast: a signal this early, at most a tenth of the period, is
 * on time.
 */
const EARLY_MS = 30_000
const EARLY_SHARE = 0.1

/** No signal is expected later, however many may be missed: finding one of a rare day takes a millisecond. */
const FURTHEST_MS = 100 * 365 * DAY_MS

/** `known` is reused if its base and schedule are the same. */
export function expectedAfter(
  base_at: EpochMs,
  terms: HeartbeatTerms,
  known: Expected | null,
): Expected {
  const { settings, period_ms, missed_limit = 1 } = terms
  const { cron, time_zone = 'UTC' } = settings
  const of = `${base_at} ${cron ?? period_ms} ${time_zone} ${missed_limit}`
  if (known?.of === of) return known
  const next = cron === undefined ? undefined : occurrencesOf(cron, time_zone)
  const periodAfter = (at: EpochMs): Period =>
    next === undefined ? { at: at + period_ms, period_ms } : periodOf(next, at)
  const first = periodAfter(base_at)
  let last = first
  for (let more = 1; more < missed_limit && last.at < base_at + FURTHEST_MS; more++)
    last = periodAfter(last.at)
  return { ...first, last_at: last.at, last_period_ms: last.period_ms, of }
}

type Period = Pick<Expected, 'at' | 'period_ms'>

function periodOf(next: (after: EpochMs) => EpochMs, base_at: EpochMs): Period {
  const first = next(base_at)
  const second = next(first)
  const early = first - base_at <= Math.min(EARLY_MS, (second - first) * EARLY_SHARE)
  if (!early) return { at: first, period_ms: second - first }
  return { at: second, period_ms: next(second) - second }
}
