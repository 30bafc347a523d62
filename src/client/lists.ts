/**
 * Paged lists: one page, or all items in sequence; and filters as the API reads them in a query.
 *
 * @module
 */

import { call } from './call.ts'
import type { Caller, CallOptions } from './call.ts'
import { ValidationError } from '../errors.ts'

export interface ListPage<T> {
  readonly items: readonly T[]
  /** Passed as `cursor` of the next call; `null` at the end. */
  readonly next: string | null
}

export interface Paging {
  /** Items per page: 1 to 200, default 50; of results 1 to 1000, default 100. */
  readonly limit?: number | undefined
  /** `next` of the previous page. */
  readonly cursor?: string | undefined
}

/** Called, returns one page; iterated with `for await`, yields all items, one page at a time. */
export interface List<T, F> {
  (filter?: F & Paging, options?: CallOptions): Promise<ListPage<T>>
  all(filter?: F & Paging, options?: CallOptions): AsyncGenerator<T, void, undefined>
}

interface Place {
  readonly path: string
  /** Name of the items in the response. */
  readonly name: string
}

export function listOf<T, F extends object>(
  caller: Caller,
  placeOf: (filter: F & Paging) => Place & { readonly query: object },
): List<T, F> {
  const page = async (
    filter: F & Paging = {} as F,
    { signal }: CallOptions = {},
  ): Promise<ListPage<T>> => {
    const { path, name, query } = placeOf(filter)
    const answer = await call<Record<string, unknown>>(caller, {
      method: 'GET',
      path: `${path}${queryText(query as Readonly<Record<string, QueryValue>>)}`,
      repeatable: true,
      signal,
    })
    return { items: answer[name] as T[], next: answer['next_cursor'] as string | null }
  }
  async function* all(
    filter: F & Paging = {} as F,
    options?: CallOptions,
  ): AsyncGenerator<T, void, undefined> {
    for (let cursor = filter.cursor; ;) {
      const { items, next } = await page(
        cursor === undefined ? filter : { ...filter, cursor },
        options,
      )
      yield* items
      if (next === null) return
      cursor = next
    }
  }
  return Object.assign(page, { all })
}

type QueryValue =
  string | number | boolean | Date | readonly (string | readonly string[])[] | Members | undefined

type Members = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * `?a=1&…`, or `''` without filters. A list means "any of these", but for tags. An object is written as
 * `name.key=value`.
 */
export function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const meant = TIMES.has(name) ? momentOf(name, value) : value
    if (isMembers(meant)) {
      for (const [key, each] of Object.entries(meant))
        if (each !== undefined) params.append(`${name}.${key}`, String(each))
      continue
    }
    for (const text of textsOf(name, meant)) params.append(name, text)
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

function isMembers(value: QueryValue): value is Members {
  return typeof value === 'object' && !(value instanceof Date) && !Array.isArray(value)
}

/** Of these every entry must match, and is a parameter of its own: an inner list means any of its texts. */
const GROUPS = new Set(['tag'])

/** In these a number is epoch milliseconds, which the API would read as seconds. */
const TIMES = new Set(['from', 'to'])

/** @throws ValidationError for an invalid time */
function momentOf(name: string, value: QueryValue): QueryValue {
  if (typeof value !== 'number' && !(value instanceof Date)) return value
  const moment = new Date(value)
  if (!Number.isNaN(moment.getTime())) return moment
  throw new ValidationError({ [name]: 'invalid: a time is expected' })
}

function textsOf(name: string, value: Exclude<QueryValue, Members>): readonly string[] {
  if (value === undefined) return []
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'boolean') return [value ? '1' : '0']
  if (typeof value !== 'object') return [String(value)]
  if (value.length === 0) return []
  if (!GROUPS.has(name)) return [value.join(',')]
  return value.map((each) => [each].flat().map(withoutSeparators).join(','))
}

/** A comma that belongs to a word. */
function withoutSeparators(word: string): string {
  return word.replaceAll(',', '\\,')
}
