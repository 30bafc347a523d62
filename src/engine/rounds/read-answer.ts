/**
 * Reads an answer of a probe transport. A probe elsewhere may send anything, whatever the types say: what the store
 * would refuse fails the commit of other monitors as well, and what has no bound fills it.
 *
 * @module
 */

import { iso } from '../../clock.ts'
import { isJsonObject } from '../../model/json.ts'
import { DAY_MS } from '../../model/time.ts'
import type {
  CheckReport,
  EpochMs,
  Json,
  JsonObject,
  Notice,
  Outcome,
  Phases,
} from '../../model.ts'
import type { CheckAnswer } from '../../probes/transport.ts'
import { printable } from '../../model/printable.ts'
import { isCode, isNotice } from '../checks/report.ts'
import { fitsIn } from '../core/json-size.ts'

const VERDICTS: readonly unknown[] = ['ok', 'fail', 'unknown']

/** Above what a check makes itself (`checks/report.ts`), since redaction and escapes lengthen it. */
const TEXT_CHARS = 8000
const JSON_CHARS = 128 * 1024
const ADDRESS_CHARS = 64
const KEY_CHARS = 1000
const MAX_NOTICES = 100
const MAX_PHASES = 64

/** What lies further from now, or took longer, is no time of a check: the clock of the probe is wrong, or it lies. */
const FURTHEST_MS = DAY_MS

/**
 * The answer within its bounds. `undefined` for one that is none: it is ignored, and the round ends without it. A check
 * that is dated more than a day from `now` is taken for one that has just ended.
 */
export function readAnswer(value: unknown, now: EpochMs): CheckAnswer | undefined {
  const { order, report, lag_ms } = recordOf(value)
  const { outcome, ...rest } = recordOf(report)
  const read = readOutcome(recordOf(outcome), now)
  if (read === undefined || !Number.isInteger(recordOf(order)['monitor_id'])) return undefined
  return {
    order: order as CheckAnswer['order'],
    report: { outcome: read, ...readFindings(rest, now) },
    lag_ms: isDuration(lag_ms) ? lag_ms : 0,
  }
}

function readOutcome(given: Record<string, unknown>, now: EpochMs): Outcome | undefined {
  const { verdict, cause_code, cause_text, phase, duration_ms, phases, remote_ip, details } = given
  const started_at = Date.parse(String(given['started_at']))
  const isCaused = verdict === 'ok' || isCode(cause_code)
  if (!VERDICTS.includes(verdict) || !isCaused || Number.isNaN(started_at)) return undefined
  if (!isDuration(duration_ms) || !isJsonObject(phases) || !isJsonObject(details)) return undefined
  return {
    verdict: verdict as Outcome['verdict'],
    cause_code: isCode(cause_code) ? cause_code : null,
    cause_text: textOf(cause_text, TEXT_CHARS),
    phase: isCode(phase) ? phase : null,
    started_at: iso(Math.abs(started_at - now) > FURTHEST_MS ? now - duration_ms : started_at),
    duration_ms,
    phases: readPhases(phases),
    remote_ip: textOf(remote_ip, ADDRESS_CHARS),
    details: fitsIn(details, JSON_CHARS) ? details : {},
  }
}

function readPhases(given: JsonObject): Phases {
  const known = Object.entries(given).filter(([name, ms]) => isCode(name) && isDuration(ms))
  return Object.fromEntries(known.slice(0, MAX_PHASES)) as Phases
}

function readFindings(
  { notices, memo, since, late, begun }: Record<string, unknown>,
  now: EpochMs,
): Omit<CheckReport, 'outcome'> {
  return {
    ...(Array.isArray(notices) ? { notices: readNotices(notices) } : {}),
    ...(memo === undefined ? {} : { memo: fitsIn(memo, JSON_CHARS) ? (memo as Json) : null }),
    // It dates the incident, whatever the other locations report.
    ...(isRecent(since, now) ? { since: Math.floor(since) } : {}),
    ...(late === true ? { late } : {}),
    ...(begun === false ? { begun } : {}),
  }
}

/** All of them are compared, sent and stored in one turn, so that their data have one bound. */
function readNotices(given: readonly unknown[]): readonly Notice[] {
  let chars = 0
  return given.slice(0, MAX_NOTICES).filter((value): value is Notice => {
    if (!isNotice(value) || value.key.length > KEY_CHARS || !fitsIn(value.data, JSON_CHARS))
      return false
    chars += JSON.stringify(value.data).length
    return chars <= JSON_CHARS
  })
}

function isRecent(value: unknown, now: EpochMs): value is EpochMs {
  return typeof value === 'number' && value <= now && now - value <= FURTHEST_MS
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= FURTHEST_MS
}

function textOf(value: unknown, max_chars: number): string | null {
  return typeof value === 'string' ? printable(value.slice(0, max_chars)) : null
}

function recordOf(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {}
}
