/**
 * `http`: requests a URL and evaluates status, redirects, text, size, a number, and speed.
 *
 * @module watchpost/checkers/http
 */

import { DEFAULT_BODY_LIMIT_BYTES } from '../../net/http/hop.ts'
import { redactUrl } from '../../net/http/redact-url.ts'
import type { HeaderPair } from '../../net/http/headers.ts'
import type { HttpRequest } from '../../net/net.ts'
import { identityOf } from '../client-certificate.ts'
import { authorized } from '../oauth/authorized.ts'
import { defineChecker } from '../checker.ts'
import type { CheckContext, Judgement } from '../checker.ts'
import { HTTP_CAUSES } from './causes.ts'
import {
  certificateRefusal,
  EXCHANGE_MEASUREMENTS,
  exchangeDetails,
  refusalReader,
} from './exchange.ts'
import { proxyOf, USER_AGENT } from './request-fields.ts'
import { httpFields, refineHttp } from './fields.ts'
import type { HttpSettings } from './fields.ts'
import { HTTP_RULE_CAUSES, judge } from './judge.ts'
import type { Answered, HttpCause } from './judge.ts'
import { percentileOf, withResponse } from './response-window.ts'
import { jsonDetails } from './json-assertions.ts'
import { createSearch } from './search.ts'

/** CPU time limit of the search for a number, and of the assertions on JSON; at most a quarter of the timeout. */
const SEARCH_MS = 1_000

/** Of `max_response_checks`. */
const DEFAULT_CHECKS = 20

export const http = () => {
  // The request depends only on the settings, which are the same object in every check.
  const requests = new WeakMap<HttpSettings, HttpRequest>()
  return defineChecker({
    type: 'http',
    title: 'Site over HTTP/HTTPS',
    description: 'Requests a URL and evaluates status, redirects, text, size, a number, and speed.',
    fields: httpFields,
    causes: { ...HTTP_CAUSES, ...HTTP_RULE_CAUSES },
    figures: [
      'response_ms',
      'response_percentile_ms',
      'body_bytes',
      'body_decoded_bytes',
      'number',
    ],
    measurements: {
      ...EXCHANGE_MEASUREMENTS,
      number: 'What number_regex found',
      json: 'Each assertion of json: path, op, value, what was found (cut to 100 characters) and whether it holds',
      response_ms: 'Milliseconds from the first look-up to the last byte, redirects included',
      response_percentile_ms:
        'max_response_percentile of the last response times of this location; only with that setting',
    },
    highlights: {
      'tls.not_after': { title: 'Certificate ends', format: 'end' },
      status: { title: 'Status code' },
      number: { title: 'Number found' },
      http_version: { title: 'HTTP version' },
    },
    refine: refineHttp,
    target: (settings) => redactUrl(settings.url),
    async run(ctx, settings) {
      const request = requests.get(settings) ?? requestFor(settings)
      if (!requests.has(settings)) requests.set(settings, request)
      const wall_ms = ctx.remaining() / 4
      const cpu_ms = Math.min(SEARCH_MS, wall_ms)
      const search = createSearch(settings, { clock: ctx.clock, cpu_ms, wall_ms })
      // An error page does not have the expected content.
      let refusal: ReturnType<typeof refusalReader>
      const reader = (status: number) =>
        settings.expected_status.includes(status) ? search : (refusal = refusalReader(status))
      const exchange = await authorized(ctx, settings, {
        send: (authorization) => ctx.net.http(withHeaders(request, authorization), reader),
        expects401: settings.expected_status.includes(401),
      })
      const response_ms = exchange.elapsed_ms
      ctx.measure(exchangeDetails(exchange))
      ctx.measure({ response_ms })
      const number = search?.number_regex?.number
      if (number !== undefined) ctx.measure({ number })
      if (search?.json !== undefined) ctx.measure({ json: jsonDetails(search.json) })
      const refused = certificateRefusal(exchange, {
        identity: request.identity,
        now: ctx.clock.now(),
        page: refusal?.page(),
      })
      if (refused !== undefined) return refused
      const answered = { exchange, response_ms, now: ctx.clock.now(), search }
      return settings.max_response_percentile === undefined
        ? judge(answered, settings)
        : judgeByPercentile(ctx, answered, settings)
    },
  })
}

/** The times of checks that fail for another reason are left out: an error page is often fast. */
function judgeByPercentile(
  ctx: CheckContext,
  answered: Answered,
  settings: HttpSettings,
): Judgement<HttpCause> {
  const { max_response_percentile = 100, max_response_checks = DEFAULT_CHECKS } = settings
  const times = withResponse(ctx.memo, answered.response_ms, max_response_checks)
  const percentile_ms = percentileOf(times, max_response_percentile, max_response_checks)
  const judged = judge({ ...answered, percentile_ms }, settings)
  if (judged.verdict !== 'ok' && judged.cause_code !== 'slow_response') return judged
  if (percentile_ms !== undefined) ctx.measure({ response_percentile_ms: percentile_ms })
  return { ...judged, findings: { ...judged.findings, memo: { response_ms: times } } }
}

function requestFor(settings: HttpSettings): HttpRequest {
  const { url, method, body, auth, size_min = 0, size_max = 0 } = settings
  return Object.freeze({
    url,
    method,
    headers: headersFor(settings),
    ...(body !== undefined ? { body } : {}),
    ip_family: settings.ip_family,
    http_version: settings.http_version,
    proxy: proxyOf(settings),
    identity: identityOf(settings),
    verify: !settings.ignore_tls_errors,
    ...(settings.follow_redirects ? {} : { redirects: 0 }),
    auth: auth === undefined ? undefined : { user: auth.user ?? '', pass: auth.pass ?? '' },
    bodyLimit: Math.max(DEFAULT_BODY_LIMIT_BYTES, size_min, size_max),
    // Only counted, and searched as it arrives.
    keepBody: false,
  })
}

/** The request itself where nothing is added: what is derived from it is kept. */
function withHeaders(request: HttpRequest, added: readonly HeaderPair[]): HttpRequest {
  const { headers = [] } = request
  return added.length === 0 ? request : { ...request, headers: [...headers, ...added] }
}

function headersFor(settings: HttpSettings): NonNullable<HttpRequest['headers']> {
  const { headers = [], user_agent, referer, body, content_type } = settings
  const given = new Set(headers.map(([name]) => name.toLowerCase()))
  const own = [
    ['User-Agent', user_agent ?? USER_AGENT],
    ['Referer', referer],
    ['Content-Type', content_type ?? (body === undefined ? undefined : contentTypeOf(body))],
  ] as const
  const sent = own.flatMap(([name, value]) =>
    value === undefined || given.has(name.toLowerCase()) ? [] : [[name, value] as const],
  )
  return [...sent, ...headers]
}

function contentTypeOf(body: string): string {
  try {
    JSON.parse(body)
    return 'application/json'
  } catch {
    return 'text/plain; charset=utf-8'
  }
}
