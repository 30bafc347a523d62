/**
 * URLs as they may be shown: the query of a URL often contains tokens.
 *
 * @module
 */

/** Query parameters whose values are credentials; in a compound name the last word counts. */
const CREDENTIAL_PARAMETER =
  /(?:^|[-_.[])(?:token|key|api-?key|accesskey|secret|pass|password|passwd|passphrase|pwd|sig|signature|auth|authorization|credentials?|session|sessionid|sid|jwt|hmac)\]?$/i

/** The URL without `user:pass@`, and with `***` as the value of every credential parameter. */
export function redactUrl(address: string): string {
  const url = parsed(address)
  if (url === undefined) return '***'
  // Each assignment serializes the whole URL again, so it is made only if needed.
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  // Split by hand: URLSearchParams would re-encode all other parameters.
  if (url.search !== '') url.search = url.search.slice(1).split('&').map(redactPair).join('&')
  return url.href
}

/** {@link redactUrl} for a URL as serialized by `URL`, most often returned unchanged. */
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

/** The values of the credential parameters. */
export function credentialsIn(address: string): readonly string[] {
  return [...(parsed(address)?.searchParams ?? [])]
    .filter(([name]) => isCredential(name))
    .map(([, value]) => value)
}

function redactPair(pair: string): string {
  const equals = pair.indexOf('=')
  if (equals < 0) return pair
  const name = pair.slice(0, equals)
  return isCredential(decoded(name)) ? `${name}=***` : pair
}

/** `accessToken` and `access_token` are equal. */
function isCredential(name: string): boolean {
  return CREDENTIAL_PARAMETER.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
