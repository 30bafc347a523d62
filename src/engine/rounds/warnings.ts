/**
 * Compares the figures of good checks with the thresholds of their monitor, and says what a round makes of it.
 *
 * @module
 */

import { responseOf } from '../../checkers/checker.ts'
import type { AnyChecker } from '../../checkers/checker.ts'
import { quorum } from '../../incident/quorum.ts'
import type { Cause } from '../../incident/transition.ts'
import { warningOf } from '../../incident/warn.ts'
import type { Outcome } from '../../model.ts'
import type { CachedMonitor } from '../monitors/monitor-cache.ts'
import { RESPONSE } from '../registry/warn-field.ts'
import type { Reported } from './round-records.ts'

/** The reports, each with its warning, if it has one: also in `details`, so that the result shows it. */
export function withWarnings(
  { record, type }: CachedMonitor,
  reports: readonly Reported[],
): readonly Reported[] {
  const { warn } = record.common
  if (Object.keys(warn).length === 0) return reports
  return reports.map((reported) => {
    const { outcome } = reported.report
    if (outcome.verdict !== 'ok') return reported
    const warning = warningOf(warn, (figure) => figureOf(type.checker, outcome, figure))
    if (warning === undefined) return reported
    const { facts, ...cause } = warning
    const details = { ...outcome.details, warning: { ...cause, ...facts } }
    return {
      ...reported,
      report: { ...reported.report, outcome: { ...outcome, details } },
      warning: cause,
    }
  })
}

function figureOf(checker: AnyChecker, outcome: Outcome, figure: string): number | null {
  if (figure === RESPONSE) return responseOf(checker, outcome)
  const value = Object.hasOwn(outcome.details, figure) ? outcome.details[figure] : undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/**
 * What a good round says of `degraded`: the cause that the first location names, if as many warn as must agree on a
 * failure.
 */
export function roundWarning(
  reports: readonly Reported[],
  confirm_locations: number,
): { readonly warned?: Cause | 'unclear' } {
  const cause = reports.find(({ warning }) => warning !== undefined)?.warning
  if (cause === undefined) return {}
  const { verdict } = quorum(
    reports.map(({ location_id, report, warning }) => ({
      location_id,
      verdict: warning !== undefined ? 'fail' : report.outcome.verdict === 'ok' ? 'ok' : 'unknown',
    })),
    { confirm_locations },
  )
  if (verdict === 'inconclusive') return { warned: 'unclear' }
  return verdict === 'fail' ? { warned: cause } : {}
}
