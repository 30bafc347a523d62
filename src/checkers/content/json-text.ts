/**
 * JSON with its keys in order and one value per line, so that the same data is the same text however a
 * server happens to write it. Without indentation: what is nested deep would grow beyond all bounds.
 *
 * @module
 */

import { gatherText } from './gather.ts'
import { scanJson } from './json-tokens.ts'
import type { JsonTokens } from './json-tokens.ts'
import { inOrder } from './sort.ts'

/** Values after which others get a turn. */
const STEP = 1024

/** `undefined` where it is not JSON, or nested too deep. Yields now and then. */
export function* textOfJson(source: string): Generator<void, string | undefined> {
  const tokens = yield* scanJson(source)
  if (tokens === undefined) return undefined
  try {
    return yield* print({ source, tokens })
  } catch (error) {
    // A text with characters or escapes that JSON does not have.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

interface Document {
  readonly source: string
  readonly tokens: JsonTokens
}

interface Entry {
  readonly key: string
  /** Token of its value. */
  readonly value: number
}

/** A list or object that is being printed. */
interface Open {
  readonly mark: ']' | '}'
  /** What is printed next of it; `undefined` at its end. */
  readonly next: () => Next | undefined
}

interface Next {
  readonly token: number
  /** The key in front of the value, with its colon. */
  readonly label: string
}

function* print(document: Document): Generator<void, string> {
  const { source, tokens } = document
  const printed = gatherText()
  const open: Open[] = []
  let next: Next | undefined = { token: 0, label: '' }
  for (let count = 1; ; count++) {
    if (count % STEP === 0) yield
    if (next === undefined) {
      printed.add(`${open.pop()?.mark ?? ''}\n`)
    } else {
      const { token, label }: Next = next
      const mark = source.charAt(tokens.start(token))
      if (mark === '{') open.push(openObject(yield* entriesOf(document, token)))
      else if (mark === '[') open.push(openList(tokens, token))
      const isOpen = mark === '{' || mark === '['
      printed.add(`${label}${isOpen ? mark : JSON.stringify(scalar(document, token))}\n`)
    }
    const inner = open.at(-1)
    if (inner === undefined) break
    next = inner.next()
  }
  return printed.text().slice(0, -1)
}

function openList(tokens: JsonTokens, list: number): Open {
  const end = tokens.next(list)
  let item = list + 1
  return {
    mark: ']',
    next() {
      const token = item
      if (token >= end) return undefined
      item = tokens.next(token)
      return { token, label: '' }
    },
  }
}

function openObject(entries: readonly Entry[]): Open {
  let at = 0
  return {
    mark: '}',
    next() {
      const entry = entries[at++]
      if (entry === undefined) return undefined
      return { token: entry.value, label: `${JSON.stringify(entry.key)}: ` }
    },
  }
}

function* entriesOf(document: Document, object: number): Generator<void, readonly Entry[]> {
  const { tokens } = document
  const entries: Entry[] = []
  const end = tokens.next(object)
  for (let token = object + 1; token < end;) {
    entries.push({ key: String(scalar(document, token)), value: token + 1 })
    token = tokens.next(token + 1)
    if (entries.length % STEP === 0) yield
  }
  return yield* inOrder(entries)
}

/** A text, a number or a word. @throws SyntaxError */
function scalar({ source, tokens }: Document, token: number): unknown {
  return JSON.parse(source.slice(tokens.start(token), tokens.end(token)))
}
