/**
 * The schemas of hourly totals.
 *
 * @module
 */

import type {
  AvailabilitySpan,
  HoursView,
  LocationTotals,
  StepTotals,
  TotalsView,
} from '../../engine/api/hours.ts'
import { arrayOf, integer, nullable, number, object, record, ref, time, word } from './schemas.ts'
import type { Schema } from './schemas.ts'

const totals: Readonly<Record<keyof TotalsView, Schema>> = {
  ok: integer(),
  fail: integer(),
  unknown: integer(),
  degraded: integer('The part of `ok` that was beyond a threshold of `warn`'),
  avg_ms: nullable(number('Of the response times of good checks')),
  min_ms: nullable(number()),
  max_ms: nullable(number()),
  p50_ms: nullable(number('Percentiles deviate by at most five percent')),
  p95_ms: nullable(number()),
  p99_ms: nullable(number()),
  phases: record('The mean of each phase over all good checks', { type: 'number' }),
  figures: record('What the type charts: `avg`, `min` and `max`; `charts` in GET /types'),
}

export const HOUR_VIEWS: Readonly<Record<string, Schema>> = {
  Hours: object<HoursView>({
    from: time('Begin of the first step'),
    to: time(),
    step_hours: integer(),
    overall: ref('Totals'),
    locations: arrayOf('LocationTotals'),
    steps: arrayOf('StepTotals'),
    spans: arrayOf('AvailabilitySpan'),
  }),
  Totals: object<TotalsView>(totals),
  LocationTotals: object<LocationTotals>({ location_id: integer(), ...totals }),
  StepTotals: object<StepTotals>(
    { at: time('When the step begins'), ...totals, locations: arrayOf('LocationTotals') },
    { description: 'Steps without checks are left out' },
  ),
  AvailabilitySpan: object<AvailabilitySpan>(
    {
      availability: word(['degraded', 'down', 'unknown', 'paused', 'maintenance']),
      from: time(),
      to: time(),
    },
    { description: 'A time in which the monitor was not simply up' },
  ),
}
