/**
 * Evaluates a response, without network access: rules in order, the first violated one is the
 * cause. Rules of the body apply only if the status is right, since an error page does not have the
 * expected content.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { DAY_MS } from '../../model/time.ts'
import type { Pattern } from '../../fields/pattern.ts'
import type { HttpExchange } from '../../net/net.ts'
import { redactUrl } from '../../net/http/redact-url.ts'
import { down, unknown, up } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import type { HttpSettings } from './fields.ts'
import { headerProblem } from './header-assertions.ts'
import { jsonProblem } from './json-assertions.ts'
import type { Search, Sought } from './search.ts'
import type { HTTP_CAUSES } from './causes.ts'

export const HTTP_RULE_CAUSES = {
  /** Open the page. It is an error page with status 200, or it was rewritten; then update the setting. */
  keyword_missing: { text: 'The expected text is not in the body', phase: 'transfer' },
  /** As `keyword_missing`. */
  keyword_found: { text: 'A text that must not be there is in the body', phase: 'transfer' },
  /** As `keyword_missing`. */
  size_below: { text: 'The body is smaller than expected', phase: 'transfer' },
  /** As `keyword_missing`. */
  size_above: { text: 'The body is larger than expected', phase: 'transfer' },
  /** As `keyword_missing`. */
  number_missing: { text: 'No number was found in the body', phase: 'transfer' },
  /** The page works; its value is out of bounds. */
  number_below: { text: 'The number in the body is too small', phase: 'transfer' },
  /** As `number_below`. */
  number_above: { text: 'The number in the body is too large', phase: 'transfer' },
  /** `details.json` has what was found for each assertion. */
  json_mismatch: { text: 'A value in the JSON body is not the expected one', phase: 'transfer' },
  /** Open the page: it is often an HTML error page with status 200. */
  json_invalid: { text: 'The body is not JSON', phase: 'transfer' },
  /** A proxy or a release changed the headers; if that is right, update the setting. */
  header_mismatch: { text: 'A header of the answer is not the expected one', phase: 'first_byte' },
  /** Renew the certificate, and check why it was not renewed automatically. An answer over `http://` has none. */
  tls_expiring: { text: 'The certificate ends sooner than allowed', phase: 'tls' },
  /** As `timeout`. */
  slow_response: { text: 'The answer took longer than allowed' },
} as const

export type HttpCause = keyof typeof HTTP_CAUSES | keyof typeof HTTP_RULE_CAUSES

export interface Answered {
  readonly exchange: HttpExchange
  /** From the first lookup to the last byte. */
  readonly response_ms: number
  /** The percentile that is judged instead; `undefined` while there are too few checks. */
  readonly percentile_ms?: number | undefined
  readonly now: EpochMs
  /** Results of the text rules; `undefined` if there are none, or the body was not searched. */
  readonly search: Search | undefined
}

type Rule = (answered: Answered, settings: HttpSettings) => Judgement<HttpCause> | undefined

/** In order of evaluation. */
const RULES: readonly Rule[] = [
  status,
  finalUrl,
  headersExpected,
  keywordPresent,
  patternPresent,
  keywordAbsent,
  patternAbsent,
  size,
  numberFound,
  numberRange,
  json,
  certificateDays,
  speed,
]

