/**
 * Compares the figures of good checks with the thresholds of their monitor, and says what a round makes of it.
 *
 * @module
 */

import type { AnyChecker } from '../../checkers/checker.ts'
import { responseOf } from '../../checkers/response-time.ts'
import { quorum } from '../../incident/quorum.ts'
import type { Cause } from '../../incident/transition.ts'
import { WARN_BASELINE, warningOf } from '../../incident/warn.ts'
import type { Usual } from '../../incident/warn.ts'
import { BASELINE } from '../../model.ts'
import type { EpochMs, JsonObject, MachineState, Outcome, Verdict } from '../../model.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'
import { RESPONSE } from '../registry/warn-field.ts'
import type { Baselines } from './baselines.ts'
import type { Reported } from './round-records.ts'

/** The reports, each with its warning, if it has one: also in `details`, so that the result shows it. */
export function withWarnings(
  cached: CachedMonitor,
  reports: readonly Reported[],
  { baselines, tick }: { readonly baselines: Baselines; readonly tick: EpochMs },
): readonly Reported[] {
  const limits = Object.values(cached.record.common.warn)
  if (limits.length === 0) return reports
  const learns = limits.includes(BASELINE)
  return reports.map((reported) => {
    const { outcome } = reported.report
    if (outcome.verdict !== 'ok') return reported
    const check = { tick, outcome }
    const usual = learns ? baselines.judge(cached, reported.location_id, check) : undefined
    return withWarning(cached, reported, usual)
  })
}

function withWarning(
  { record, type }: CachedMonitor,
  reported: Reported,
  usual: Usual | undefined,
): Reported {
  const { outcome } = reported.report
  const valueOf = (figure: string) => figureOf(type.checker, outcome, figure)
  const warning = warningOf(record.common.warn, valueOf, usual)
  const baseline = usual?.details === undefined ? {} : { baseline: usual.details }
  if (warning === undefined) {
    const unclear = isUnclear(record.machine, usual)
    return withDetails(unclear ? { ...reported, unclear } : reported, baseline)
  }
  const { facts, ...cause } = warning
  return withDetails(
    { ...reported, warning: cause },
    { ...baseline, warning: { ...cause, ...facts } },
  )
}

/** What has to come back to the usual is not yet there, or it is not known. */
function isUnclear({ degraded }: MachineState, usual: Usual | undefined): boolean {
  return (
    degraded?.cause_code === WARN_BASELINE &&
    (usual?.place === 'near' || usual?.place === 'unclear')
  )
}

function withDetails(reported: Reported, more: JsonObject): Reported {
  if (Object.keys(more).length === 0) return reported
  const { report } = reported
  const outcome = { ...report.outcome, details: { ...report.outcome.details, ...more } }
  return { ...reported, report: { ...report, outcome } }
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
  if (cause === undefined && reports.every(({ unclear }) => unclear !== true)) return {}
  const { verdict } = quorum(
    reports.map((reported) => ({
      location_id: reported.location_id,
      verdict: warningVerdict(reported),
    })),
    { confirm_locations },
  )
  if (verdict === 'inconclusive') return { warned: 'unclear' }
  return verdict === 'fail' && cause !== undefined ? { warned: cause } : {}
}

function warningVerdict({ warning, unclear, report }: Reported): Verdict {
  if (warning !== undefined) return 'fail'
  return unclear === true || report.outcome.verdict !== 'ok' ? 'unknown' : 'ok'
}
