/**
 * Validates the value that a checker returned. A plugin may return anything at run time, whatever the types say; an
 * invalid value must not reach the store, where it would fail the commit of others.
 *
 * @module
 */

import type { Findings, Judgement } from '../../checkers/checker.ts'
import type { Json, JsonObject, Notice } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'

/** Long enough for a sentence, too short for a server's whole page. */
const CAUSE_TEXT_CHARS = 1000
const CODE = /^\w{1,64}$/

/** @throws TypeError for an invalid judgement */
export function readJudgement(type: string, value: unknown): Judgement {
  const wrong = (what: string): TypeError =>
    new TypeError(`The checker "${type}" returned something that is not a judgement: ${what}`)
  if (!isJsonObject(value)) throw wrong('no object')
  const { verdict, cause_code, cause_text, findings } = value as Partial<Judgement>
  if (verdict !== 'ok' && verdict !== 'fail' && verdict !== 'unknown') throw wrong('verdict')
  if (!isJsonObject(findings)) throw wrong('findings')
  if (verdict !== 'ok' && (typeof cause_code !== 'string' || !CODE.test(cause_code)))
    throw wrong('cause_code')
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
    ...(typeof phase === 'string' && CODE.test(phase) ? { phase } : {}),
    ...(Array.isArray(notices) ? { notices: notices.filter(isNotice).map(readNotice) } : {}),
    ...(memo === undefined ? {} : { memo: asJson<Json>(memo) }),
    ...(Number.isFinite(since) ? { since: Number(since) } : {}),
    ...(late === true ? { late } : {}),
  }
}

function isNotice(value: unknown): value is Notice {
  if (!isJsonObject(value)) return false
  const { event, key, data } = value as Partial<Notice>
  return (
    typeof event === 'string' && CODE.test(event) && typeof key === 'string' && isJsonObject(data)
  )
}

function readNotice({ event, key, data }: Notice): Notice {
  return { event, key, data: asJson<JsonObject>(data) }
}

/** The value as it would come out of the store. @throws TypeError for a cycle or a BigInt */
function asJson<T extends Json>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
