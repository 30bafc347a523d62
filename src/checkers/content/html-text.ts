/**
 * The text of an HTML page as a reader sees it: no markup, no scripts, no pictures. Works through the
 * page once from its beginning to its end, whatever is in it; there is nothing that is not HTML to it.
 *
 * It follows the tokenizer of the HTML standard (13.2.5) in what ends a tag, a comment and a raw text,
 * and builds no tree: which element is within which matters only for those that are dropped.
 *
 * @module
 */

import { decodeEntities } from './entities.ts'

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

/** Characters or tags after which others get a turn. */
const STEP = 65_536

interface Tag {
  readonly name: string
  readonly isEnd: boolean
  readonly isSelfClosed: boolean
  /** Where the text goes on. */
  readonly end: number
}

interface Reading {
  readonly html: string
  readonly lines: string[]
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
    lines: [],
    lastEnds: lastEndTags(html),
    dropping: undefined,
    preformatted: 0,
  }
  let stepped = 0
  for (let at = 0; at < html.length;) {
    const open = html.indexOf('<', at)
    const end = open < 0 ? html.length : open
    if (end > at) say(reading, html.slice(at, end))
    at = end < html.length ? readMarkup(reading, end) : end
    stopDropping(reading, at)
    if (at - stepped >= STEP) {
      stepped = at
      yield
    }
  }
  return reading.lines.join('')
}

/** What stands at `<`, and where to go on. */
function readMarkup(reading: Reading, at: number): number {
  const { html } = reading
  const next = html.charAt(at + 1)
  if (next === '!' || next === '?') return endOfDeclaration(html, at)
  const isEnd = next === '/'
  if (!/[a-z]/i.test(html.charAt(at + (isEnd ? 2 : 1)))) {
    // `</` before anything but a letter is a comment, `<` a character like any other.
    if (isEnd) return after(html, '>', at + 2)
    say(reading, '<')
    return at + 1
  }
  const tag = readTag(html, at, isEnd)
  return tag.isEnd ? closeTag(reading, tag) : openTag(reading, tag, at)
}

function openTag(reading: Reading, { name, end, isSelfClosed }: Tag, at: number): number {
  if (RAW.has(name)) return afterRaw(reading.html, name, end).next
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
  const raw = afterRaw(reading.html, name, end)
  say(reading, reading.html.slice(end, raw.start))
  separate(reading, name)
  return raw.next
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

function say(reading: Reading, text: string): void {
  if (reading.dropping !== undefined) return
  const plain = decodeEntities(text)
  reading.lines.push(reading.preformatted > 0 ? plain : plain.replace(/[\n\r]/g, ' '))
}

function separate(reading: Reading, name: string): void {
  if (BLOCKS.has(name)) reading.lines.push('\n')
  else if (CELLS.has(name)) reading.lines.push(' ')
}

function readTag(html: string, at: number, isEnd: boolean): Tag {
  const from = at + (isEnd ? 2 : 1)
  const NAME_END = /[\s/>]/g
  NAME_END.lastIndex = from
  const nameEnd = NAME_END.exec(html)?.index ?? html.length
  const end = endOfTag(html, nameEnd)
  const isSelfClosed = html.charAt(end - 2) === '/'
  // No element that matters here has a long name.
  return {
    name: html.slice(from, Math.min(nameEnd, from + 20)).toLowerCase(),
    isEnd,
    isSelfClosed,
    end,
  }
}

/** Only the value of an attribute can hide a `>`, by its quotes. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html.charAt(at)
    if (character === '>') return at + 1
    if (character !== '=') continue
    while (/\s/.test(html.charAt(at + 1))) at++
    const quote = html.charAt(at + 1)
    if (quote !== '"' && quote !== "'") continue
    const closing = html.indexOf(quote, at + 2)
    if (closing < 0) return html.length
    at = closing
  }
  return html.length
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

/** The end tag of a raw text; the end of the page where there is none. */
function afterRaw(html: string, name: string, from: number): { start: number; next: number } {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  end.lastIndex = from
  const found = end.exec(html)
  if (found === null) return { start: html.length, next: html.length }
  return { start: found.index, next: readTag(html, found.index, true).end }
}

function lastEndTags(html: string): ReadonlyMap<string, number> {
  const last = new Map<string, number>()
  for (const match of html.matchAll(/<\/(head|svg|math|canvas|template)(?=[\s/>])/gi)) {
    last.set((match[1] ?? '').toLowerCase(), match.index)
  }
  return last
}
