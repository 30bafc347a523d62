/**
 * Parses and serializes cookies (RFC 6265).
 *
 * @module
 */

export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

export interface CookieOptions {
  readonly name: string
  /** Only characters that need no quoting. */
  readonly value: string
  readonly path: string
  /** 0 deletes the cookie. */
  readonly max_age_sec: number
  readonly secure: boolean
}

/** Always `HttpOnly` and `SameSite`. */
export function cookie({ name, value, path, max_age_sec, secure }: CookieOptions): string {
  const age = `Max-Age=${max_age_sec}`
  return [`${name}=${value}`, `Path=${path}`, age, 'HttpOnly', 'SameSite=Strict']
    .concat(secure ? ['Secure'] : [])
    .join('; ')
}
