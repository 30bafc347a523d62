/**
 * The target of a redirect and the headers that are forwarded to it (RFC 9110, 15.4; the method
 * rules are those of browsers, WHATWG Fetch "HTTP-redirect fetch").
 *
 * @module
 */

import { isHarmlessHeader } from '../../secrets/headers.ts'
import { CheckFailure } from '../failure.ts'
import { isNamed, without } from './headers.ts'
import type { HeaderPair } from './headers.ts'
import type { HopRequest } from './headers.ts'
import { redactUrl } from './redact-url.ts'
import { canParseUrl } from '../../model/url.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** 300 offers a choice and 304 means "not modified": neither is a redirect. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/** The next request after a redirect response. @throws CheckFailure `http_redirect_invalid` */
export function nextRequest(
  request: HopRequest,
  status: number,
  location: string | undefined,
): HopRequest {
  const url = targetOf(request.url, location)
  const followed = changeMethod(request, status)
  if (isSameParty(request.url, url)) return { ...followed, url }
  const headers = without(followed.headers, staysBehind).map(shortReferer)
  return { ...followed, url, headers, identity: undefined }
}

/**
 * Same scheme, host and port, or the same host that moves from port 80 to TLS on port 443: the
 * plain-text server has already seen all credentials.
 */
export function isSameParty(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  const movedUp = from.protocol === 'http:' && to.protocol === 'https:'
  return movedUp && from.hostname === to.hostname && from.port === '' && to.port === ''
}

/** Headers for one origin only: credentials and headers that name the origin. */
function staysBehind(name: string): boolean {
  return name === 'host' || name === 'origin' || !isHarmlessHeader(name)
}

/**
 * Another origin gets our origin as the referrer, without path and query (Referrer Policy,
 * `strict-origin`).
 */
function shortReferer([name, value]: HeaderPair): HeaderPair {
  if (!isNamed(name, 'referer') || !canParseUrl(value)) return [name, value]
  const { origin } = new URL(value)
  return [name, `${origin}/`]
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
  // Bytes beyond ASCII are kept as received, in whatever charset.
  const ascii = location.replace(
    /[\u0080-\u00ff]/g,
    (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  if (!canParseUrl(ascii, base.href)) {
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
