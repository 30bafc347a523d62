/**
 * Whether a text is a URL. Not `URL.canParse`: in Node 20 it refuses every address with a letter such as `ü` as soon as
 * it has been called some thousand times and is compiled.
 *
 * @param base for a text that is relative to it
 */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}
