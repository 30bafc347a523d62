/**
 * Builds the header section of a request.
 *
 * @module
 */

import { isNamed, valuesOf } from './headers.ts'
import type { HopRequest } from './headers.ts'

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
