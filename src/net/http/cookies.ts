/**
 * The cookies of one exchange: cookies set in a chain of redirects are sent within that chain and
 * then discarded (RFC 6265, 5.3 and 5.4, and the name prefixes of RFC 6265bis, without the rules
 * that need persistent cookies).
 *
 * @module
 */

interface Cookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  /** Sent to exactly `domain`, not to its subdomains. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
}

export interface CookieJar {
  /** Increases with every change; equal numbers mean equal cookies. */
  version(): number
  /** Stores the `Set-Cookie` lines of a response from `url`. `now` in epoch ms, for `Expires`. */
  store(url: URL, lines: readonly string[], now: number): Promise<void>
  /** The `Cookie` header for `url`, `undefined` if there is none. */
  header(url: URL): string | undefined
}

/** More than a chain of redirects sets; further cookies are ignored. */
const MAX_COOKIES = 50
const MAX_COOKIE_CHARACTERS = 4096

/**
 * The date formats that servers write (RFC 6265, 5.1.1). Other values are ignored: `Date.parse`
 * reads `0` and `-1`, which many servers send, as dates in the past.
 */
const EXPIRES = /^(?:[a-z]+, ?)?(\d{1,2}[ -][a-z]{3}[ -](?:\d{4}|\d\d) \d\d?:\d\d:\d\d)/i

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, Cookie>()
  let version = 0

  function keep(key: string, cookie: Cookie): void {
    const known = cookies.get(key)
    if (known !== undefined && isSame(known, cookie)) return
    if (known === undefined && cookies.size >= MAX_COOKIES) return
    cookies.set(key, cookie)
    version += 1
  }

  return {
    version: () => version,
    async store(url, lines, now) {
      for (const line of lines) {
        const read = readCookie(line, url, now)
        const cookie = read && (await withinSite(read.cookie, url.hostname))
        if (read === undefined || cookie === undefined) continue
        const key = `${cookie.domain} ${cookie.path} ${cookie.name}`
        if (!read.expired) keep(key, cookie)
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

function isSame(one: Cookie, other: Cookie): boolean {
  return one.value === other.value && one.secure === other.secure && one.hostOnly === other.hostOnly
}

/**
 * Rejects cookies for a public suffix, such as `co.uk` and `github.io`, except from the suffix's
 * own host (RFC 6265, 5.3, step 5). The public suffix list is loaded for the first such cookie.
 */
async function withinSite(cookie: Cookie, host: string): Promise<Cookie | undefined> {
  const { domain, hostOnly } = cookie
  if (hostOnly) return cookie
  const { getPublicSuffix } = await import('tldts')
  if (getPublicSuffix(domain, { allowPrivateDomains: true }) !== domain) return cookie
  return domain === host ? { ...cookie, hostOnly: true } : undefined
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
  if (cookie.secure && url.protocol !== 'https:') return undefined
  if (!deservesPrefix(cookie, attributes)) return undefined
  return { cookie, expired: isExpired(attributes, now) }
}

/** The conditions of cookie name prefixes (RFC 6265bis, 4.1.3). */
function deservesPrefix(
  { name, secure, hostOnly }: Cookie,
  attributes: ReadonlyMap<string, string>,
): boolean {
  if (/^__secure-/i.test(name)) return secure
  return !/^__host-/i.test(name) || (secure && hostOnly && attributes.get('path') === '/')
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
  // A name without a dot would be a top-level domain.
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
  const [, time] = EXPIRES.exec(attributes.get('expires') ?? '') ?? []
  return time !== undefined && Date.parse(`${time} GMT`) <= now
}
