/**
 * A page that repeats the token it was asked with.
 *
 * @module
 */

import type { HeaderPair } from '../../net/http/headers.ts'
import { MASK } from '../../secrets/redaction.ts'

/** What is looked for: `String.indexOf` is linear for words up to this length, however hostile the text. */
const HEAD_CHARACTERS = 200

/**
 * The text without the token in `authorization`, also where only its beginning is repeated. What is remembered of a
 * page must not hold it, and a new token is no change of the page.
 */
export function withoutToken(text: string, authorization: readonly HeaderPair[]): string {
  const token = authorization[0]?.[1].replace(/^Bearer /, '') ?? ''
  if (token === '') return text
  const head = token.slice(0, HEAD_CHARACTERS)
  let left = ''
  let from = 0
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, from)) {
    left += text.slice(from, at) + MASK
    from = at + head.length
    while (from < at + token.length && text[from] === token[from - at]) from++
  }
  return left + text.slice(from)
}
