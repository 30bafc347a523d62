/**
 * Addresses as they may be shown: many a token travels in the query of a URL.
 *
 * @module
 */

/** Names of query parameters whose values are credentials; the last word of a longer name counts. */
const CREDENTIAL_PARAMETER =
  /(?:^|[-_.[])(?:token|key|api-?key|accesskey|secret|pass|password|passwd|passphrase|pwd|sig|signature|auth|authorization|credentials?|session|sessionid|sid|jwt|hmac)\]?$/i

/** Without `user:pass@`, and with `***` in place of the value of every query parameter that names a credential. */
export function redactUrl(address: string): string {
  const url = parsed(address)
  if (url === undefined) return '***'
  // Each of these writes the whole address anew; most have nothing to lose.
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  // Cut by hand and not by URLSearchParams, which would respell all the other parameters.
  if (url.search !== '') url.search = url.search.slice(1).split('&').map(redactPair).join('&')
  return url.href
}

/** {@link redactUrl} for an address as `URL` writes it, which is most often returned as it is. */
export function redactHref(href: string): string {
  return href.includes('?') || href.includes('@') ? redactUrl(href) : href
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals < 0) return pair
  const name = pair.slice(0, equals)
  // `accessToken` and `access_token` are read alike.
  const words = decoded(name).replace(/([a-z])([A-Z])/g, '$1_$2')
  return CREDENTIAL_PARAMETER.test(words) ? `${name}=***` : pair
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