/** A violated rule is a failure even if other rules could not be evaluated; those come second. */
export function judge(answered: Answered, settings: HttpSettings): Judgement<HttpCause> {
  let unseen: Judgement<HttpCause> | undefined
  for (const rule of RULES) {
    const broken = rule(answered, settings)
    if (broken?.verdict === 'fail') return broken
    unseen ??= broken
  }
  return unseen ?? up()
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

function keywordPresent({ search }: Answered, { keyword_present: word = '' }: HttpSettings) {
  return missing(search?.keyword_present, 'keyword_missing', `${quoted(word)} is not in`)
}

function patternPresent({ search }: Answered, { keyword_present_regex: pattern }: HttpSettings) {
  return missing(
    search?.keyword_present_regex,
    'keyword_missing',
    `no match of ${source(pattern)} is in`,
  )
}

function keywordAbsent({ search }: Answered, { keyword_absent: word = '' }: HttpSettings) {
  const sought = search?.keyword_absent
  if (sought?.found === true) return down('keyword_found', `${quoted(word)} is in the body`)
  return unread(sought, `${quoted(word)} is not in`)
}

function patternAbsent({ search }: Answered, { keyword_absent_regex: pattern }: HttpSettings) {
  const sought = search?.keyword_absent_regex
  if (sought?.found === true) {
    return down('keyword_found', `A match of ${source(pattern)} is in the body`)
  }
  return unread(sought, `no match of ${source(pattern)} is in`)
}

function missing(
  sought: Sought | undefined,
  cause: 'keyword_missing' | 'number_missing',
  what: string,
) {
  if (sought?.found !== false) return undefined
  return unread(sought, what) ?? down(cause, `${what.replace(/^n/, 'N')} the body`)
}

/** Text that was not found may be in the part that was not searched; then the result is unknown. */
function unread(sought: Sought | undefined, what: string) {
  const unseen = sought?.found === false ? sought.unseen : undefined
  if (unseen === undefined) return undefined
  return unknown('http_body_limit', `${unseen}, and ${what} them`)
}

function size({ exchange }: Answered, { size_min, size_max }: HttpSettings) {
  const bytes = exchange.decoded_bytes
  if (size_max !== undefined && (bytes > size_max || exchange.body_cut)) {
    const seen = exchange.body_cut ? `more than ${bytes}` : String(bytes)
    return down('size_above', `The body has ${seen} bytes, expected at most ${size_max}`)
  }
  if (size_min === undefined || bytes >= size_min) return undefined
  return down('size_below', `The body has ${bytes} bytes, expected at least ${size_min}`)
}

function numberFound({ search }: Answered, { number_regex }: HttpSettings) {
  return missing(
    search?.number_regex,
    'number_missing',
    `${source(number_regex)} finds no number in`,
  )
}

function numberRange({ search }: Answered, { number_min, number_max }: HttpSettings) {
  const number = search?.number_regex?.number
  if (number === undefined) return undefined
  if (number_min !== undefined && number < number_min) {
    return down('number_below', `The number is ${number}, expected at least ${number_min}`)
  }
  if (number_max === undefined || number <= number_max) return undefined
  return down('number_above', `The number is ${number}, expected at most ${number_max}`)
}

function headersExpected({ exchange }: Answered, { headers_expected = [] }: HttpSettings) {
  const problem = headerProblem(exchange, headers_expected)
  return problem === undefined ? undefined : down('header_mismatch', problem)
}

function json({ search }: Answered) {
  const found = search?.json
  if (found?.problem !== undefined) return down('json_invalid', found.problem)
  const problem = found === undefined ? undefined : jsonProblem(found)
  if (problem !== undefined) return down('json_mismatch', problem)
  return found?.unseen === undefined ? undefined : unknown('http_body_limit', found.unseen)
}

function certificateDays(
  { exchange, now }: Answered,
  { certificate_days_min: fewest }: HttpSettings,
) {
  if (fewest === undefined) return undefined
  if (exchange.tls === null) {
    const text = `The final answer has no certificate, expected one for at least ${fewest} days`
    return down('tls_expiring', text)
  }
  const { not_after } = exchange.tls
  if (not_after === null) return undefined
  const days = Math.floor((Date.parse(not_after) - now) / DAY_MS)
  if (days >= fewest) return undefined
  return down(
    'tls_expiring',
    `The certificate ends at ${not_after}, in ${days} days, expected at least ${fewest}`,
  )
}

function speed({ response_ms, percentile_ms }: Answered, settings: HttpSettings) {
  const { max_response_ms, max_response_percentile: percentile } = settings
  const took = percentile === undefined ? response_ms : percentile_ms
  if (max_response_ms === undefined || took === undefined || took <= max_response_ms)
    return undefined
  const what = percentile === undefined ? 'Took' : `p${percentile} of the last checks is`
  return down('slow_response', `${what} ${took} ms, allowed are ${max_response_ms} ms`)
}

function source(pattern: Pattern | undefined): string {
  return quoted(pattern?.source ?? '')
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}
