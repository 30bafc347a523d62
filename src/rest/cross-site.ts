/**
 * Refuses changes that a page of another site requests. A browser attaches cookies to such requests, and stored `Basic`
 * credentials; it never attaches a bearer key, so requests with one are not tested.
 *
 * Browsers send the source in `Sec-Fetch-Site` (on https and on localhost) or `Origin`; a request with neither does
 * not come from a browser.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import { HttpError } from './http-error.ts'
import { canParseUrl } from '../model/url.ts'

export type RefuseCrossSite = (request: Request) => void

/**
 * The returned function @throws HttpError 403 `cross_site`. @throws ConfigurationError for an entry that is not an
 * origin
 */
export function refuseCrossSite(allowedOrigins: readonly string[]): RefuseCrossSite {
  for (const origin of allowedOrigins) {
    if (!canParseUrl(origin) || new URL(origin).origin !== origin)
      throw new ConfigurationError(
        `allowedOrigins: "${origin}" is no origin such as https://app.example.com`,
      )
  }
  return (request) => {
    const { method, headers } = request
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
    if (/^bearer /i.test(headers.get('authorization') ?? '')) return
    if (allowedOrigins.includes(headers.get('origin') ?? '') || isSameOrigin(request)) return
    throw new HttpError({
      status: 403,
      error: 'cross_site',
      message:
        'A page of another site sent this request; allowedOrigins of the API names those that may',
    })
  }
}

function isSameOrigin({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const origin = headers.get('origin')
  if (origin === null) return true
  return canParseUrl(origin) && new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}
