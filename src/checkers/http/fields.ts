/**
 * The settings of `http` and the rules across them.
 *
 * @module
 */

import type { Settings, Stored, FieldBuilder } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { field } from '../../fields/vocabulary.ts'
import {
  authField,
  httpVersionField,
  proxyFields,
  proxyProblems,
  userProblem,
  withoutProxyLogin,
  withoutUserinfo,
} from './request-fields.ts'
import { clientCertificateFields, clientCertificateProblems } from '../client-certificate.ts'
import { oauthField, oauthProblems, withoutEmptyGrant } from '../oauth/fields.ts'
import { headersExpectedField } from './header-assertions.ts'
import { jsonField } from './json-assertions.ts'
import { MAX_CHECKS } from './response-window.ts'
import { statusRangesField } from '../../fields/status-ranges.ts'
import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import { textSchema } from '../../fields/text.ts'
import { parseUrl } from '../../fields/url.ts'

export interface FinalUrlRule {
  readonly source: string
  accepts(url: string): boolean
}

/** Largest body that `size_min` and `size_max` can require: 16 MiB. */
const MAX_SIZE_BYTES = 16 * 1024 * 1024

export const httpFields = {
  url: field
    .url({
      description: 'URL to request; user:pass@ is moved to auth',
      example: 'https://example.com/health',
      userinfo: true,
    })
    .required(),
  method: field
    .oneOf(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], {
      description: 'Request method',
    })
    .default('GET'),
  expected_status: statusRangesField(
    'Status codes that are right: codes, ranges and classes (2xx) with commas',
  ).default('200-299'),
  max_response_ms: field.integer({
    min: 1,
    max: 60_000,
    unit: 'ms',
    description: 'Longest time from the first look-up to the last byte, redirects included',
  }),
  max_response_percentile: field.number({
    min: 1,
    max: 100,
    unit: '%',
    description:
      'max_response_ms limits this percentile of the last checks of a location instead of each check',
  }),
  max_response_checks: field.integer({
    min: 2,
    max: MAX_CHECKS,
    description: 'How many checks the percentile is of; with fewer, it is not judged. Default: 20',
  }),
  keyword_present: keyword('Text that must be in the body; case-sensitive'),
  keyword_present_regex: field.regex({
    description: 'Pattern that must match in the body',
    example: '/in stock: \\d+/i',
  }),
  keyword_absent: keyword('Text that must not be in the body; case-sensitive'),
  keyword_absent_regex: field.regex({ description: 'Pattern that must not match in the body' }),
  size_min: field.integer({
    min: 0,
    max: MAX_SIZE_BYTES,
    unit: 'bytes',
    description: 'Smallest size of the unpacked body',
  }),
  size_max: field.integer({
    min: 0,
    max: MAX_SIZE_BYTES,
    unit: 'bytes',
    description: 'Largest size of the unpacked body',
  }),
  number_regex: field.regex({
    description: 'Finds a number in the body: the first group, or the whole match without one',
    example: 'Queue: ([\\d.,]+)',
  }),
  number_min: field.number({ description: 'Smallest value that the number found may have' }),
  number_max: field.number({ description: 'Largest value that the number found may have' }),
  json: jsonField,
  headers_expected: headersExpectedField,
  certificate_days_min: field.integer({
    min: 1,
    max: 3650,
    unit: 'days',
    description: 'Days for which the certificate of the final answer must still be valid, at least',
  }),
  follow_redirects: field
    .flag({ description: 'Follow up to 10 redirects; without it a 3xx is the answer' })
    .default(true),
  expected_final_url: finalUrlField(
    'Address at which the redirects must end; a * at the end stands for any rest',
  ),
  user_agent: field.headerValue({
    description: 'User-Agent; Watchpost and its version where absent',
  }),
  referer: field.headerValue({ max: 2048, description: 'Referer' }),
  headers: field.headers({
    description: 'More request headers; values of all but well-known harmless ones are secrets',
  }),
  body: field.text({
    max: 65_536,
    multiline: true,
    controls: true,
    description: 'Request body, in UTF-8; not with GET and HEAD',
  }),
  content_type: field.headerValue({
    description:
      'Content-Type of the body; application/json where it is JSON, else text/plain in UTF-8',
  }),
  auth: authField,
  oauth: oauthField,
  ignore_tls_errors: field
    .flag({
      description: 'Accept any certificate; what was wrong is still in the details',
      destination: [true],
    })
    .default(false),
  ip_family: field.ipFamily().default('auto'),
  http_version: httpVersionField,
  ...proxyFields,
  ...clientCertificateFields,
}

