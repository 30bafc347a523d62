/**
 * JSON with sorted keys and one value per line, so that equal data gives equal text, independent of
 * formatting. Without indentation, which would grow without bound in deep nesting.
 *
 * @module
 */

import { gatherText } from './gather.ts'
import { scanJson } from '../json/tokens.ts'
import type { JsonTokens } from '../json/tokens.ts'

/** Sorted per step. */
const RUN = 256
/** Comparisons before other work runs. */
const COMPARED_PER_STEP = 2048

/** Values after which other work runs. */
const STEP = 1024

/** `undefined` if the text is not JSON or is nested too deep. Yields regularly. */
export function* textOfJson(source: string): Generator<void, string | undefined> {
  const tokens = yield* scanJson(source)
  if (tokens === undefined) return undefined
  try {
    return yield* print({ source, tokens })
  } catch (error) {
    // A string with characters or escapes that JSON does not allow.
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

/** A list or object in progress. */
interface Open {
  readonly mark: ']' | '}'
  /** The next element to print; `undefined` at the end. */
  readonly next: () => Next | undefined
}

interface Next {
  readonly token: number
  /** The key of the value, with its colon. */
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

/** A string, number or literal. @throws SyntaxError */
function scalar({ source, tokens }: Document, token: number): unknown {
  return JSON.parse(source.slice(tokens.start(token), tokens.end(token)))
}

interface Keyed {
  readonly key: string
}

/**
 * By key, in the order of UTF-16 code units; of equal keys only the last one is kept. In steps: the
 * built-in sort blocks the event loop for its whole duration.
 */
function* inOrder<T extends Keyed>(items: readonly T[]): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let at = 0; at < items.length; at += RUN) {
    if (at > 0) yield
    runs.push(withoutRepeats(items.slice(at, at + RUN).sort(byKey)))
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? []))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** For equal keys, items of `later` follow those of `earlier`. */
function* merge<T extends Keyed>(
  earlier: readonly T[],
  later: readonly T[],
): Generator<void, readonly T[]> {
  const merged: T[] = []
  let [a, b] = [0, 0]
  for (let compared = 1; ; compared++) {
    const [one, other] = [earlier[a], later[b]]
    if (one === undefined || other === undefined) break
    if (one.key <= other.key) {
      if (one.key !== other.key) merged.push(one)
      a++
    } else {
      merged.push(other)
      b++
    }
    if (compared % COMPARED_PER_STEP === 0) yield
  }
  for (const rest of [earlier.slice(a), later.slice(b)]) {
    for (let at = 0; at < rest.length; at += COMPARED_PER_STEP) {
      merged.push(...rest.slice(at, at + COMPARED_PER_STEP))
      yield
    }
  }
  return merged
}

/** Equal keys are in input order. */
function withoutRepeats<T extends Keyed>(sorted: readonly T[]): readonly T[] {
  return sorted.filter(({ key }, at) => sorted[at + 1]?.key !== key)
}

function byKey(one: Keyed, other: Keyed): number {
  if (one.key === other.key) return 0
  return one.key < other.key ? -1 : 1
}
