/**
 * Where a redirect leads and what goes along (RFC 9110, 15.4; the method rules are those of browsers,
 * WHATWG Fetch "HTTP-redirect fetch").
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import { mayCarryCredential, without } from './headers.ts'
import type { HopRequest } from './hop.ts'
import { redactUrl } from './redact-url.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** 300 offers a choice and 304 means "not modified": neither leads anywhere by itself. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/** The request that follows from `request` and the answer to it. @throws CheckFailure `http_redirect_invalid` */
export function nextRequest(
  request: HopRequest,
  status: number,
  location: string | undefined,
): HopRequest {
  const url = targetOf(request.url, location)
  const followed = changeMethod(request, status)
  const leaves = !sameParty(request.url, url)
  const headers = leaves
    ? without(followed.headers, (name) => name === 'host' || mayCarryCredential(name))
    : followed.headers
  return { ...followed, url, headers }
}

/** Same origin, or the same host once it has moved up to TLS. */
function sameParty(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  return from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:'
}

function changeMethod(request: HopRequest, status: number): HopRequest {
  const toGet =
    (status === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST')
  if (!toGet) return request
  const headers = without(request.headers, (name) => name.startsWith('content-'))
  return { ...request, method: 'GET', body: undefined, headers }
}

function targetOf(base: URL, location: string | undefined): URL {
  if (location === undefined || location.trim() === '') {
    throw invalid('The redirect has no Location')
  }
  // The octets of a name beyond ASCII are kept as they came, whatever charset they are in.
  const ascii = location.replace(
    /[\u0080-\u00ff]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  if (!URL.canParse(ascii, base.href)) {
    throw invalid(`The redirect leads to something that is not an address: ${excerpt(location)}`)
  }
  const url = new URL(ascii, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalid(`The redirect leads to ${url.protocol}, which is not followed`)
  }
  if (url.port === '0') throw invalid(`The redirect leads to ${redactUrl(url.href)}: port 0`)
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

function invalid(text: string): CheckFailure {
  return new CheckFailure('http_redirect_invalid', text, { phase: 'first_byte' })
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 80).replace(/\?.*/s, '?…'))
}
