/**
 * Decodes content codings (RFC 9110, 8.4.1) as a stream, so that a few kilobytes that expand to
 * gigabytes need only the memory of what is read.
 *
 * @module
 */

import { pipeline, Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { CheckFailure } from '../failure.ts'

/** The codings that requests accept. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

/**
 * A server that encodes encoded data again by mistake does so once. Each further layer may multiply
 * the size by a thousand.
 */
const MAX_LAYERS = 2

/**
 * A decoder of Brotli holds its window, up to 16 MiB, until the body ends. Encoders take at most 4 MiB by default. A body
 * with a larger window may unpack to 4 MiB.
 */
const MAX_WINDOW_BYTES = 4 * 1024 * 1024
/** The bits of the first byte that a window of 8 or 16 MiB sets (RFC 7932, 9.1). */
const LARGE_WINDOW = 0b1101

const CODING_SHOWN = 40

const CHUNK = { chunkSize: 64 * 1024 }

/**
 * The codings of all `Content-Encoding` fields, in the order in which they were applied, without
 * `identity`.
 */
export function codingsOf(contentEncodings: readonly string[]): string[] {
  return contentEncodings
    .flatMap((codings) => codings.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/**
 * The decoded stream. Errors propagate; destroying the result destroys `source`.
 *
 * @param limitBytes maximum output of every layer except the last, which the reader bounds
 * @throws CheckFailure `http_decode_error`, `http_coding_limit`
 */
export async function decoded(
  source: Readable,
  codings: readonly string[],
  limitBytes: number,
): Promise<Readable> {
  if (codings.length > MAX_LAYERS) {
    throw codingLimit(`The body is packed ${codings.length} times over; ${MAX_LAYERS} are undone`)
  }
  let stream = source
  for (const [layer, coding] of codings.toReversed().entries()) {
    // The callback keeps `pipeline` from throwing the error; the reader of the last stream receives
    // it.
    if (layer > 0) stream = pipeline(stream, bounded(limitBytes), () => undefined)
    const isLarge =
      coding === 'br' && (((await peek(stream, 1))[0] ?? 0) & LARGE_WINDOW) === LARGE_WINDOW
    stream = pipeline(stream, await decoderFor(coding, stream), () => undefined)
    if (isLarge) stream = pipeline(stream, bounded(MAX_WINDOW_BYTES), () => undefined)
  }
  return stream
}

/** A few kilobytes may expand to gigabytes that the next layer reduces to nothing. */
function bounded(limitBytes: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= limitBytes) done(null, chunk)
      else done(codingLimit(`A layer of the body unpacks to more than ${limitBytes} bytes`))
    },
  })
}

/** A limit of the engine, not a failure of the server. */
export function codingLimit(text: string): CheckFailure {
  return new CheckFailure('http_coding_limit', text, { phase: 'transfer' })
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
        `The body has the content coding "${shown(coding)}", which was not asked for`,
      )
  }
}

/**
 * `deflate` means the zlib format (RFC 1950), but servers also send raw deflate data (RFC 1951),
 * and browsers accept both. A zlib header names method 8 and is a multiple of 31.
 */
async function startsAsZlib(stream: Readable): Promise<boolean> {
  const [first = NaN, second = NaN] = await peek(stream, 2)
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

/** The first bytes of a stream, without consuming them; fewer if it ends before. */
async function peek(stream: Readable, bytes: number): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < bytes && !stream.readableEnded && !stream.destroyed) {
    const chunk = stream.read() as Buffer | null
    if (chunk === null) await changed(stream)
    else head = Buffer.concat([head, chunk])
  }
  stream.unshift(head)
  return head
}

function changed(stream: Readable): Promise<void> {
  const events = ['readable', 'end', 'error', 'close'] as const
  return new Promise((resolve) => {
    const look = (): void => {
      for (const event of events) stream.off(event, look)
      resolve()
    }
    for (const event of events) stream.on(event, look)
  })
}

function shown(coding: string): string {
  return coding.length > CODING_SHOWN ? `${coding.slice(0, CODING_SHOWN)}…` : coding
}
