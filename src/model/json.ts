/**
 * JSON values.
 *
 * @module
 */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** A JSON object: neither an array nor `null`. Its members are not validated. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** By value, regardless of the order of keys. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return ordered(a) === ordered(b)
}

function ordered(value: unknown): string {
  return JSON.stringify(value ?? null, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
