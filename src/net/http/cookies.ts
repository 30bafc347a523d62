/**
 * The cookies of one exchange: what a chain of redirects sets is sent along within it and then
 * forgotten (RFC 6265, 5.3 and 5.4, without what only matters beyond one exchange).
 *
 * @module
 */

interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  /** Sent to exactly `domain`, not to names below it. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
}

export interface CookieJar {
  /** Grows with every change; two equal numbers mean equal cookies. */
  version(): number
  /** Takes the `Set-Cookie` lines of an answer from `url`. `now` in epoch ms, for `Expires`. */
  store(url: URL, lines: readonly string[], now: number): void
  /** The `Cookie` header for `url`, `undefined` where there is none. */
  header(url: URL): string | undefined
}

/** Far more than a chain of redirects sets; a server that sets more is not followed in it. */
const MAX_COOKIES = 50
const MAX_COOKIE_CHARACTERS = 4096

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, Cookie>()
  let version = 0

  function keep(key: string, cookie: Cookie): void {
    if (cookies.get(key)?.value === cookie.value) return
    if (!cookies.has(key) && cookies.size >= MAX_COOKIES) return
    cookies.set(key, cookie)
    version += 1
  }

  return {
    version: () => version,
    store(url, lines, now) {
      for (const line of lines) {
        const read = readCookie(line, url, now)
        if (read === undefined) continue
        const key = `${read.cookie.domain} ${read.cookie.path} ${read.cookie.name}`
        if (!read.expired) keep(key, read.cookie)
        else if (cookies.delete(key)) version += 1
      }
    },
    header(url) {
      const sent = [...cookies.values()]
        .filter((cookie) => applies(cookie, url))
        .sort((a, b) => b.path.length - a.path.length)
      return sent.length === 0
        ? undefined
        : sent.map(({ name, value }) => `${name}=${value}`).join('; ')
    },
  }
}

function applies(cookie: Cookie, url: URL): boolean {
  const host = url.hostname
  const inDomain =
    host === cookie.domain || (!cookie.hostOnly && host.endsWith(`.${cookie.domain}`))
  const inPath =
    url.pathname === cookie.path ||
    (url.pathname.startsWith(cookie.path) &&
      (cookie.path.endsWith('/') || url.pathname[cookie.path.length] === '/'))
  return inDomain && inPath && (!cookie.secure || url.protocol === 'https:')
}

function readCookie(
  line: string,
  url: URL,
  now: number,
): { readonly cookie: Cookie; readonly expired: boolean } | undefined {
  if (line.length > MAX_COOKIE_CHARACTERS) return undefined
  const [pair = '', ...parts] = line.split(';')
  const equals = pair.indexOf('=')
  const name = pair.slice(0, Math.max(0, equals)).trim()
  if (name === '') return undefined
  const attributes = new Map(parts.map(attributeOf))
  const domain = domainOf(attributes.get('domain'), url.hostname)
  if (domain === undefined) return undefined
  const cookie = {
    name,
    value: pair.slice(equals + 1).trim(),
    ...domain,
    path: pathOf(attributes.get('path'), url.pathname),
    secure: attributes.has('secure'),
  }
  return { cookie, expired: isExpired(attributes, now) }
}

function attributeOf(part: string): readonly [name: string, value: string] {
  const [name = '', ...value] = part.split('=')
  return [name.trim().toLowerCase(), value.join('=').trim()]
}

function domainOf(
  attribute: string | undefined,
  host: string,
): Pick<Cookie, 'domain' | 'hostOnly'> | undefined {
  const domain = (attribute ?? '').replace(/^\./, '').toLowerCase()
  if (domain === '' || domain === host) return { domain: host, hostOnly: domain === '' }
  // A name without a dot would be a whole top-level domain.
  const isParent = domain.includes('.') && host.endsWith(`.${domain}`)
  return isParent && !/^[\d.]+$/.test(host) ? { domain, hostOnly: false } : undefined
}

function pathOf(attribute: string | undefined, requestPath: string): string {
  if (attribute?.startsWith('/') === true) return attribute
  return requestPath.slice(0, Math.max(1, requestPath.lastIndexOf('/')))
}

function isExpired(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const maxAge = attributes.get('max-age')
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return Number(maxAge) <= 0
  const expires = Date.parse(attributes.get('expires') ?? '')
  return Number.isFinite(expires) && expires <= now
}