function keyword(description: string) {
  return field.text({ max: 1000, multiline: true, description })
}

export type HttpStored = Stored<typeof httpFields>
export type HttpSettings = Settings<typeof httpFields>

const PROBLEMS = [
  bodyProblems,
  rangeProblems,
  headerProblems,
  oauthProblems,
  proxyProblems,
  clientCertificateProblems,
]

/** Rules across fields; credentials in the URL are moved to `auth`, which is a secret field. */
export function refineHttp(
  given: HttpStored,
): { readonly settings: HttpStored } | { readonly fields: Problems } {
  const settings = withoutEmptyGrant(withoutProxyLogin(withoutUserinfo(given)))
  const problems: Record<string, string> = {}
  for (const problem of PROBLEMS) {
    Object.assign(problems, problem(settings))
  }
  return Object.keys(problems).length > 0 ? { fields: problems } : { settings }
}

function bodyProblems(settings: HttpStored): Problems {
  const { method } = settings
  const problems: Record<string, string> = {}
  if (settings.body !== undefined && (method === 'GET' || method === 'HEAD')) {
    problems.body = `invalid: a ${method} request has no body`
  }
  if (method !== 'HEAD') return problems
  const ofBody = [
    'keyword_present',
    'keyword_present_regex',
    'keyword_absent',
    'keyword_absent_regex',
    'size_min',
    'size_max',
    'number_regex',
    'json',
  ] as const
  for (const name of ofBody) {
    if (settings[name] !== undefined) {
      problems[name] = 'invalid: the answer to a HEAD request has no body'
    }
  }
  return problems
}

function rangeProblems(settings: HttpStored): Problems {
  const problems: Record<string, string> = {}
  if (settings.max_response_percentile !== undefined && settings.max_response_ms === undefined)
    problems.max_response_percentile = 'invalid: max_response_ms must say how long it may be'
  if (settings.max_response_checks !== undefined && settings.max_response_percentile === undefined)
    problems.max_response_checks = 'invalid: only with max_response_percentile'
  for (const name of ['number_min', 'number_max'] as const) {
    if (settings[name] !== undefined && settings.number_regex === undefined) {
      problems[name] = 'invalid: number_regex must say which number is meant'
    }
  }
  for (const kind of ['size', 'number'] as const) {
    const [min, max] = [settings[`${kind}_min`], settings[`${kind}_max`]]
    if (min !== undefined && max !== undefined && min > max) {
      problems[`${kind}_min`] ??= `invalid: greater than ${kind}_max`
    }
  }
  return problems
}

function headerProblems({ headers = {}, auth, ...settings }: HttpStored): Problems {
  const problems: Record<string, string> = {}
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  const twice = {
    user_agent: 'user-agent',
    referer: 'referer',
    content_type: 'content-type',
  } as const
  for (const name of ['user_agent', 'referer', 'content_type'] as const) {
    if (settings[name] !== undefined && names.has(twice[name])) {
      problems[name] = `invalid: ${twice[name]} is among the headers as well`
    }
  }
  if (auth !== undefined && names.has('authorization')) {
    problems['auth.user'] = 'invalid: authorization is among the headers as well'
  }
  const problem = userProblem(auth)
  if (problem !== undefined) problems['auth.user'] = problem
  return problems
}

/** A URL at which the redirects must end; a trailing `*` matches any rest. */
function finalUrlField(description: string): FieldBuilder<string, FinalUrlRule> {
  const schema = v.pipe(
    textSchema({ max: 2048, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const isPrefix = dataset.value.endsWith('*')
      const parsed = parseUrl(isPrefix ? dataset.value.slice(0, -1) : dataset.value)
      if (parsed.ok) return isPrefix ? `${parsed.url}*` : parsed.url
      addIssue({ message: `invalid: ${parsed.problem}` })
      return NEVER
    }),
  )
  return defineField(
    { kind: 'string', format: 'url', min: 1, max: 2048, description },
    schema,
    finalUrlRule,
  )
}

function finalUrlRule(source: string): FinalUrlRule {
  const start = source.endsWith('*') ? source.slice(0, -1) : undefined
  return {
    source,
    accepts: (url) => (start === undefined ? url === source : url.startsWith(start)),
  }
}
