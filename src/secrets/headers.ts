/**
 * Which request headers hold no secret. Every other value is one: the names of headers that carry
 * credentials are made up by whoever runs a server (`X-Auth`, `X-Access-Key`, `X-Tok`), so that no list
 * of them is complete, and a list of the harmless ones fails on the safe side.
 *
 * @module
 */

/** Content negotiation, caching, validators and what browsers add by themselves. In lower case. */
const HARMLESS = new Set([
  'accept',
  'cache-control',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'dnt',
  'host',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'max-forwards',
  'origin',
  'pragma',
  'prefer',
  'priority',
  'range',
  'referer',
  'sec-gpc',
  'upgrade-insecure-requests',
  'user-agent',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-requested-with',
])
const HARMLESS_PREFIXES = ['accept-', 'sec-fetch-', 'sec-ch-']

/** Whether the value of a request header of this name may be shown, stored in clear and sent to another origin. */
export function isHarmlessHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return HARMLESS.has(lower) || HARMLESS_PREFIXES.some((prefix) => lower.startsWith(prefix))
}
