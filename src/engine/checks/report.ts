/**
 * Builds the report of an executed check from its judgement: fills in texts, bounds sizes, removes secrets. A plugin may
 * return anything at run time, whatever the types say; an invalid judgement must not reach the store, where it would
 * fail the commit of others.
 *
 * @module
 */

import { SHARED_CAUSES } from '../../checkers/causes.ts'
import type { AnyChecker, CauseTable, Judgement, Findings } from '../../checkers/checker.ts'
import type { CauseInfo } from '../../checkers/causes.ts'
import type { CheckReport, Json, JsonObject, Outcome, Phases, Notice } from '../../model.ts'
import { printable } from '../../model/printable.ts'
import { fitsIn } from '../core/json-size.ts'
import type { Redactor } from './redact.ts'
import { isJsonObject } from '../../model/json.ts'

/** Long enough for a sentence, too short for a server's whole page. */
const CAUSE_TEXT_CHARS = 1000
/** What a cause, a phase or an event of a notice is called. */
const CODE = /^\w{1,64}$/

/** Maximum JSON characters of `details` and of a memo; larger ones are dropped. */
export const MAX_DETAILS_CHARS = 64 * 1024

const SHARED: CauseTable = SHARED_CAUSES

/** What an executed check leaves to report. */
export interface ExecutedCheck {
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
}: ExecutedCheck): CheckReport {
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
  return fitsIn(value, MAX_DETAILS_CHARS) ? value : instead
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

/** @throws TypeError for an invalid judgement */
export function readJudgement(type: string, value: unknown): Judgement {
  const wrong = (what: string): TypeError =>
    new TypeError(`The checker "${type}" returned something that is not a judgement: ${what}`)
  if (!isJsonObject(value)) throw wrong('no object')
  const { verdict, cause_code, cause_text, findings } = value as Partial<Judgement>
  if (verdict !== 'ok' && verdict !== 'fail' && verdict !== 'unknown') throw wrong('verdict')
  if (!isJsonObject(findings)) throw wrong('findings')
  if (verdict !== 'ok' && !isCode(cause_code)) throw wrong('cause_code')
  return {
    verdict,
    cause_code: cause_code ?? null,
    cause_text: typeof cause_text === 'string' ? cause_text.slice(0, CAUSE_TEXT_CHARS) : null,
    findings: readFindings(findings),
  }
}

function readFindings({ details, phase, notices, memo, since, late }: Findings): Findings {
  return {
    ...(isJsonObject(details) ? { details: asJson<JsonObject>(details) } : {}),
    ...(isCode(phase) ? { phase } : {}),
    ...(Array.isArray(notices) ? { notices: notices.filter(isNotice).map(readNotice) } : {}),
    ...(memo === undefined ? {} : { memo: asJson<Json>(memo) }),
    ...(Number.isFinite(since) ? { since: Number(since) } : {}),
    ...(late === true ? { late } : {}),
  }
}

export function isCode(value: unknown): value is string {
  return typeof value === 'string' && CODE.test(value)
}

export function isNotice(value: unknown): value is Notice {
  if (!isJsonObject(value)) return false
  const { event, key, data } = value as Partial<Notice>
  return isCode(event) && typeof key === 'string' && isJsonObject(data)
}

function readNotice({ event, key, data }: Notice): Notice {
  return { event, key, data: asJson<JsonObject>(data) }
}

/** The value as it would come out of the store. @throws TypeError for a cycle or a BigInt */
function asJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
