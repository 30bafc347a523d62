/**
 * Content codings (RFC 9110, 8.4.1) undone as a stream, so that a few kilobytes that unpack to
 * gigabytes cost no more memory than what is read from the end of it.
 *
 * @module
 */

import { once } from 'node:events'
import { pipeline } from 'node:stream'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { CheckFailure } from '../failure.ts'

/** What we ask for. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

/** Nobody packs a page more often than this. */
const MAX_LAYERS = 5

const CHUNK = { chunkSize: 64 * 1024 }

/** The codings of a `Content-Encoding`, in the order in which they were applied; `identity` is left out. */
export function codingsOf(contentEncoding: string | undefined): string[] {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/** The stream without its codings. Errors travel along; destroying the result destroys `source`. @throws CheckFailure */
export async function decoded(source: Readable, codings: readonly string[]): Promise<Readable> {
  if (codings.length > MAX_LAYERS) {
    throw decodeError(`The body is packed ${codings.length} times over`)
  }
  let stream = source
  for (const coding of codings.toReversed()) {
    // The callback is what keeps an error from being thrown; the reader of the last stream gets it.
    stream = pipeline(stream, await decoderFor(coding, stream), () => undefined)
  }
  return stream
}

export function decodeError(text: string, cause?: unknown): CheckFailure {
  return new CheckFailure('http_decode_error', text, { phase: 'transfer', cause })
}

async function decoderFor(coding: string, stream: Readable): Promise<Transform> {
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(CHUNK)
    case 'br':
      return createBrotliDecompress(CHUNK)
    case 'deflate':
      return (await startsAsZlib(stream)) ? createInflate(CHUNK) : createInflateRaw(CHUNK)
    default:
      throw decodeError(
        `The body has the content coding "${coding.slice(0, 40)}", which was not asked for`,
      )
  }
}

/**
 * `deflate` means the zlib format (RFC 1950), but servers send bare deflate data (RFC 1951) as well,
 * and browsers take both. A zlib header names method 8 and is a multiple of 31.
 */
async function startsAsZlib(stream: Readable): Promise<boolean> {
  const head = await peek(stream, 2)
  const [first = 0, second = 0] = head
  return head.length === 2 && (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

async function peek(stream: Readable, bytes: number): Promise<Buffer> {
  for (;;) {
    // Before the end of the stream `read(n)` gives n bytes or nothing, at its end what is left.
    const head = stream.read(bytes) as Buffer | null
    if (head !== null) {
      stream.unshift(head)
      return head
    }
    if (stream.readableEnded || stream.destroyed) return Buffer.alloc(0)
    await Promise.race([once(stream, 'readable'), once(stream, 'end'), once(stream, 'close')])
  }
}
