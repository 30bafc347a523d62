/**
 * When the next signal of a job is expected: a period after the last one, or when its cron expression is due.
 * Pure.
 *
 * @module
 */

import { nextOccurrence } from '../../fields/cron.ts'
import type { EpochMs } from '../../model.ts'
import type { Terms } from '../checker.ts'

export interface HeartbeatSettings {
  readonly grace_sec?: number
  readonly first_signal_sec?: number
  readonly cron?: string
  readonly time_zone?: string
}

export type HeartbeatTerms = Terms<HeartbeatSettings>

/** Part of the memo, so a type alias: an interface is no `Json`. */
export type Expected = {
  readonly at: EpochMs
  /** From that time to the one after it. */
  readonly period_ms: number
  /** The same of the last of those that may be missed. */
  readonly last_at: EpochMs
  readonly last_period_ms: number
  /** Base and schedule that it was computed for. */
  readonly of: string
}

/** A job whose clock runs ahead calls before its time: so early, at most a tenth of the period, it is on time. */
const EARLY_MS = 30_000
const EARLY_SHARE = 0.1

/** `known` is taken where it was computed for the same base and schedule: reading a cron expression costs half a millisecond. */
export function expectedAfter(
  base_at: EpochMs,
  terms: HeartbeatTerms,
  known: Expected | null,
): Expected {
  const { settings, period_ms, missed_limit = 1 } = terms
  const { cron, time_zone = 'UTC' } = settings
  const of = `${base_at} ${cron ?? period_ms} ${time_zone} ${missed_limit}`
  if (known?.of === of) return known
  const first = periodAfter(base_at, terms)
  let last = first
  for (let more = 1; more < missed_limit; more++) last = periodAfter(last.at, terms)
  return { ...first, last_at: last.at, last_period_ms: last.period_ms, of }
}

function periodAfter(
  base_at: EpochMs,
  { settings, period_ms }: HeartbeatTerms,
): Pick<Expected, 'at' | 'period_ms'> {
  const { cron, time_zone = 'UTC' } = settings
  if (cron === undefined) return { at: base_at + period_ms, period_ms }
  const next = (after: EpochMs): EpochMs => nextOccurrence(cron, time_zone, after)
  const first = next(base_at)
  const second = next(first)
  const early = first - base_at <= Math.min(EARLY_MS, (second - first) * EARLY_SHARE)
  if (!early) return { at: first, period_ms: second - first }
  return { at: second, period_ms: next(second) - second }
}
