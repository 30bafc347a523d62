/**
 * Parses an untrusted URL once; later code uses the parsed fields only.
 *
 * The WHATWG URL parser repairs control characters, backslashes and look-alike dots, which other
 * parsers read differently. Such differences bypass filters, so these URLs are refused.
 *
 * @module
 */

import { canParseUrl } from '../../model/url.ts'

const URL_MAX_CHARS = 2048

export type UrlRefusal = 'invalid_url' | 'too_long' | 'scheme' | 'userinfo' | 'port'

export interface TargetUrl {
  readonly url: URL
  /** Lower case, without brackets and trailing dot. */
  readonly host: string
  readonly port: number
}

const CONTROL = /\p{Cc}/u
/**
 * Characters that IDNA treats as a dot (UTS 46): ideographic, full-width and half-width full stop.
 */
const FOREIGN_DOT = /[\u3002\uff0e\uff61]/

export function parseTargetUrl(text: string): TargetUrl | UrlRefusal {
  if (text.length > URL_MAX_CHARS) return 'too_long'
  // The part up to the path: scheme and authority.
  const front = /^[^?#]*?:[/\\]*[^/?#]*/.exec(text)?.[0] ?? text
  const beforeQuery = text.replace(/[?#].*/s, '')
  if (CONTROL.test(text) || beforeQuery.includes('\\') || FOREIGN_DOT.test(front)) {
    return 'invalid_url'
  }
  if (!canParseUrl(text)) return 'invalid_url'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme'
  if (url.username !== '' || url.password !== '' || front.includes('@')) return 'userinfo'
  const host = hostOf(url)
  if (host === undefined) return 'invalid_url'
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return port === 0 ? 'port' : { url, host, port }
}

function hostOf(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  return host.length <= 253 && host.split('.').every(isLabel) ? host : undefined
}

function isLabel(label: string): boolean {
  return label.length > 0 && label.length <= 63
}
