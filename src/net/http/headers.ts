/**
 * Header fields of requests and responses as lists of pairs, and the header section of a request.
 *
 * @module
 */

import type { ClientIdentity } from '../connection/client-identity.ts'

/** `auto`: the server chooses between HTTP/2 and HTTP/1.1 (ALPN, RFC 7301); over plain TCP it is 1.1. */
export type HttpVersion = 'auto' | '1.1' | '2'

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
  /** Requests the whole URL, of a proxy (RFC 9112, 3.2.2). */
  readonly absolute?: boolean
  readonly method: string
  readonly headers: readonly HeaderPair[]
  readonly body: string | Uint8Array | undefined
  readonly identity?: ClientIdentity | undefined
}

/** Methods that define a body: an empty one is announced too (RFC 9110, 8.6). */
const BRINGS_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** The body as bytes: node:http appends text to the header section and writes both in one encoding. */
export function bodyBytes({ body }: Pick<HopRequest, 'body'>): Uint8Array | undefined {
  return typeof body === 'string' ? Buffer.from(body) : body
}

/** Name, value, name, value …: host and framing headers of the engine, then the others in order. */
export function wireHeaders(
  { url, method, headers }: Pick<HopRequest, 'url' | 'method' | 'headers'>,
  body: Uint8Array | undefined,
  connection: 'close' | 'keep-alive' = 'close',
): string[] {
  const wire = ['host', valuesOf(headers, 'host')[0] ?? url.host, 'connection', connection]
  for (const [name, value] of headers) if (!isNamed(name, 'host')) wire.push(name, value)
  const length = lengthOf(method, body)
  if (length !== undefined) wire.push('content-length', length)
  return wire
}

function lengthOf(method: string, body: Uint8Array | undefined): string | undefined {
  if (body === undefined && !BRINGS_BODY.has(method)) return undefined
  return String(body?.length ?? 0)
}

/** Headers of one connection, which HTTP/2 does not have (RFC 9113, 8.2.2). */
const OF_CONNECTION = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** The header section of an HTTP/2 request: pseudo headers, then the others in lower case. */
export function http2Headers(
  { url, method, headers }: Pick<HopRequest, 'url' | 'method' | 'headers'>,
  body: Uint8Array | undefined,
): Record<string, string | string[]> {
  const wire = Object.create(null) as Record<string, string | string[]>
  wire[':method'] = method
  wire[':scheme'] = url.protocol.slice(0, -1)
  wire[':authority'] = valuesOf(headers, 'host')[0] ?? url.host
  wire[':path'] = url.pathname + url.search
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    if (OF_CONNECTION.has(name)) continue
    const known = wire[name]
    if (known === undefined) wire[name] = value
    else if (!SINGLE.has(name)) wire[name] = [known, value].flat()
  }
  const length = lengthOf(method, body)
  if (length !== undefined) wire['content-length'] = length
  return wire
}
