/**
 * Prepares settings from users: partial updates of stored ones, and `undefined`, which JavaScript
 * writes for absent values: `{ tags: options.tags }`.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { fieldNamed } from './field.ts'
import type { FieldTable } from './field.ts'
import { isJsonObject } from '../model/json.ts'

/**
 * Applies a partial update: `null` resets a field to its default, groups are merged, lists and all other values are replaced.
 * Dotted names address fields of groups.
 */
export function merge(fields: FieldTable, stored: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...stored }
  for (const [key, value] of Object.entries(patch)) {
    const [group, name] = splitDotted(key)
    const nested = fieldNamed(fields, group)?.info.fields
    if (nested === undefined) {
      merged[key] = value
    } else if (name !== undefined) {
      merged[group] = merge(nested, asObject(merged[group]), { [name]: value })
    } else {
      merged[group] = isJsonObject(value) ? merge(nested, asObject(merged[group]), value) : value
    }
  }
  return merged as JsonObject
}

function splitDotted(key: string): [group: string, name?: string] {
  const dot = key.indexOf('.')
  return dot < 0 ? [key] : [key.slice(0, dot), key.slice(dot + 1)]
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

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
