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
  /** Base and schedule that it was computed for. */
  readonly of: string
}

/** A job whose clock runs ahead calls before its time: so early, at most a tenth of the period, it is on time. */
const EARLY_MS = 30_000
const EARLY_SHARE = 0.1

/** `known` is taken where it was computed for the same base and schedule: reading a cron expression costs half a millisecond. */
export function expectedAfter(
  base_at: EpochMs,
  { settings, period_ms }: HeartbeatTerms,
  known: Expected | null,
): Expected {
  const { cron, time_zone = 'UTC' } = settings
  const of = `${base_at} ${cron ?? period_ms} ${time_zone}`
  if (known?.of === of) return known
  if (cron === undefined) return { at: base_at + period_ms, period_ms, of }
  const next = (after: EpochMs): EpochMs => nextOccurrence(cron, time_zone, after)
  const first = next(base_at)
  const second = next(first)
  const early = first - base_at <= Math.min(EARLY_MS, (second - first) * EARLY_SHARE)
  if (!early) return { at: first, period_ms: second - first, of }
  return { at: second, period_ms: next(second) - second, of }
}
