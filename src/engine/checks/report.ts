/**
 * Builds the stored report from a judgement and a trace: fills in texts, bounds sizes, removes secrets.
 *
 * @module
 */

import { SHARED_CAUSES } from '../../checkers/causes.ts'
import type { AnyChecker, CauseTable, Judgement } from '../../checkers/checker.ts'
import type { CauseInfo } from '../../checkers/causes.ts'
import type { CheckReport, Json, JsonObject, Outcome, Phases } from '../../model.ts'
import { printable } from '../../webhook/printable.ts'
import { fitsIn } from './json-size.ts'
import type { Redactor } from './redact.ts'

/** Maximum JSON characters of `details` and of a memo; larger ones are dropped. */
const SIZE_LIMIT = 64 * 1024

const SHARED: CauseTable = SHARED_CAUSES

export interface Ended {
  readonly checker: AnyChecker
  /** Removes the secrets of the settings. */
  readonly redact: Redactor
  readonly judgement: Judgement
  readonly measured: JsonObject
  readonly started_at: string
  readonly duration_ms: number
  readonly phases: Phases
  readonly remote_ip: string | null
}

export function report({
  checker,
  redact,
  judgement,
  measured,
  started_at,
  duration_ms,
  phases,
  remote_ip,
}: Ended): CheckReport {
  const { verdict, cause_code, findings } = judgement
  const outcome: Outcome = {
    verdict,
    cause_code: verdict === 'ok' ? null : cause_code,
    cause_text:
      verdict === 'ok'
        ? null
        : printable(redact.text(judgement.cause_text ?? textOf(checker, cause_code))),
    phase: verdict === 'ok' ? null : (findings.phase ?? phaseOf(checker, cause_code)),
    started_at,
    duration_ms,
    phases,
    remote_ip,
    details: redact.json(bounded({ ...measured, ...findings.details }, {})),
  }
  // Most checks have none of these.
  const { notices, memo, since, late } = findings
  const found: { -readonly [K in keyof CheckReport]: CheckReport[K] } = { outcome }
  if (notices !== undefined) {
    found.notices = notices.map((notice) => ({ ...notice, data: redact.json(notice.data) }))
  }
  if (memo !== undefined) found.memo = bounded(memo, null)
  if (since !== undefined) found.since = since
  if (late === true) found.late = true
  return found
}

function bounded<T extends Json>(value: T, instead: T): T {
  return fitsIn(value, SIZE_LIMIT) ? value : instead
}

function causeOf({ causes }: AnyChecker, code: string | null): CauseInfo | undefined {
  if (code === null) return undefined
  return Object.hasOwn(causes, code) ? causes[code] : SHARED[code]
}

function textOf(checker: AnyChecker, code: string | null): string {
  return causeOf(checker, code)?.text ?? 'The check failed'
}

function phaseOf(checker: AnyChecker, code: string | null): Outcome['phase'] {
  return causeOf(checker, code)?.phase ?? null
}
