/**
 * Reads a JSON text as a value, in steps: `JSON.parse` takes up to a quarter of a second for 1 MiB
 * of brackets.
 *
 * @module
 */

import type { Json } from '../../model.ts'
import { scanJson } from './tokens.ts'
import type { JsonTokens } from './tokens.ts'

/** Maximum values of a document, keys included. */
export const MAX_JSON_VALUES = 50_000

/** Values after which other work runs. */
const STEP = 1024

export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly problem: 'invalid' | 'too_many_values' }

interface Document {
  readonly source: string
  readonly tokens: JsonTokens
}

/**
 * `invalid` includes nesting beyond 200 levels. Of equal keys the last one counts, as for
 * `JSON.parse`. Objects have no prototype, so that `__proto__` is a key like any other.
 */
export function* readJson(source: string): Generator<void, ReadJson> {
  const tokens = yield* scanJson(source)
  if (tokens === undefined) return { ok: false, problem: 'invalid' }
  if (tokens.next(0) > MAX_JSON_VALUES) return { ok: false, problem: 'too_many_values' }
  try {
    return { ok: true, value: yield* valueAt({ source, tokens }, 0) }
  } catch (error) {
    // A string with characters or escapes that JSON does not allow.
    if (error instanceof SyntaxError) return { ok: false, problem: 'invalid' }
    throw error
  }
}

function* valueAt(document: Document, token: number): Generator<void, Json> {
  const mark = document.source.charAt(document.tokens.start(token))
  if (mark === '[') return yield* listAt(document, token)
  if (mark === '{') return yield* objectAt(document, token)
  return scalarAt(document, token)
}

function* listAt(document: Document, list: number): Generator<void, Json> {
  const { tokens } = document
  const items: Json[] = []
  for (let token = list + 1; token < tokens.next(list); token = tokens.next(token)) {
    if (token % STEP === 0) yield
    items.push(yield* valueAt(document, token))
  }
  return items
}

function* objectAt(document: Document, object: number): Generator<void, Json> {
  const { tokens } = document
  const members = Object.create(null) as Record<string, Json>
  for (let key = object + 1; key < tokens.next(object); key = tokens.next(key + 1)) {
    if (key % STEP < 2) yield
    members[scalarAt(document, key) as string] = yield* valueAt(document, key + 1)
  }
  return members
}

/** A key, string, number or literal. @throws SyntaxError */
function scalarAt({ source, tokens }: Document, token: number): Json {
  return JSON.parse(source.slice(tokens.start(token), tokens.end(token))) as Json
}
