/**
 * How much JSON a value makes, for bounds. Asked in every check, nearly always about a few hundred
 * characters, so what is surely short is told without making the JSON: a quarter of the price.
 *
 * @module
 */

/** Most that one character takes (`\\u0000`), a number, and what stands around a value. */
const CHARACTER_CHARS = 6
const NUMBER_CHARS = 25
const FRAME_CHARS = 4
/** `null,` where a list has a gap. */
const GAP_CHARS = 5

/** Whether its JSON has at most so many characters; never, where it is no JSON at all (a circle, a BigInt). */
export function fitsIn(value: unknown, limit_chars: number): boolean {
  try {
    if (mostChars(value, limit_chars) <= limit_chars) return true
    return JSON.stringify(value).length <= limit_chars
  } catch {
    return false
  }
}

/** Not less than its JSON has; beyond the limit anything above it. */
function mostChars(value: unknown, limit: number): number {
  if (typeof value === 'string') return CHARACTER_CHARS * value.length + FRAME_CHARS
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return NUMBER_CHARS
  if (typeof value !== 'object') return value === undefined ? FRAME_CHARS : Infinity
  // Dates and the like say themselves what they are.
  if ('toJSON' in value) return Infinity
  let chars = FRAME_CHARS + (Array.isArray(value) ? value.length * GAP_CHARS : 0)
  for (const name in value) {
    if (chars > limit) break
    const inner = (value as Record<string, unknown>)[name]
    chars += CHARACTER_CHARS * name.length + FRAME_CHARS + mostChars(inner, limit - chars)
  }
  return chars
}
