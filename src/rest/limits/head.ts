/**
 * The headers of a request as they were received: Node makes `headers` of them on first use, which takes longer than
 * all else where the request is dropped.
 *
 * @module
 */

import type { IncomingMessage } from 'node:http'

export interface Head {
  readonly fields: number
  /** Those of the address as well. */
  readonly header_bytes: number
  /** RFC 9112, 6.3. */
  readonly has_body: boolean
}

export function headOf({ url = '', rawHeaders }: IncomingMessage): Head {
  let header_bytes = url.length
  let has_body = false
  for (const [at, text] of rawHeaders.entries()) {
    header_bytes += text.length
    // Names and values alternate.
    if (at % 2 === 0) has_body ||= announcesBody(text, rawHeaders[at + 1])
  }
  return { fields: rawHeaders.length / 2, header_bytes, has_body }
}

function announcesBody(name: string, value: string | undefined): boolean {
  if (/^content-length$/i.test(name)) return value !== '0'
  return /^transfer-encoding$/i.test(name)
}
