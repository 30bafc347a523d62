/**
 * Extracts the text to compare from a response, by its kind, with whitespace normalized.
 *
 * @module
 */

import type { HttpExchange } from '../../net/net.ts'
import { gatherText } from './gather.ts'
import { textOfHtml } from './html-text.ts'
import type { HtmlTokenizer } from './html-text.ts'
import { textOfJson } from './json-text.ts'

export type PageKind = 'html' | 'json' | 'text'

/**
 * The kind of a response by its content type, or by its content if it has none; `undefined`: a kind
 * without text.
 */
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

/** Characters normalized per step. */
const STEP = 16_384

/** Yields regularly, so that a long page does not block the event loop. */
export type PageReader = (source: string) => Generator<void, string>

/** The reader for a kind of page. The tokenizer is loaded with the first HTML page. */
export async function readerOf(kind: PageKind): Promise<PageReader> {
  if (kind === 'text') return fold
  if (kind === 'json') return readJson
  const { Tokenizer } = await import('htmlparser2')
  return (source) => readHtml(source, Tokenizer)
}

function* readHtml(source: string, Tokenizer: HtmlTokenizer): Generator<void, string> {
  return yield* fold(yield* textOfHtml(source, Tokenizer))
}

function* readJson(source: string): Generator<void, string> {
  return yield* fold((yield* textOfJson(source)) ?? source)
}

/** One space between words, no space at line ends, no empty lines. Yields regularly. */
export function* fold(text: string): Generator<void, string> {
  const folded = gatherText()
  let isEmpty = true
  /** The separator before the next word: whitespace at the end of the last piece. */
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

/** What a run of whitespace becomes. */
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
