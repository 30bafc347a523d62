/**
 * From an answer to a judgement, without a network: each rule in its turn, the first that is broken
 * is the cause. Rules of the body are asked only once the status is right, since an error page says
 * nothing about the page that was wanted.
 *
 * @module
 */

import type { HttpExchange } from '../../net/net.ts'
import { redactUrl } from '../../net/http/redact-url.ts'
import { down, up } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import type { HttpSettings } from './fields.ts'
import { readNumber } from './numbers.ts'
import type { Pattern } from '../../fields/pattern.ts'
import type { HTTP_CAUSES } from './causes.ts'

export const HTTP_RULE_CAUSES = {
  keyword_missing: { text: 'The expected text is not in the body', phase: 'transfer' },
  keyword_found: { text: 'A text that must not be there is in the body', phase: 'transfer' },
  size_below: { text: 'The body is smaller than expected', phase: 'transfer' },
  size_above: { text: 'The body is larger than expected', phase: 'transfer' },
  number_missing: { text: 'No number was found in the body', phase: 'transfer' },
  number_below: { text: 'The number in the body is too small', phase: 'transfer' },
  number_above: { text: 'The number in the body is too large', phase: 'transfer' },
  slow_response: { text: 'The answer took longer than allowed' },
} as const

export type HttpCause = keyof typeof HTTP_CAUSES | keyof typeof HTTP_RULE_CAUSES

export interface Answered {
  readonly exchange: HttpExchange
  /** From the first look-up to the last byte. */
  readonly response_ms: number
  /** What `number_regex` found. */
  readonly number: number | undefined
}

type Rule = (answered: Answered, settings: HttpSettings) => Judgement<HttpCause> | undefined

/** In the order in which a person would ask. */
const RULES: readonly Rule[] = [
  status,
  finalUrl,
  keywordPresent,
  patternPresent,
  keywordAbsent,
  patternAbsent,
  size,
  numberFound,
  numberRange,
  speed,
]

export function judge(answered: Answered, settings: HttpSettings): Judgement<HttpCause> {
  const steps = judgeSteps(answered, settings)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** One rule in each step: a search by a pattern may fill a turn. */
export function* judgeSteps(
  answered: Answered,
  settings: HttpSettings,
): Generator<void, Judgement<HttpCause>> {
  for (const rule of RULES) {
    const broken = rule(answered, settings)
    if (broken !== undefined) return broken
    yield
  }
  return up()
}

/** Whether any rule asks for more than status, size and speed. */
export function looksAtText(settings: HttpSettings): boolean {
  const { keyword_present, keyword_present_regex, keyword_absent, keyword_absent_regex } = settings
  const pattern = keyword_present_regex ?? keyword_absent_regex ?? settings.number_regex
  return (keyword_present ?? keyword_absent ?? pattern) !== undefined
}

/** The number that `number_regex` finds in the body. */
export function findNumber(
  exchange: HttpExchange,
  { number_regex }: Pick<HttpSettings, 'number_regex'>,
): number | undefined {
  const match = number_regex?.exec(exchange.text())
  if (match === undefined || match === null) return undefined
  return readNumber((match.length > 1 ? match[1] : match[0]) ?? '')
}

function status({ exchange }: Answered, { expected_status }: HttpSettings) {
  if (expected_status.includes(exchange.status)) return undefined
  return down('http_status', `Got status ${exchange.status}, expected ${expected_status.source}`)
}

function finalUrl({ exchange }: Answered, { expected_final_url }: HttpSettings) {
  if (expected_final_url?.accepts(exchange.final_url) !== false) return undefined
  const [ended, expected] = [exchange.final_url, expected_final_url.source].map(redactUrl)
  return down('http_final_url_mismatch', `Ended at ${ended}, expected ${expected}`)
}

function keywordPresent({ exchange }: Answered, { keyword_present }: HttpSettings) {
  if (keyword_present === undefined || exchange.text().includes(keyword_present)) return undefined
  return (
    unread(exchange) ?? down('keyword_missing', `${quoted(keyword_present)} is not in the body`)
  )
}

function patternPresent({ exchange }: Answered, { keyword_present_regex: pattern }: HttpSettings) {
  if (pattern === undefined || pattern.test(exchange.text())) return undefined
  return (
    unread(exchange, pattern) ??
    down('keyword_missing', `No match of ${quoted(pattern.source)} is in the body`)
  )
}

function keywordAbsent({ exchange }: Answered, { keyword_absent }: HttpSettings) {
  if (keyword_absent === undefined) return undefined
  if (!exchange.text().includes(keyword_absent)) return unread(exchange)
  return down('keyword_found', `${quoted(keyword_absent)} is in the body`)
}

function patternAbsent({ exchange }: Answered, { keyword_absent_regex: pattern }: HttpSettings) {
  if (pattern === undefined) return undefined
  if (!pattern.test(exchange.text())) return unread(exchange, pattern)
  return down('keyword_found', `A match of ${quoted(pattern.source)} is in the body`)
}

/** What was not found may stand in the part that was not looked at; then nothing can be said. */
function unread(exchange: HttpExchange, { searched = Infinity }: Partial<Pattern> = {}) {
  if (exchange.body_cut) {
    return down('http_body_limit', `Only the first ${exchange.body.length} bytes were read`)
  }
  if (exchange.text().length <= searched) return undefined
  return down('http_body_limit', `Only the first ${searched} characters were searched`)
}

function size({ exchange }: Answered, { size_min, size_max }: HttpSettings) {
  const bytes = exchange.body.length
  if (size_max !== undefined && (bytes > size_max || exchange.body_cut)) {
    const seen = exchange.body_cut ? `more than ${bytes}` : String(bytes)
    return down('size_above', `The body has ${seen} bytes, expected at most ${size_max}`)
  }
  if (size_min === undefined || bytes >= size_min) return undefined
  return down('size_below', `The body has ${bytes} bytes, expected at least ${size_min}`)
}

function numberFound({ exchange, number }: Answered, { number_regex }: HttpSettings) {
  if (number_regex === undefined || number !== undefined) return undefined
  return (
    unread(exchange, number_regex) ??
    down('number_missing', `${quoted(number_regex.source)} finds no number in the body`)
  )
}

function numberRange({ number }: Answered, { number_min, number_max }: HttpSettings) {
  if (number === undefined) return undefined
  if (number_min !== undefined && number < number_min) {
    return down('number_below', `The number is ${number}, expected at least ${number_min}`)
  }
  if (number_max === undefined || number <= number_max) return undefined
  return down('number_above', `The number is ${number}, expected at most ${number_max}`)
}

function speed({ response_ms }: Answered, { max_response_ms }: HttpSettings) {
  if (max_response_ms === undefined || response_ms <= max_response_ms) return undefined
  return down('slow_response', `Took ${response_ms} ms, allowed are ${max_response_ms} ms`)
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
