/**
 * Whether a text is a URL. Not `URL.canParse`: in Node 20 it refuses every address with a letter such as `ü` as soon as
 * it has been called some thousand times and is compiled.
 *
 * @param base for a text that is relative to it
 */
export function canParseUrl(text: string, base?: string): boolean {
  if (text.length > MAX_HOST_CHARACTERS && hasEndlessHost(text)) return false
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}

/** No longer text is a name (RFC 1035, 2.3.4): A-labels are longer than what they stand for. */
export const MAX_HOST_CHARACTERS = 254
/** The same with every byte percent-encoded. */
const MAX_ENCODED_CHARACTERS = 1024

/**
 * A host beyond ASCII is converted in a time that grows with the square of its length: seconds for 60 KB, in one turn
 * of the event loop.
 */
function hasEndlessHost(text: string): boolean {
  const host = hostTextOf(text)
  const isPlain = /^[\0-\x7f]*$/.test(host)
  return host.length > (isPlain ? MAX_ENCODED_CHARACTERS : MAX_HOST_CHARACTERS)
}

/** What the URL parser would take for the host and port; empty for a text that is relative to a base. */
function hostTextOf(text: string): string {
  // The parser drops these wherever they are, and blanks in front.
  const bare = text.replace(/[\t\n\r]/g, '').replace(/^[\0- ]+/, '')
  const [front = '', scheme, slashes = ''] = /^([a-z][a-z\d+.-]*:)?([/\\]*)/i.exec(bare) ?? []
  if (scheme === undefined && slashes.length < 2) return ''
  const [authority = ''] = bare.slice(front.length).split(/[/\\?#]/, 1)
  return authority.slice(authority.lastIndexOf('@') + 1)
}
