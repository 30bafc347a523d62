/**
 * Aggregates the reports of a round: one verdict by quorum, one cause.
 *
 * @module
 */

import { quorum } from '../../incident/quorum.ts'
import type { RoundEvent } from '../../incident/transition.ts'
import type { CheckReport, EpochMs } from '../../model.ts'
import { unmeasured } from '../../probes/transport.ts'
import type { Reported } from './round-records.ts'
import { roundWarning } from './warnings.ts'
import { effectiveSettings } from '../registry/registry.ts'
import type { CachedMonitor } from '../monitors/cached-monitor.ts'

/** Causes that mean that a location did not run the check. */
const SILENT_CAUSES = ['probe_no_report', 'probe_offline']

/** The machine event of a round. */
export function roundEvent(
  cached: CachedMonitor,
  reports: readonly Reported[],
  at: EpochMs,
): RoundEvent {
  const { confirm_locations } = effectiveSettings(cached.type, cached.record.common)
  const { verdict, silent, reduced } = quorum(
    reports.map(({ location_id, report }) => ({
      location_id,
      verdict: report.outcome.verdict,
      late: report.late === true,
      silent: isSilent(report),
    })),
    { confirm_locations, silent: cached.record.machine.silent ?? {} },
  )
  const checked =
    cached.type.checker.push === undefined ? { last_check_ended_at: lastCheckEnd(reports) } : {}
  if (verdict !== 'fail') {
    const warned = roundWarning(reports, confirm_locations)
    return { kind: 'round', at, silent, reduced, verdict, ...checked, ...warned }
  }
  const failing = reports.filter(({ report }) => report.outcome.verdict === 'fail')
  const { cause_code, cause_text } = mostReported(failing.map(({ report }) => report))
  return {
    kind: 'round',
    at,
    silent,
    reduced,
    verdict,
    ...checked,
    since: failing[0]?.report.since,
    cause: { cause_code, cause_text },
    locations_failed: failing.map(({ location_id }) => location_id),
  }
}

/** The cause that most locations report; among equals the first. */
function mostReported(reports: readonly CheckReport[]): { cause_code: string; cause_text: string } {
  const counts = new Map<string | null, number>()
  for (const { outcome } of reports)
    counts.set(outcome.cause_code, (counts.get(outcome.cause_code) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const found = reports.find(({ outcome }) => counts.get(outcome.cause_code) === most)
  return {
    cause_code: found?.outcome.cause_code ?? 'internal_error',
    cause_text: found?.outcome.cause_text ?? 'The check failed',
  }
}

/** When the last check ended, `null` if none started. */
function lastCheckEnd(reports: readonly Reported[]): EpochMs | null {
  const ends = reports
    .filter(({ report }) => report.begun !== false)
    .map(({ report: { outcome } }) => Date.parse(outcome.started_at) + outcome.duration_ms)
  return ends.length === 0 ? null : Math.round(Math.max(...ends))
}

/** Whether the location was silent, as opposed to a measurement that failed there. */
function isSilent({ outcome: { verdict, cause_code } }: CheckReport): boolean {
  return verdict === 'unknown' && SILENT_CAUSES.includes(cause_code ?? '')
}

/** The report recorded for a location that did not answer. */
export function missingReport(at: EpochMs): CheckReport {
  return unmeasured(at, 'probe_no_report', 'The location did not report in time')
}
