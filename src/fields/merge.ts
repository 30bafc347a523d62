/**
 * Applies a partial update to stored settings.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { fieldNamed } from './field.ts'
import type { FieldTable } from './field.ts'
import { isJsonObject } from '../model/json.ts'

/**
 * `null` resets a field to its default, groups are merged, lists and all other values are replaced.
 * Dotted names address fields of groups.
 */
export function merge(fields: FieldTable, stored: JsonObject, patch: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...stored }
  for (const [key, value] of Object.entries(patch)) {
    const [group, name] = splitDotted(fields, key)
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

function splitDotted(fields: FieldTable, key: string): [group: string, name?: string] {
  const dot = key.indexOf('.')
  const group = key.slice(0, Math.max(0, dot))
  const isGroup = dot > 0 && fieldNamed(fields, group)?.info.fields !== undefined
  return isGroup ? [group, key.slice(dot + 1)] : [key]
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
