/**
 * Validates filters and options of the services' calls by a table: unknown names and invalid values are rejected, all
 * at once. `undefined` means absent.
 *
 * @module
 */

import { lineProblem } from '../../model/printable.ts'
import { ValidationError } from '../../errors.ts'
import { isTime, readIsoTime } from '../../model/time.ts'
import type { EpochMs } from '../../model.ts'
import { suggestion } from '../../options.ts'
import { isJsonObject } from '../../model/json.ts'

type Read<T> = { readonly value: T } | { readonly problem: string }
type Reader<T> = (value: unknown) => Read<T>

/** One reader per name of the filter's type, so that the compiler reports a missing one. */
export type Readers<F> = { readonly [K in keyof F]-?: Reader<unknown> }

type Filter<T> = { readonly [K in keyof T]?: T[K] extends Reader<infer V> ? V : never }

/** @throws ValidationError with every problem at once */
export function readFilter<T extends Readonly<Record<string, Reader<unknown>>>>(
  table: T,
  filter: unknown = {},
): Filter<T> {
  if (!isJsonObject(filter)) throw new ValidationError({ '': 'invalid: an object is expected' })
  // Without a prototype, since a name such as `__proto__` could not be reported otherwise.
  const problems = Object.create(null) as Record<string, string>
  const values: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(filter)) {
    if (given === undefined) continue
    const read = Object.hasOwn(table, name) ? table[name]?.(given) : undefined
    if (read === undefined)
      problems[name] = `unknown_field: ${suggestion(name, Object.keys(table))}`
    else if ('problem' in read) problems[name] = read.problem
    else values[name] = read.value
  }
  if (values['from'] !== undefined && Number(values['from']) > Number(values['to'] ?? Infinity))
    problems['from'] = 'invalid: it is after "to"'
  if (Object.keys(problems).length > 0) throw new ValidationError(problems)
  return values as Filter<T>
}

/** The readers of single values. */
export const read = {
  integer:
    (min: number, max: number): Reader<number> =>
    (value) => {
      if (!Number.isSafeInteger(value)) return { problem: 'invalid: an integer is expected' }
      const within = (value as number) >= min && (value as number) <= max
      return within ? { value: value as number } : { problem: `out_of_range: ${min}..${max}` }
    },

  callback: (value: unknown): Read<() => Promise<unknown>> =>
    typeof value === 'function'
      ? { value: value as () => Promise<unknown> }
      : { problem: 'invalid: a function is expected' },

  id: (value: unknown): Read<number> =>
    Number.isSafeInteger(value) && (value as number) > 0
      ? { value: value as number }
      : { problem: 'invalid: an id is expected' },

  flag: (value: unknown): Read<boolean> =>
    typeof value === 'boolean' ? { value } : { problem: 'invalid: true or false is expected' },

  oneOf:
    <const W extends string>(words: readonly W[]): Reader<W> =>
    (value) => {
      const word = words.find((each) => each === value)
      if (word !== undefined) return { value: word }
      return { problem: `invalid: one of ${words.join(', ')} is expected` }
    },

  text:
    (max: number): Reader<string> =>
    (value) => {
      if (typeof value !== 'string') return { problem: 'invalid: a text is expected' }
      const problem =
        lineProblem(value) ??
        (value.length > max ? `out_of_range: at most ${max} characters` : undefined)
      return problem === undefined ? { value } : { problem }
    },

  list:
    <T>(item: Reader<T>, max = MAX_ENTRIES): Reader<readonly T[]> =>
    (value) => {
      if (!Array.isArray(value)) return { problem: 'invalid: a list is expected' }
      if (value.length > max) return { problem: `out_of_range: at most ${max}` }
      const values: T[] = []
      for (const each of value.map((one: unknown) => item(one))) {
        if ('problem' in each) return each
        values.push(each.value)
      }
      return { value: values }
    },

  /** Names with a text, number or flag each, as text. */
  members:
    (max: number): Reader<Readonly<Record<string, string>>> =>
    (value) => {
      if (!isJsonObject(value)) return { problem: 'invalid: an object is expected' }
      const entries = Object.entries(value).filter(([, each]) => each !== undefined)
      if (entries.length > MAX_ENTRIES) return { problem: `out_of_range: at most ${MAX_ENTRIES}` }
      const values: [string, string][] = []
      for (const [name, each] of entries) {
        if (typeof each !== 'string' && typeof each !== 'number' && typeof each !== 'boolean')
          return { problem: 'invalid: a text, a number or a flag is expected for each name' }
        if (name.length + String(each).length > max)
          return { problem: `out_of_range: at most ${max} characters` }
        values.push([name, String(each)])
      }
      // Assigned, a member named `__proto__` would be left out, and more would match.
      return { value: Object.fromEntries(values) }
    },

  /** A `Date`, epoch milliseconds, or ISO 8601 text, UTC without an offset. */
  time: (value: unknown): Read<EpochMs> => {
    const at = timeOf(value)
    // Times are stored in whole milliseconds: both for an inclusive start and an exclusive end a fraction rounds up.
    if (at !== undefined && isTime(at)) return { value: Math.ceil(at) }
    return { problem: 'invalid: a Date, epoch milliseconds or ISO 8601 text is expected' }
  },
}

const MAX_ENTRIES = 50

/** `limit` and `after` of a list, as `PageOptions` has them. */
export function pageReaders(max: number): { limit: Reader<number>; after: Reader<number> } {
  return { limit: read.integer(1, max), after: read.id }
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return readIsoTime(value)
  return isDate(value) ? value.getTime() : undefined
}

/** By tag: tests run in realms with a `Date` of their own. */
function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]'
}
