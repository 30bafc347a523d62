/**
 * What a JSON document is made of.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'

/** An object as JSON has it: no array and not `null`. Its members are not looked at. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
