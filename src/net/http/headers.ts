/**
 * Header fields of requests and answers as lists of pairs.
 *
 * @module
 */

export type HeaderPair = readonly [name: string, value: string]

/** Fields of which only the first counts (as node:http reads them; a list would make no sense). */
const SINGLE = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])

/** Every value of one field, in order. `name` in lower case. */
export function valuesOf(headers: readonly HeaderPair[], name: string): string[] {
  const values: string[] = []
  for (const [known, value] of headers) if (isNamed(known, name)) values.push(value)
  return values
}

export function hasHeader(headers: readonly HeaderPair[], name: string): boolean {
  return headers.some(([known]) => isNamed(known, name))
}

/** The lengths first: most names differ in that, and it costs nothing to see. */
export function isNamed(known: string, name: string): boolean {
  return known.length === name.length && known.toLowerCase() === name
}

export function without(
  headers: readonly HeaderPair[],
  drop: (name: string) => boolean,
): HeaderPair[] {
  return headers.filter(([name]) => !drop(name.toLowerCase()))
}

/** Lower-case names; what is repeated is joined by commas, or its first value taken where a list makes no sense. */
export function joined(headers: readonly HeaderPair[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    // A null prototype would be slower; only `__proto__` is lost by this, which is no header's name.
    if (!Object.hasOwn(values, key)) values[key] = value
    else if (!SINGLE.has(key)) values[key] = `${values[key] ?? ''}, ${value}`
  }
  return values
}
export interface HopRequest {
  readonly url: URL
  readonly method: string
  readonly headers: readonly HeaderPair[]
  readonly body: string | Uint8Array | undefined
}
