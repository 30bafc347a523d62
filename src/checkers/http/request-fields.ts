/**
 * Settings that the checkers that speak HTTP share: Basic credentials, version of HTTP, proxy; with their rules.
 *
 * @module
 */

import type { Input, Settings } from '../../fields/field.ts'
import type { Problems } from '../../fields/parse.ts'
import { parseProxy, proxyField } from '../../fields/proxy.ts'
import { takeUserinfo } from '../../fields/url.ts'
import { field } from '../../fields/vocabulary.ts'
import type { Proxy } from '../../net/proxy/proxy.ts'
import { VERSION } from '../../version.ts'

/** Default of `user_agent`, so that a site's owner can identify the client. */
export const USER_AGENT = `Watchpost/${VERSION} (+https://www.npmjs.com/package/watchpost)`

const authParts = {
  user: field.text({ max: 256, description: 'User name for Basic authentication' }),
  pass: field.secret({ description: 'Password for Basic authentication' }),
}

export const authField = field.group(authParts, {
  description: 'Credentials for Basic authentication, for the first origin only',
})

export const httpVersionField = field
  .oneOf(['auto', '1.1', '2'], {
    description:
      'Version of HTTP; auto: HTTP/2 where the server offers it over TLS; 2: nothing else, over http:// with prior knowledge',
  })
  .default('1.1')

interface Proxied {
  readonly proxy?: string
  readonly proxy_auth?: Input<typeof proxyParts>
}

const proxyParts = {
  user: field.text({ max: 255, description: 'User name at the proxy' }),
  pass: field.secret({ description: 'Password at the proxy, at most 255 bytes' }),
}

export const proxyFields = {
  proxy: proxyField(
    'Proxy: http://, https:// or socks5:// with host and port; user:pass@ is moved to proxy_auth',
  ),
  proxy_auth: field.group(proxyParts, { description: 'Credentials for the proxy' }),
}

/** Moves credentials of the proxy to `proxy_auth`, which is a secret field. */
export function withoutProxyLogin<S extends Proxied>(settings: S): S {
  const parsed = settings.proxy === undefined ? undefined : parseProxy(settings.proxy)
  if (parsed?.ok !== true || parsed.auth === undefined) return settings
  return { ...settings, proxy: parsed.url, proxy_auth: parsed.auth }
}

export function proxyProblems({ proxy_auth }: Proxied): Problems {
  if (proxy_auth?.user?.includes(':') === true) {
    return { 'proxy_auth.user': 'invalid: the user name of Basic authentication has no colon' }
  }
  if (Buffer.byteLength(proxy_auth?.pass ?? '') > 255) {
    return { 'proxy_auth.pass': 'too long: at most 255 bytes' }
  }
  return {}
}

/** The proxy of a request. */
export function proxyOf({ proxy, proxy_auth }: Settings<typeof proxyFields>): Proxy | undefined {
  if (proxy === undefined) return undefined
  if (proxy_auth?.user === undefined && proxy_auth?.pass === undefined) return { url: proxy }
  return { url: proxy, auth: { user: proxy_auth.user ?? '', pass: proxy_auth.pass ?? '' } }
}

interface Addressed {
  readonly url: string
  readonly auth?: Input<typeof authParts>
}

/** Moves credentials from the URL to `auth`, which is a secret field. */
export function withoutUserinfo<S extends Addressed>(settings: S): S {
  const { url, auth } = takeUserinfo(settings.url)
  const taken = {
    ...(auth === undefined || auth.user === '' ? {} : { user: auth.user }),
    ...(auth === undefined || auth.pass === '' ? {} : { pass: auth.pass }),
  }
  const { auth: stored, ...rest } = settings
  const both = auth === undefined ? stored : taken
  const kept = both?.user == null && both?.pass == null ? {} : { auth: both }
  return { ...rest, url, ...kept } as S
}

/** A colon ends the user name in the header (RFC 7617, 2). */
export function userProblem(auth: Addressed['auth']): string | undefined {
  return auth?.user?.includes(':') === true
    ? 'invalid: the user name of Basic authentication has no colon'
    : undefined
}
