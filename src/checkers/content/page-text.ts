/**
 * From an answer to the text that is compared: by what it is, with white space that means nothing gone.
 *
 * @module
 */

import type { HttpExchange } from '../../net/net.ts'
import { gatherText } from './gather.ts'
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

/** Characters that are folded at once. */
const STEP = 16_384

/** Yields now and then, so that a long page does not hold up everything else. */
export type PageReader = (source: string) => Generator<void, string>

/** How a page of this kind is read. The tokenizer is loaded with the first page of HTML. */
export async function readerOf(kind: PageKind): Promise<PageReader> {
  if (kind === 'text') return fold
  if (kind === 'json') return readJson
  const { Tokenizer } = await import('htmlparser2')
  return function* (source) {
    return yield* fold(yield* textOfHtml(source, Tokenizer))
  }
}

function* readJson(source: string): Generator<void, string> {
  return yield* fold((yield* textOfJson(source)) ?? source)
}

/** One space between words, no space at either end of a line, no empty lines. Yields now and then. */
export function* fold(text: string): Generator<void, string> {
  const folded = gatherText()
  let isEmpty = true
  /** What stands in front of the next word: what blanks at the end of a piece came to. */
  let blank: Blank = ''
  for (let at = 0; at < text.length; at += STEP) {
    if (at > 0) yield
    const piece = text.slice(at, at + STEP).replace(/[\u00ad\u200b]/g, '')
    const start = piece.trimStart()
    const words = start.trimEnd()
    blank = moreOf(blank, blankOf(piece.slice(0, piece.length - start.length)))
    if (words === '') continue
    folded.add((isEmpty ? '' : blank) + foldWords(words))
    isEmpty = false
    blank = blankOf(start.slice(words.length))
  }
  return folded.text()
}

function foldWords(text: string): string {
  return text
    .split(/[\n\r\u2028\u2029]+/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** What a row of blanks is folded to. */
type Blank = '' | ' ' | '\n'

function blankOf(blanks: string): Blank {
  if (blanks === '') return ''
  return /[\n\r\u2028\u2029]/.test(blanks) ? '\n' : ' '
}

function moreOf(one: Blank, other: Blank): Blank {
  return one === '\n' || other === '' ? one : other
}

function kindByLooks(body: Buffer): PageKind | undefined {
  const beginning = body.toString('latin1', 0, 1024)
  if (beginning.includes('\0')) return undefined
  return /^\s*(?:\u00ef\u00bb\u00bf\s*)?<(?:!doctype html|html|!--|head|body|\?xml)/i.test(
    beginning,
  )
    ? 'html'
    : 'text'
}
