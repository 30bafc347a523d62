/**
 * Parses host names and addresses.
 *
 * @module
 */

/** A label of a host name: letters, digits, hyphens and underscores; no hyphen at either end. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/**
 * The canonical form: lower case, IDN as A-labels, IPv6 without brackets and compressed, IPv4
 * dotted, without one trailing dot. `undefined` if it is neither a name nor an address, or has a
 * zone id.
 */
export function parseHost(text: string): string | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1')
  if (bare === '' || /[\s/?#@\\%[\]]/.test(bare)) return undefined
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
