/**
 * Query parameters, validated; an invalid one leads to an error page.
 *
 * @module
 */

import { badRequest } from './http-error.ts'

/** The positive integer of a parameter, `undefined` if absent. @throws HttpError */
export function positive(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ''
  if (text === '') return undefined
  const value = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : NaN
  if (Number.isNaN(value)) throw badRequest(`The parameter "${name}" of the address is no number.`)
  return value
}

/** One of these words, `undefined` if the parameter is absent. @throws HttpError */
export function oneOf<const W extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly W[],
): W | undefined {
  const text = query.get(name) ?? ''
  if (text === '') return undefined
  const word = words.find((known) => known === text)
  if (word === undefined)
    throw badRequest(`The parameter "${name}" of the address is none of ${words.join(', ')}.`)
  return word
}

/** Ids as a comma-separated list, at most `max`; invalid ones are ignored. */
export function idList(query: URLSearchParams, name: string, max: number): readonly number[] {
  return (query.get(name) ?? '')
    .split(',')
    .filter((text) => /^[1-9]\d{0,14}$/.test(text))
    .slice(0, max)
    .map(Number)
}
