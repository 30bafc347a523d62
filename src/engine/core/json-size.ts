/**
 * Tests whether the JSON of a value exceeds a limit. Called in every check, nearly always for a few hundred
 * characters: a value that is certainly short is decided without serializing, in a quarter of the time.
 *
 * @module
 */

/** Maximum for one character (`\\u0000`), a number, and the punctuation around a value. */
const CHARACTER_CHARS = 6
const NUMBER_CHARS = 25
const FRAME_CHARS = 4
/** `null,` for a hole of a list. */
const GAP_CHARS = 5

/** Of values in each other. What is deeper overflows the stack of those that copy, compare and write it. */
const MAX_DEPTH = 200

/**
 * Whether its JSON has at most `limit_chars` characters, and values in each other at most {@link MAX_DEPTH} deep;
 * `false` if it has no JSON (a cycle, a BigInt).
 */
export function fitsIn(value: unknown, limit_chars: number): boolean {
  try {
    if (mostChars(value, limit_chars) <= limit_chars) return true
    return JSON.stringify(value).length <= limit_chars && isShallow(value)
  } catch {
    return false
  }
}

function isShallow(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  return left >= 0 && Object.values(value).every((each) => isShallow(each, left - 1))
}

/** An upper bound of the length of its JSON; any number above the limit beyond it. @throws RangeError if it is too deep */
function mostChars(value: unknown, limit: number, depth = 0): number {
  if (typeof value === 'string') return CHARACTER_CHARS * value.length + FRAME_CHARS
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return NUMBER_CHARS
  if (typeof value !== 'object') return value === undefined ? FRAME_CHARS : Infinity
  if (depth > MAX_DEPTH) throw new RangeError('It is too deep')
  // Dates and the like define their own JSON.
  if ('toJSON' in value) return Infinity
  // Five times as fast as `for … in` if a list is among the objects (Node 24).
  const [names, inner] = Array.isArray(value)
    ? [undefined, value as unknown[]]
    : [Object.keys(value), Object.values(value)]
  let chars = FRAME_CHARS
  for (let at = 0; at < inner.length && chars <= limit; at += 1) {
    chars += names === undefined ? GAP_CHARS : CHARACTER_CHARS * (names[at] ?? '').length
    chars += FRAME_CHARS + mostChars(inner[at], limit - chars, depth + 1)
  }
  return chars
}
