/**
 * Removes `undefined` values, which JavaScript writes for absent ones: `{ tags: options.tags }`.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'

/**
 * Settings are two objects deep; deeper input, also circular, is left to validation, which rejects
 * it.
 */
const DEEPEST = 8

/** The input without `undefined` values at every depth of its objects; a hole in a list stays. */
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

/** Excludes class instances such as `Date` and `Map`; accepts objects of another realm. */
function isLiteral(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
