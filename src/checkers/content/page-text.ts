/**
 * From an answer to the text that is compared: by what it is, with white space that means nothing gone.
 *
 * @module
 */

import type { HttpExchange } from '../../net/net.ts'
import { textOfHtml } from './html-text.ts'
import { textOfJson } from './json-text.ts'

export type PageKind = 'html' | 'json' | 'text'

/** What the answer is by its type, or by its looks where it names none; `undefined`: nothing with a text. */
export function kindOf({
  headers,
  body,
}: Pick<HttpExchange, 'headers' | 'body'>): PageKind | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === '') return kindByLooks(body)
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html'
  if (/^(application|text)\/([^/]+\+)?json$/.test(type)) return 'json'
  if (type.startsWith('text/')) return 'text'
  return /^application\/([^/]+\+)?(xml|yaml|javascript|x-yaml|x-javascript)$/.test(type)
    ? 'text'
    : undefined
}

/** Yields now and then, see {@link textOfHtml}. */
export function* textOfPage(kind: PageKind, source: string): Generator<void, string> {
  if (kind === 'html') return fold(yield* textOfHtml(source))
  return fold(kind === 'json' ? (textOfJson(source) ?? source) : source)
}

/** One space between words, no space at either end of a line, no empty lines. */
export function fold(text: string): string {
  return text
    .replace(/[\u00ad\u200b]/g, '')
    .split(/[\n\r\u2028\u2029]+/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

function kindByLooks(body: Buffer): PageKind | undefined {
  const beginning = body.toString('latin1', 0, 1024)
  if (beginning.includes('\0')) return undefined
  return /^\s*(?:\u00ef\u00bb\u00bf)?\s*<(?:!doctype html|html|!--|head|body|\?xml)/i.test(
    beginning,
  )
    ? 'html'
    : 'text'
}
