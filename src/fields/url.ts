/**
 * Absolute `http` and `https` URLs, serialized by the WHATWG URL standard, without fragment; and
 * host names and addresses.
 *
 * @module
 */

import { ASCII_CONTROL } from '../model/printable.ts'
import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder, FieldInfo } from './field.ts'
import { textSchema } from './text.ts'
import { canParseUrl, MAX_HOST_CHARACTERS } from '../model/url.ts'

/** Many servers and proxies reject or truncate longer URLs. */
const MAX_URL_CHARACTERS = 2048

const WEB = ['http', 'https'] as const

export interface UrlInfo
  extends Pick<FieldInfo, 'description'>, Partial<Pick<FieldInfo, 'example'>> {
  /** `user:pass@` is accepted; the type moves it to its `auth` with {@link takeUserinfo}. */
  readonly userinfo?: boolean
  /** Accepted schemes. Default `http` and `https`. */
  readonly schemes?: readonly string[]
}

export type ParsedUrl =
  { readonly ok: true; readonly url: string } | { readonly ok: false; readonly problem: string }

/** Parses a URL or returns the problem. The result has no fragment. */
export function parseUrl(
  text: string,
  { userinfo = false, schemes = WEB }: Pick<UrlInfo, 'userinfo' | 'schemes'> = {},
): ParsedUrl {
  // The URL parser drops line breaks and tabs silently; what was checked would not be what was written.
  if (ASCII_CONTROL.test(text)) {
    return { ok: false, problem: 'control characters are not allowed' }
  }
  if (!canParseUrl(text)) return { ok: false, problem: 'an absolute URL is expected' }
  const url = new URL(text)
  if (!schemes.some((scheme) => url.protocol === `${scheme}:`)) {
    const names = schemes.map((scheme) => `${scheme}://`).join(' or ')
    return { ok: false, problem: `${schemes === WEB ? 'an' : 'a'} ${names} address is expected` }
  }
  if (url.port === '0') return { ok: false, problem: 'port 0 cannot be connected to' }
  if (!userinfo && (url.username !== '' || url.password !== '')) {
    return { ok: false, problem: 'user and password do not belong in this address' }
  }
  url.hash = ''
  return { ok: true, url: url.href }
}

/** The URL without `user:pass@`, and the removed credentials, percent-decoded. */
export function takeUserinfo(address: string): {
  readonly url: string
  readonly auth?: { readonly user: string; readonly pass: string }
} {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url: address }
  const auth = { user: percentDecoded(url.username), pass: percentDecoded(url.password) }
  url.username = ''
  url.password = ''
  return { url: url.href, auth }
}

/** See `field.url`. */
export function urlField(info: UrlInfo): FieldBuilder<string> {
  const { userinfo = false, schemes = WEB, ...rest } = info
  const schema = v.pipe(
    textSchema({ max: MAX_URL_CHARACTERS, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const parsed = parseUrl(dataset.value, { userinfo, schemes })
      if (parsed.ok) return parsed.url
      addIssue({ message: `invalid: ${parsed.problem}` })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      format: 'url',
      destination: 'origin',
      min: 1,
      max: MAX_URL_CHARACTERS,
      ...rest,
    },
    schema,
  )
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A label of a host name: letters, digits, hyphens and underscores; no hyphen at either end. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/**
 * The canonical form of a host: lower case, IDN as A-labels, IPv6 without brackets and compressed, IPv4
 * dotted, without one trailing dot. `undefined` if it is neither a name nor an address, or has a
 * zone id.
 */
export function parseHost(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  if (bare.length > MAX_HOST_CHARACTERS) return undefined
  if (/[\s/?#@\\%[\]]/.test(bare)) return undefined
  const isV6 = bare.includes(':')
  const url = urlOf(isV6 ? `[${bare}]` : bare)
  if (url === null) return undefined
  if (isV6) return url.hostname.slice(1, -1)
  const name = url.hostname.replace(/\.$/, '')
  const valid = name.length <= 253 && name.split('.').every((label) => LABEL.test(label))
  return valid ? name : undefined
}

function urlOf(host: string): URL | null {
  try {
    return new URL(`http://${host}/`)
  } catch {
    return null
  }
}
