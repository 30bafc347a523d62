/**
 * Google Safe Browsing (API v4) and Web Risk. Safe Browsing is for non-commercial use only;
 * commercial monitoring needs Web Risk.
 *
 * Sources: https://developers.google.com/safe-browsing/reference/rest/v4/threatMatches/find and
 * https://cloud.google.com/web-risk/docs/reference/rest/v1/uris/search
 *
 * @module
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { ConfigurationError } from '../../errors.ts'
import { parseUrl } from '../../fields/url.ts'
import type { HttpExchange, HttpRequest } from '../../net/net.ts'
import { VERSION } from '../../version.ts'
import type { BlacklistProvider, ProviderFinding } from './provider.ts'
import type { Subject } from './target.ts'

export interface SafeBrowsingOptions {
  /** API key; sent in a header, never in a URL. */
  readonly key: string
  /** `v4`: Safe Browsing. `webrisk`: Web Risk. Default `v4`. */
  readonly api?: 'v4' | 'webrisk' | undefined
  /** Origin of the service, for a proxy of your own. Default: Google's. */
  readonly endpoint?: string | undefined
}

const ENDPOINTS = {
  v4: 'https://safebrowsing.googleapis.com',
  webrisk: 'https://webrisk.googleapis.com',
} as const

const THREATS = ['MALWARE', 'SOCIAL_ENGINEERING', 'UNWANTED_SOFTWARE'] as const
/** Supported by v4 only. */
const V4_THREATS = [...THREATS, 'POTENTIALLY_HARMFUL_APPLICATION'] as const

/** Answers are a few hundred bytes. */
const ANSWER_LIMIT_BYTES = 64 * 1024

/** @throws ConfigurationError */
export function safeBrowsing(options: SafeBrowsingOptions): BlacklistProvider {
  checkOptions('safeBrowsing', options, {
    key: option.text,
    api: option.oneOf('v4', 'webrisk'),
    endpoint: option.text,
  })
  const { key, api = 'v4' } = options
  const endpoint = parseUrl(options.endpoint ?? ENDPOINTS[api])
  if (!endpoint.ok) throw new ConfigurationError(`safeBrowsing: endpoint: ${endpoint.problem}`)
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigurationError('safeBrowsing: key: a key is expected')
  const base = endpoint.url.replace(/\/$/, '')
  return {
    async lookUp({ net }, subject) {
      const request = api === 'v4' ? v4Request(base, subject) : webRiskRequest(base, subject)
      const headers = [...(request.headers ?? []), ['X-Goog-Api-Key', key] as const]
      const limits = { redirects: 0, bodyLimit: ANSWER_LIMIT_BYTES }
      return judge(await net.http({ ...request, ...limits, headers }), api)
    },
  }
}

function v4Request(base: string, subject: Subject): HttpRequest {
  const threatInfo = {
    threatTypes: V4_THREATS,
    platformTypes: ['ANY_PLATFORM'],
    threatEntryTypes: ['URL'],
    threatEntries: [{ url: addressOf(subject) }],
  }
  return {
    url: `${base}/v4/threatMatches:find`,
    method: 'POST',
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify({
      client: { clientId: 'watchpost', clientVersion: VERSION },
      threatInfo,
    }),
  }
}

function webRiskRequest(base: string, subject: Subject): HttpRequest {
  const query = new URLSearchParams([
    ...THREATS.map((threat): [string, string] => ['threatTypes', threat]),
    ['uri', addressOf(subject)],
  ])
  return { url: `${base}/v1/uris:search?${query.toString()}` }
}

/** A host means its front page; scheme and port do not matter to the lists. */
function addressOf({ url, host }: Subject): string {
  return url ?? `http://${host.includes(':') ? `[${host}]` : host}/`
}

function judge(exchange: HttpExchange, api: 'v4' | 'webrisk'): ProviderFinding {
  const { status } = exchange
  if (status === 429) {
    return unknown('probe_rate_limited', 'Safe Browsing is asked more often than the key allows')
  }
  if (status === 400 || status === 401 || status === 403) {
    return unknown('probe_provider_failed', `Safe Browsing does not accept the key (${status})`)
  }
  if (status !== 200) {
    return unknown('probe_provider_failed', `Safe Browsing answered with status ${status}`)
  }
  const threats = threatsIn(exchange.text(), api)
  if (threats === undefined) {
    return unknown('probe_provider_failed', 'Safe Browsing sent an answer that cannot be read')
  }
  if (threats.length === 0) return { state: 'clean' }
  const categories = [...new Set(threats.map((threat) => threat.toLowerCase()))].sort()
  return { state: 'listed', categories, reason: null }
}

/** `{}` if there are none; `undefined` if the text is not an answer of this API. */
function threatsIn(text: string, api: 'v4' | 'webrisk'): readonly string[] | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return undefined
    const { matches = [], threat } = answer as {
      readonly matches?: readonly { readonly threatType?: unknown }[]
      readonly threat?: { readonly threatTypes?: readonly unknown[] }
    }
    const types =
      api === 'v4' ? matches.map(({ threatType }) => threatType) : (threat?.threatTypes ?? [])
    return types.filter((type) => typeof type === 'string')
  } catch {
    return undefined
  }
}

function unknown(
  cause_code: 'probe_provider_failed' | 'probe_rate_limited',
  cause_text: string,
): ProviderFinding {
  return { state: 'unknown', cause_code, cause_text }
}
