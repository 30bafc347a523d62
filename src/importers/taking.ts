/**
 * Reads an external object by field name and records which fields were read: the rest was not
 * imported.
 *
 * @module
 */

import type { Json, JsonObject } from '../model.ts'
import { isJsonObject } from '../model/json.ts'

export interface Taking {
  /** A text; a number or flag is converted. `undefined` if absent or empty. */
  text(name: string): string | undefined
  /** Also where it is written as a text. */
  number(name: string): number | undefined
  /** Also 0 and 1. */
  flag(name: string): boolean | undefined
  list(name: string): readonly Json[]
  texts(name: string): readonly string[]
  object(name: string): Taking
  /** Unconverted. */
  value(name: string): Json | undefined
  /** Has no meaning here. */
  ignore(...names: readonly string[]): void
  /** Names of values that were not read; dotted within objects that were. */
  left(): readonly string[]
}

export function take(source: JsonObject): Taking {
  const read = new Set<string>()
  const inner = new Map<string, Taking>()
  const value = (name: string): Json | undefined => {
    read.add(name)
    return Object.hasOwn(source, name) ? source[name] : undefined
  }
  const text = (name: string): string | undefined => {
    const given = value(name)
    if (typeof given === 'number' || typeof given === 'boolean') return String(given)
    return typeof given === 'string' && given.trim() !== '' ? given : undefined
  }
  const list = (name: string): readonly Json[] => {
    const given = value(name)
    return Array.isArray(given) ? (given as readonly Json[]) : []
  }
  return {
    value,
    text,
    list,
    number(name) {
      const given = text(name)
      const number = Number(given ?? NaN)
      return Number.isFinite(number) ? number : undefined
    },
    flag(name) {
      const given = value(name)
      if (typeof given === 'boolean') return given
      return given === 1 || given === 0 ? given === 1 : undefined
    },
    texts: (name) =>
      list(name)
        .filter((item) => typeof item === 'string' || typeof item === 'number')
        .map(String),
    object(name) {
      const given = value(name)
      const taking = inner.get(name) ?? take(isJsonObject(given) ? given : {})
      inner.set(name, taking)
      return taking
    },
    ignore: (...names) => names.forEach((name) => void read.add(name)),
    left() {
      const unread = Object.keys(source).filter((name) => !read.has(name) && says(source[name]))
      const within = [...inner].flatMap(([name, taking]) =>
        taking.left().map((each) => `${name}.${each}`),
      )
      return [...unread, ...within]
    },
  }
}

/** What is nested deeper is taken to say something: no service writes so. */
const SAID_DEPTH = 32

/** Whether a value says anything: not null, false, an empty text, list or object. */
function says(value: Json | undefined, depth = 0): boolean {
  if (value === undefined || value === null || value === false || value === '') return false
  if (typeof value !== 'object' || depth === SAID_DEPTH) return true
  return Object.values(value).some((item) => says(item, depth + 1))
}

const UNITS = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
}

/** `1h30m`, `500ms`, as Go and Prometheus write durations, in ms; a bare number counts as seconds. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|[smhdwy]))+$/.test(text)) return undefined
  const parts = text.matchAll(/(?<!\d)(\d+(?:\.\d+)?)(ns|us|µs|ms|[smhdwy])/g)
  return [...parts].reduce(
    (sum, [, count = '0', unit = 's']) => sum + Number(count) * UNITS[unit as keyof typeof UNITS],
    0,
  )
}
