/**
 * Content codings (RFC 9110, 8.4.1) undone as a stream, so that a few kilobytes that unpack to
 * gigabytes cost no more memory than what is read from the end of it.
 *
 * @module
 */

import { pipeline, Transform } from 'node:stream'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import { CheckFailure } from '../failure.ts'

/** What we ask for. */
export const ACCEPT_ENCODING = 'gzip, deflate, br'

/** A server that packs what is packed already, by mistake, does it once. Each more may multiply by a thousand. */
const MAX_LAYERS = 2

const CODING_SHOWN = 40

const CHUNK = { chunkSize: 64 * 1024 }

/** The codings of all `Content-Encoding` fields, in the order in which they were applied; `identity` is left out. */
export function codingsOf(contentEncodings: readonly string[]): string[] {
  return contentEncodings
    .flatMap((codings) => codings.split(','))
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
}

/**
 * The stream without its codings. Errors travel along; destroying the result destroys `source`.
 *
 * @param limitBytes of what comes out of any layer but the last one, which the reader bounds
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
    // The callback is what keeps an error from being thrown; the reader of the last stream gets it.
    if (layer > 0) stream = pipeline(stream, bounded(limitBytes), () => undefined)
    stream = pipeline(stream, await decoderFor(coding, stream), () => undefined)
  }
  return stream
}

/** A few kilobytes may unpack to gigabytes that the next layer unpacks to nothing. */
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

/** Ours, not the server's: nothing is said of the body. */
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
 * `deflate` means the zlib format (RFC 1950), but servers send bare deflate data (RFC 1951) as well,
 * and browsers take both. A zlib header names method 8 and is a multiple of 31.
 */
async function startsAsZlib(stream: Readable): Promise<boolean> {
  const [first = 0, second] = await peek(stream, 2)
  if (second === undefined) return false
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0
}

/** The first bytes of a stream, which stay in it; fewer where it ends before. */
async function peek(stream: Readable, bytes: number): Promise<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < bytes && !stream.readableEnded && !stream.destroyed) {
    const chunk = stream.read() as Buffer | null
    if (chunk === null) await changed(stream)
    else head = Buffer.concat([head, chunk])
  }
  if (head.length > 0 && !stream.destroyed) stream.unshift(head)
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
