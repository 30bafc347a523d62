/**
 * Reads untrusted payloads, and formats times and durations.
 *
 * @module
 */

import type { JsonObject } from '../model.ts'
import { isJsonObject } from '../model/json.ts'

/** A string, number or boolean at a dotted path. */
export function scalarAt(payload: JsonObject, path: string): string | undefined {
  let value: unknown = payload
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined
    value = Object.hasOwn(value, name) ? value[name] : undefined
  }
  return textOf(value)
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

/** `2026-05-04T09:05:23.449Z` as `2026-05-04 09:05:23 UTC`. */
export function moment(text: string | undefined): string | undefined {
  return text?.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC')
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** Seconds in their two largest units: `1 h 5 min`. */
export function span(text: string | undefined): string | undefined {
  const seconds = Number(text ?? NaN)
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  const parts = UNITS.map(([unit, size], index) => {
    const larger = UNITS[index - 1]?.[1]
    return [Math.floor((larger === undefined ? seconds : seconds % larger) / size), unit] as const
  })
  const first = parts.findIndex(([count]) => count > 0)
  if (first < 0) return '0 s'
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ')
}
