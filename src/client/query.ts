/**
 * Filters as the API reads them in a query.
 *
 * @module
 */

import { ValidationError } from '../errors.ts'

export type QueryValue =
  string | number | boolean | Date | readonly string[] | readonly (readonly string[])[] | undefined

/**
 * `?a=1&…`, or `''` without filters. A list means "any of these"; a list of lists means that all
 * must match.
 */
export function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const meant = TIMES.has(name) ? momentOf(name, value) : value
    for (const text of textsOf(meant)) params.append(name, text)
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** In these a number is epoch milliseconds, which the API would read as seconds. */
const TIMES = new Set(['from', 'to'])

/** @throws ValidationError for an invalid time */
function momentOf(name: string, value: QueryValue): QueryValue {
  if (typeof value !== 'number' && !(value instanceof Date)) return value
  const moment = new Date(value)
  if (!Number.isNaN(moment.getTime())) return moment
  throw new ValidationError({ [name]: 'invalid: a time is expected' })
}

function textsOf(value: QueryValue): string[] {
  if (value === undefined) return []
  if (value instanceof Date) return [value.toISOString()]
  if (typeof value === 'boolean') return [value ? '1' : '0']
  if (typeof value !== 'object') return [String(value)]
  if (value.length === 0) return []
  const nested = value.filter((each): each is readonly string[] => typeof each !== 'string')
  return nested.length > 0 ? nested.map((each) => each.join(',')) : [value.join(',')]
}
