/**
 * Header fields of requests and responses as lists of pairs, and the header section of a request.
 *
 * @module
 */

export type HeaderPair = readonly [name: string, value: string]

/** Fields of which only the first counts, as in node:http. */
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

/** Compares the lengths first: most names differ in length. */
export function isNamed(known: string, name: string): boolean {
  return known.length === name.length && known.toLowerCase() === name
}

export function without(
  headers: readonly HeaderPair[],
  drop: (name: string) => boolean,
): HeaderPair[] {
  return headers.filter(([name]) => !drop(name.toLowerCase()))
}

/**
 * Lower-case names; repeated fields are joined by commas, or the first value is used for fields
 * that cannot be lists.
 */
export function joined(headers: readonly HeaderPair[]): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    // An object with a null prototype would be slower; only `__proto__` is lost, which is not a
    // header name.
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

/** Methods that define a body: an empty one is announced too (RFC 9110, 8.6). */
const BRINGS_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** Name, value, name, value …: host and framing headers of the engine, then the others in order. */
export function wireHeaders(
  { url, method, headers }: Pick<HopRequest, 'url' | 'method' | 'headers'>,
  body: Uint8Array | undefined,
): string[] {
  const wire = ['host', valuesOf(headers, 'host')[0] ?? url.host, 'connection', 'close']
  for (const [name, value] of headers) if (!isNamed(name, 'host')) wire.push(name, value)
  if (body !== undefined || BRINGS_BODY.has(method)) {
    wire.push('content-length', String(body?.length ?? 0))
  }
  return wire
}
