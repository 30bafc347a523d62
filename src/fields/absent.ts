/**
 * JavaScript writes `undefined` where JSON writes nothing: `{ tags: options.tags }`.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'

/** Settings are two objects deep; what goes on beyond is refused by the fields, also where it has no end. */
const DEEPEST = 8

/** The input without what is `undefined`, at every depth of its objects; in a list, a hole stays one. */
export function withoutAbsent(input: JsonObject): JsonObject {
  return present(input, 0) as JsonObject
}

function present(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) return value.map((each) => present(each, depth + 1))
  if (!isLiteral(value)) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.map(([name, each]) => [name, present(each, depth + 1)]))
}

/** Not a `Date`, a `Map` or whatever else has a class; also of another realm. */
function isLiteral(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
