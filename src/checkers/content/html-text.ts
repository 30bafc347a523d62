/**
 * The text of an HTML page as a reader sees it: no markup, no scripts, no pictures. Works through the
 * page once from its beginning to its end, whatever is in it; there is nothing that is not HTML to it.
 *
 * It follows the tokenizer of the HTML standard (13.2.5) in what ends a tag, a comment and a raw text,
 * and builds no tree: which element is within which matters only for those that are dropped.
 *
 * @module
 */

import { decodeEntities, endOfPiece } from './entities.ts'
import { gatherText } from './gather.ts'
import type { Gathered } from './gather.ts'

/** Their content is text to the tokenizer, up to their own end tag. */
const RAW = new Set(['script', 'style', 'noscript', 'iframe', 'noembed', 'noframes', 'title'])
/** The same, but a reader sees it. */
const SHOWN_RAW = new Set(['textarea', 'xmp'])
/** Dropped with all the elements in them. */
const DROPPED = new Set(['head', 'svg', 'math', 'canvas', 'template'])
/** Begin and end a line. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu ' +
    'nav ol optgroup option p pre search section select summary table tbody textarea tfoot thead tr ul xmp'
  ).split(' '),
)
/** Stand beside each other. */
const CELLS = new Set(['td', 'th'])

/** Characters after which others get a turn. */
const STEP = 8_192

interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly isSelfClosed: boolean
  /** Where the text goes on. */
  readonly end: number
}

interface Reading {
  readonly html: string
  readonly said: Gathered
  /** Position of the last end tag of each element that is dropped. */
  readonly lastEnds: ReadonlyMap<string, number>
  /** The element that is being dropped, and how many of its name are open. */
  dropping: { readonly name: string; depth: number } | undefined
  preformatted: number
}

/** Yields now and then, so that a long page does not hold up everything else; returns the text. */
export function* textOfHtml(html: string): Generator<void, string> {
  const reading: Reading = {
    html,
    said: gatherText(),
    lastEnds: yield* lastEndTags(html),
    dropping: undefined,
    preformatted: 0,
  }
  let stepped = 0
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? html.length : open
    yield* say(reading, at, end)
    at = end
    if (isTag(html, at)) {
      const nameEnd = endOfName(html, at)
      let tagEnd = endOfTag(html, nameEnd)
      for (; tagEnd < 0; tagEnd = endOfTag(html, ~tagEnd)) yield
      const tag = tagAt(html, at, { nameEnd, end: tagEnd })
      at = tag.isEnd ? closeTag(reading, tag) : yield* openTag(reading, tag, at)
    } else if (at < html.length) {
      at = readMarkup(reading, at)
    }
    stopDropping(reading, at)
    if (at - stepped >= STEP) {
      stepped = at
      yield
    }
  }
  return reading.said.text()
}

function isTag(html: string, at: number): boolean {
  return /[a-z]/i.test(html.charAt(at + (html.charAt(at + 1) === '/' ? 2 : 1)))
}

/** What stands at a `<` that begins no tag, and where to go on. */
function readMarkup(reading: Reading, at: number): number {
  const { html } = reading
  const next = html.charAt(at + 1)
  if (next === '!' || next === '?') return endOfDeclaration(html, at)
  // `</` before anything but a letter is a comment, `<` a character like any other.
  if (next === '/') return after(html, '>', at + 2)
  if (reading.dropping === undefined) reading.said.add('<')
  return at + 1
}

function* openTag(
  reading: Reading,
  { name, end, isSelfClosed }: Tag,
  at: number,
): Generator<void, number> {
  if (RAW.has(name)) return endOfRaw(reading.html, name, end)
  if (reading.dropping !== undefined) {
    if (reading.dropping.name === name && !isSelfClosed) reading.dropping.depth++
    if (reading.dropping.name !== 'head' || name !== 'body') return end
    reading.dropping = undefined
  }
  if (DROPPED.has(name) && !isSelfClosed && (reading.lastEnds.get(name) ?? -1) > at) {
    reading.dropping = { name, depth: 1 }
    return end
  }
  separate(reading, name)
  if (name === 'pre') reading.preformatted++
  if (!SHOWN_RAW.has(name)) return end
  const rawEnd = endOfRaw(reading.html, name, end)
  yield* say(reading, end, rawEnd)
  return rawEnd
}

