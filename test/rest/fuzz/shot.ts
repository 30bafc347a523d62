/** One request of the fuzzer as data, its bytes, and how it is shown so that it can be sent again. */

import fc from 'fast-check'

export interface Shot {
  readonly method: string
  /** May hold places such as `{monitor}`, which become ids of things that are there (live.ts). */
  readonly path: string
  /** Each part as it stands in the address: escaped already, or on purpose not. */
  readonly query: readonly string[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: Body
  /** Sends the body in chunks without its length. */
  readonly chunked?: true
  /** What spoils the bytes; then nothing is expected but that the service stays well. */
  readonly spoil?: (bytes: Buffer) => Buffer
  /** What was done to the valid request, for the report. */
  readonly damage: readonly string[]
}

/** A value is sent as JSON, bytes are sent as they are. */
export type Body = { readonly json: unknown } | { readonly bytes: Buffer }

const MARK = '\u0001number:'

/** A number as no value of JavaScript writes it: `1e400`, `-0`, `01`. */
export function written(number: string): string {
  return MARK + number
}

export function bytesOf(shot: Shot): Buffer {
  const body = shot.body === undefined ? undefined : bodyBytes(shot.body)
  const target = shot.path + (shot.query.length === 0 ? '' : `?${shot.query.join('&')}`)
  const framing: [string, string][] =
    body === undefined
      ? []
      : shot.chunked === true
        ? [['Transfer-Encoding', 'chunked']]
        : [['Content-Length', String(body.length)]]
  const lines = [...shot.headers, ...framing].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${shot.method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  const content = body === undefined ? [] : shot.chunked === true ? inChunks(body) : [body]
  const bytes = Buffer.concat([head, ...content])
  return shot.spoil === undefined ? bytes : shot.spoil(bytes)
}

export function bodyBytes(body: Body): Buffer {
  if ('bytes' in body) return body.bytes
  const text = JSON.stringify(body.json)
  return Buffer.from(text.replace(/"\\u0001number:([^"]*)"/g, '$1'))
}

function inChunks(body: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; at += 1000) {
    const part = body.subarray(at, at + 1000)
    chunks.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return [...chunks, Buffer.from('0\r\n\r\n')]
}

/** For fast-check: what stands in the report of a failure. */
export function shown(shot: Shot): Shot {
  return Object.assign({}, shot, { [fc.toStringMethod]: () => `\n${describeShot(shot)}\n` })
}

/** A line of shell that sends the request; `printf %b` understands the escapes. */
export function describeShot(shot: Shot): string {
  const bytes = bytesOf(shot)
  const shownBytes = bytes.length > 4000 ? bytes.subarray(0, 4000) : bytes
  const text = shownBytes
    .toString('latin1')
    .replace(/[^\x20-\x7e]|[\\'%]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`)
    .replaceAll('\\x0d\\x0a', '\\r\\n')
  const cut = bytes.length > shownBytes.length ? ` # and ${bytes.length - 4000} bytes more` : ''
  return `printf %b '${text}' | nc 127.0.0.1 8080${cut}   [${shot.damage.join(', ') || 'valid'}]`
}
