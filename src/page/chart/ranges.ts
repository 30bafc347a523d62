/**
 * The ranges of a chart: how far each goes back, and how long one of its steps is.
 *
 * @module
 */

import type { UptimeView } from '../../engine/api/views.ts'
import type { EpochMs } from '../../model.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../model/time.ts'

export const RANGES = ['1h', '24h', '7d', '30d', '90d'] as const
export type Range = (typeof RANGES)[number]

export interface Steps {
  /** Begin of the first step. */
  readonly begin: EpochMs
  readonly step_ms: number
  readonly count: number
}

/** Steps of results: so short that single failures are told apart. */
const OF_RESULTS = {
  '1h': { step_ms: MINUTE_MS, count: 60 },
  '24h': { step_ms: 15 * MINUTE_MS, count: 96 },
} as const

/** Steps of hourly totals: at most 180 in a chart. */
const OF_HOURS: Readonly<Record<Range, { readonly step_ms: number; readonly days: number }>> = {
  '1h': { step_ms: HOUR_MS, days: 0 },
  '24h': { step_ms: HOUR_MS, days: 0 },
  '7d': { step_ms: HOUR_MS, days: 7 },
  '30d': { step_ms: 4 * HOUR_MS, days: 30 },
  '90d': { step_ms: DAY_MS, days: 90 },
}

/** Steps begin with the one in which the monitor was created, and end with the one that goes on. */
export function stepsOfResults(range: '1h' | '24h', now: EpochMs, created: EpochMs): Steps {
  const { step_ms, count } = OF_RESULTS[range]
  return stepsSince(floored(now, step_ms) - (count - 1) * step_ms, { step_ms, now, created })
}

/** Ranges of days are UTC days with the present one, as those of the availability are. */
export function stepsOfHours(range: Range, now: EpochMs, created: EpochMs): Steps {
  const { step_ms, days } = OF_HOURS[range]
  const first =
    days === 0
      ? floored(now, HOUR_MS) - (DAY_MS - HOUR_MS)
      : floored(now, DAY_MS) - (days - 1) * DAY_MS
  return stepsSince(first, { step_ms, now, created })
}

interface Since {
  readonly step_ms: number
  readonly now: EpochMs
  readonly created: EpochMs
}

function stepsSince(first: EpochMs, { step_ms, now, created }: Since): Steps {
  const last = floored(now, step_ms)
  const begin = Math.min(last, Math.max(first, floored(created, step_ms)))
  return { begin, step_ms, count: Math.round((last - begin) / step_ms) + 1 }
}

function floored(at: EpochMs, step_ms: number): EpochMs {
  return Math.floor(at / step_ms) * step_ms
}

/** With less than a week of data the last day is shown in full. */
export function usualRange({ days }: UptimeView): Range {
  return days.filter(({ checks }) => checks > 0).length < 7 ? '24h' : '90d'
}
