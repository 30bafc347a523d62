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
  // Five times as fast as `for … in` where a list is among the objects (Node 24).
  const [names, inner] = Array.isArray(value)
    ? [undefined, value as unknown[]]
    : [Object.keys(value), Object.values(value)]
  let chars = FRAME_CHARS
  for (let at = 0; at < inner.length && chars <= limit; at += 1) {
    chars += names === undefined ? GAP_CHARS : CHARACTER_CHARS * (names[at] ?? '').length
    chars += FRAME_CHARS + mostChars(inner[at], limit - chars)
  }
  return chars
}
