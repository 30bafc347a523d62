/**
 * JSON values.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'

/** A JSON object: neither an array nor `null`. Its members are not validated. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