function closeTag(reading: Reading, { name, end }: Tag): number {
  const { dropping } = reading
  if (dropping === undefined) {
    separate(reading, name)
    if (name === 'pre' && reading.preformatted > 0) reading.preformatted--
  } else if (dropping.name === name) {
    dropping.depth--
    if (dropping.depth === 0) reading.dropping = undefined
  }
  return end
}

/** Of elements that are never closed the last end tag is the end: what follows is the page again. */
function stopDropping(reading: Reading, at: number): void {
  const { dropping, lastEnds } = reading
  if (dropping !== undefined && at > (lastEnds.get(dropping.name) ?? -1)) {
    reading.dropping = undefined
  }
}

/** The text between two tags. */
function* say(reading: Reading, from: number, to: number): Generator<void, void> {
  const { html, said, preformatted } = reading
  if (reading.dropping !== undefined) return
  for (let at = from; at < to;) {
    const end = endOfPiece(html, at, Math.min(at + STEP, to))
    const plain = decodeEntities(html.slice(at, Math.min(end, to)))
    // `replace` would leave a chain of every match to whoever looks at the text first (V8).
    said.add(preformatted > 0 ? plain : plain.split(/[\n\r]/).join(' '))
    at = end
    if (at < to) yield
  }
}

function separate({ said }: Reading, name: string): void {
  if (BLOCKS.has(name)) said.add('\n')
  else if (CELLS.has(name)) said.add(' ')
}

function tagAt(html: string, at: number, { nameEnd, end }: { nameEnd: number; end: number }): Tag {
  const isEnd = html.charAt(at + 1) === '/'
  const from = at + (isEnd ? 2 : 1)
  const isSelfClosed = html.charAt(end - 2) === '/'
  // No element that matters here has a long name.
  return {
    name: html.slice(from, Math.min(nameEnd, from + 20)).toLowerCase(),
    isEnd,
    isSelfClosed,
    end,
  }
}

function endOfName(html: string, at: number): number {
  const END = /[\s/>]/g
  END.lastIndex = at + 2
  return END.exec(html)?.index ?? html.length
}

/**
 * Only the value of an attribute can hide a `>`, by its quotes. Of a long tag the complement (`~`) of where to
 * look on.
 */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html.charAt(at)
    if (character === '>') return at + 1
    if (at - from >= STEP) return ~at
    if (character !== '=') continue
    at += blanksAt(html, at + 1)
    const quote = html.charAt(at + 1)
    if (quote !== '"' && quote !== "'") continue
    const closing = html.indexOf(quote, at + 2)
    if (closing < 0) return html.length
    at = closing
  }
  return html.length
}

function blanksAt(html: string, at: number): number {
  const BLANKS = /\s*/y
  BLANKS.lastIndex = at
  return BLANKS.exec(html)?.[0].length ?? 0
}

/** Comments, doctypes, processing instructions: behind them, or the end of the page where they never end. */
function endOfDeclaration(html: string, at: number): number {
  if (!html.startsWith('<!--', at)) return after(html, '>', at + 2)
  const empty = /<!--(?:-?>)/y
  empty.lastIndex = at
  if (empty.test(html)) return empty.lastIndex
  const end = /--!?>/g
  end.lastIndex = at + 4
  return end.test(html) ? end.lastIndex : html.length
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at < 0 ? html.length : at + mark.length
}

/** Where the end tag of a raw text stands; the end of the page where there is none. */
function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}

/** Of the longest of them, with the character behind it. */
const END_TAG_CHARACTERS = '</template>'.length

function* lastEndTags(html: string): Generator<void, ReadonlyMap<string, number>> {
  const last = new Map<string, number>()
  for (let at = 0; at < html.length; at += STEP) {
    const piece = html.slice(at, at + STEP + END_TAG_CHARACTERS)
    for (const match of piece.matchAll(/<\/(head|svg|math|canvas|template)(?=[\s/>])/gi)) {
      last.set((match[1] ?? '').toLowerCase(), at + match.index)
    }
    yield
  }
  return last
}
