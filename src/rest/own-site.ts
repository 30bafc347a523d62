/**
 * Requests that a browser was made to send by somebody else's page. A cookie goes along with them, and so does a
 * password that the browser keeps (`Basic`); a bearer key does not, so that requests with one are never asked.
 *
 * Browsers say by `Sec-Fetch-Site` (on https and on this machine) or else by `Origin` where a request comes from; a
 * request with neither comes from a program.
 *
 * @module
 */

import { ConfigurationError } from '../errors.ts'
import { HttpError } from './http-error.ts'

export type OwnSite = (request: Request) => void

/** The function @throws Refusal 403 `cross_site`. @throws ConfigurationError for an entry that is no origin */
export function ownSite(allowedOrigins: readonly string[]): OwnSite {
  for (const origin of allowedOrigins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new ConfigurationError(
        `allowedOrigins: "${origin}" is no origin such as https://app.example.com`,
      )
  }
  return (request) => {
    const { method, headers } = request
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return
    if (/^bearer /i.test(headers.get('authorization')?.trim() ?? '')) return
    if (allowedOrigins.includes(headers.get('origin') ?? '') || isOwn(request)) return
    throw new HttpError({
      status: 403,
      error: 'cross_site',
      message:
        'A page of another site sent this request; allowedOrigins of the API names those that may',
    })
  }
}

function isOwn({ headers, url }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const origin = headers.get('origin')
  if (origin === null) return true
  return URL.canParse(origin) && new URL(origin).host === (headers.get('host') ?? new URL(url).host)
}
