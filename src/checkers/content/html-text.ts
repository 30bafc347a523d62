/**
 * The visible text of an HTML page, without markup, scripts and images. The tokenizer of
 * htmlparser2 finds tags, comments, raw text and character references; it accepts any input as
 * HTML.
 *
 * No tree is built: nesting matters only for dropped elements, and the open-element stack of a
 * parser takes quadratic time on hostile pages.
 *
 * @module
 */

import type { Tokenizer } from 'htmlparser2'
import { gatherText } from './gather.ts'
import type { Gathered } from './gather.ts'

/** Elements whose content is raw text up to their end tag. */
const RAW = new Set(['script', 'style', 'iframe', 'noembed', 'noframes', 'title'])
/** Elements dropped with their content. */
const DROPPED = new Set(['head', 'svg', 'math', 'canvas', 'template', 'noscript'])
/** Elements in which no HTML element is raw text. */
const FOREIGN = new Set(['svg', 'math'])
/** Elements that start and end a line. */
const BLOCKS = new Set(
  (
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu ' +
    'nav ol optgroup option p pre search section select summary table tbody textarea tfoot thead tr ul xmp'
  ).split(' '),
)
/** Cells of one row, separated by a space. */
const CELLS = new Set(['td', 'th'])

/** No relevant element has a longer name. */
const NAME_CHARACTERS = 20

/** Characters after which other work runs. */
const STEP = 8_192

export type HtmlTokenizer = typeof Tokenizer
type Callbacks = ConstructorParameters<HtmlTokenizer>[1]

interface Reading {
  readonly html: string
  readonly said: Gathered
  /** Position of the last end tag of each dropped element. */
  readonly lastEnds: ReadonlyMap<string, number>
  /** Name and position of the start tag being read. */
  tag: { readonly name: string; readonly at: number }
  /** Inside an element of {@link FOREIGN}. */
  isForeign: boolean
  /** Inside the content of an element of {@link RAW}. */
  isRaw: boolean
  /** The element being dropped, and its nesting depth. */
  dropping: { readonly name: string; depth: number } | undefined
  preformatted: number
}

/** Yields regularly, so that a long page does not block the event loop; returns the text. */
export function* textOfHtml(html: string, Tokenizer: HtmlTokenizer): Generator<void, string> {
  const reading: Reading = {
    html,
    said: gatherText(),
    lastEnds: yield* lastEndTags(html),
    tag: { name: '', at: 0 },
    isForeign: false,
    isRaw: false,
    dropping: undefined,
    preformatted: 0,
  }
  const tokenizer = new Tokenizer({}, callbacksOf(reading))
  for (let at = 0; at < html.length; at += STEP) {
    tokenizer.write(html.slice(at, at + STEP))
    yield
  }
  tokenizer.end()
  return reading.said.text()
}

function callbacksOf(reading: Reading): Callbacks {
  const { html } = reading
  return {
    ontext(from, to) {
      // If a page ends after the `/` of a tag, the tokenizer reports that tag as text.
      if (from >= 0) say(reading, from, html.slice(from, to))
    },
    ontextentity(codePoint, end) {
      say(reading, end, String.fromCodePoint(codePoint))
    },
    onopentagname(from, to) {
      reading.tag = { name: nameAt(html, from, to), at: from }
    },
    onopentagend() {
      openTag(reading, false)
    },
    onselfclosingtag() {
      openTag(reading, true)
    },
    onclosetag(from, to) {
      closeTag(reading, nameAt(html, from, to), from)
    },
    isInForeignContext() {
      reading.isForeign = FOREIGN.has(reading.dropping?.name ?? '')
      return reading.isForeign
    },
    ...UNHEARD,
  }
}

const ignore = (): void => undefined

const UNHEARD = {
  onattribdata: ignore,
  onattribend: ignore,
  onattribentity: ignore,
  onattribname: ignore,
  oncdata: ignore,
  oncomment: ignore,
  ondeclaration: ignore,
  onend: ignore,
  onprocessinginstruction: ignore,
} satisfies Partial<Callbacks>

function openTag(reading: Reading, isSelfClosed: boolean): void {
  const { name, at } = reading.tag
  stopDropping(reading, at)
  if (RAW.has(name) && !reading.isForeign) {
    reading.isRaw = true
    return
  }
  if (reading.dropping !== undefined) {
    if (reading.dropping.name === name && !isSelfClosed) reading.dropping.depth++
    if (reading.dropping.name !== 'head' || name !== 'body') return
    reading.dropping = undefined
  }
  if (DROPPED.has(name) && !isSelfClosed && (reading.lastEnds.get(name) ?? -1) > at) {
    reading.dropping = { name, depth: 1 }
    return
  }
  separate(reading, name)
  if (name === 'pre') reading.preformatted++
}

function closeTag(reading: Reading, name: string, at: number): void {
  stopDropping(reading, at)
  const { dropping } = reading
  if (reading.isRaw) {
    reading.isRaw = false
  } else if (dropping === undefined) {
    separate(reading, name)
    if (name === 'pre' && reading.preformatted > 0) reading.preformatted--
  } else if (dropping.name === name) {
    dropping.depth--
    if (dropping.depth === 0) reading.dropping = undefined
  }
}

function say(reading: Reading, at: number, text: string): void {
  if (reading.isRaw) return
  stopDropping(reading, at)
  if (reading.dropping !== undefined) return
  // `replace` would build a rope of every match, which V8 flattens on first access.
  reading.said.add(reading.preformatted > 0 ? text : text.split(/[\n\r]/).join(' '))
}

/** An element that is never closed ends at its last end tag; the page continues after it. */
function stopDropping(reading: Reading, at: number): void {
  const { dropping, lastEnds } = reading
  if (dropping !== undefined && at > (lastEnds.get(dropping.name) ?? -1)) {
    reading.dropping = undefined
  }
}

function separate({ said }: Reading, name: string): void {
  if (BLOCKS.has(name)) said.add('\n')
  else if (CELLS.has(name)) said.add(' ')
}

function nameAt(html: string, from: number, to: number): string {
  return html.slice(from, Math.min(to, from + NAME_CHARACTERS)).toLowerCase()
}

/** Length of the longest end tag, with the following character. */
const END_TAG_CHARACTERS = '</template>'.length

function* lastEndTags(html: string): Generator<void, ReadonlyMap<string, number>> {
  const last = new Map<string, number>()
  for (let at = 0; at < html.length; at += STEP) {
    const piece = html.slice(at, at + STEP + END_TAG_CHARACTERS)
    for (const match of piece.matchAll(/<\/(head|svg|math|canvas|template|noscript)(?=[\s/>])/gi)) {
      last.set((match[1] ?? '').toLowerCase(), at + match.index)
    }
    yield
  }
  return last
}
