/**
 * Addresses of proxies: scheme, host and port.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from './field.ts'
import type { FieldBuilder } from './field.ts'
import { textSchema } from './text.ts'
import { canParseUrl } from '../model/url.ts'

const MAX_CHARACTERS = 300

export type ParsedProxy =
  | {
      readonly ok: true
      /** `socks5://proxy.example:1080`, without credentials. */
      readonly url: string
      readonly auth?: { readonly user: string; readonly pass: string }
    }
  | { readonly ok: false; readonly problem: string }

/** Parses the address of a proxy, with or without credentials, or returns the problem. */
export function parseProxy(text: string): ParsedProxy {
  const wrong = (problem: string): ParsedProxy => ({ ok: false, problem })
  const [, scheme = '', rest = ''] = /^(https?|socks5):\/\/(.*)/is.exec(text) ?? []
  if (scheme === '') return wrong('http://, https:// or socks5:// and host:port are expected')
  // As a web address: other schemes have their hosts as they are written.
  const web = `http://${rest}`
  if (/[\s\\]/.test(rest) || !canParseUrl(web)) return wrong('host:port is expected')
  const { hostname, port, pathname, search, hash, username, password } = new URL(web)
  if (!/:\d{1,5}\/?$/.test(rest) || port === '0') return wrong('host:port is expected')
  if (pathname !== '/' || search !== '' || hash !== '') return wrong('a proxy has no path')
  const url = `${scheme.toLowerCase()}://${hostname}:${port === '' ? '80' : port}`
  if (username === '' && password === '') return { ok: true, url }
  try {
    const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    return { ok: true, url, auth }
  } catch {
    return wrong('user and password are not percent-encoded')
  }
}

/** See {@link parseProxy}; credentials are kept for the type to move them to its secrets. */
export function proxyField(description: string): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ max: MAX_CHARACTERS, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const parsed = parseProxy(dataset.value)
      if (parsed.ok) return parsed.auth === undefined ? parsed.url : dataset.value
      addIssue({ message: `invalid: ${parsed.problem}` })
      return NEVER
    }),
  )
  return defineField(
    {
      kind: 'string',
      destination: 'value',
      min: 1,
      max: MAX_CHARACTERS,
      description,
      example: 'http://proxy.example:3128',
    },
    schema,
  )
}
