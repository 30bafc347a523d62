/**
 * How the memory store copies what it takes and gives.
 *
 * @module
 */

/** No record is nested so deeply; a cycle is. */
const DEEPEST = 50

/**
 * Copies as a store does that keeps JSON: what JSON cannot represent is rejected with a `TypeError` (a bigint, a
 * cycle) or dropped (`undefined`).
 */
export function copy<T>(value: T): T {
  return value === undefined ? value : (copied(value, 0) as T)
}

/** What records are made of is copied in half the time that JSON takes; all else goes through JSON. */
function copied(value: unknown, depth: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null
  if (depth < DEEPEST && Array.isArray(value)) return copiedItems(value, depth + 1)
  if (depth < DEEPEST && isPlain(value)) return copiedFields(value, depth + 1)
  return throughJson(value)
}

function copiedItems(items: readonly unknown[], depth: number): unknown {
  if ('toJSON' in items) return throughJson(items)
  const made: unknown[] = []
  for (const item of items) made.push(isLeftOut(item) ? null : copied(item, depth))
  return made
}

function copiedFields(fields: Readonly<Record<string, unknown>>, depth: number): unknown {
  const made: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) {
    const field = fields[name]
    // Assigned, it would become the prototype.
    if (name === '__proto__') return throughJson(fields)
    if (!isLeftOut(field)) made[name] = copied(field, depth)
  }
  return made
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  return Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}

/** A field without a form in JSON is absent, an item is `null`. */
function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol'
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown
}
