/**
 * A partial update: what a user wants changed, laid over what is stored.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { fieldNamed } from './field.ts'
import type { FieldTable } from './field.ts'
import { isJsonObject } from '../model/json.ts'

/** `null` takes a field back to its default, groups are merged, lists and all else are replaced. Dotted names reach into groups. */
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
