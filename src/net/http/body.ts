/**
 * Gathers the body of an answer: unpacked, counted, and never more of it than the limit.
 *
 * @module
 */

import { Readable } from 'node:stream'
import { CheckFailure } from '../failure.ts'
import { decoded, decodeError } from './decode.ts'

export interface CollectedBody {
  /** Unpacked, at most the limit. */
  readonly body: Buffer
  /** The unpacked body went on beyond the limit. */
  readonly body_cut: boolean
  /** Taken off the wire, without chunk framing. */
  readonly body_bytes: number
}

/** Takes a body piece by piece. */
export interface BodySink {
  /** Bytes taken so far. */
  body_bytes(): number
  take(chunk: Buffer): void
  end(): void
  fail(error: Error): void
}

export interface BodyOptions {
  readonly codings: readonly string[]
  readonly bodyLimit: number
  /** The body is complete, or cut. */
  readonly resolve: (body: CollectedBody) => void
  readonly reject: (error: Error) => void
}

/**
 * Packed data may be longer than what is in it by its framing only; more is a stream that unpacks to
 * nothing. This bounds what waits to be unpacked, too.
 */
const PACKING_OVERHEAD_BYTES = 64 * 1024

export function createBodySink(options: BodyOptions): BodySink {
  return options.codings.length === 0 ? plainSink(options) : packedSink(options)
}

function plainSink({ bodyLimit, resolve, reject }: Omit<BodyOptions, 'codings'>): BodySink {
  const gathering = gather(bodyLimit)
  let body_bytes = 0
  let finished = false
  function finish(): void {
    if (finished) return
    finished = true
    const { body, body_cut } = gathering.result()
    resolve({ body, body_cut, body_bytes })
  }
  return {
    body_bytes: () => body_bytes,
    take(chunk) {
      body_bytes += chunk.length
      // What comes after that is on its way already: it is counted off and dropped.
      if (!finished && !gathering.add(chunk)) finish()
    },
    end: finish,
    fail: reject,
  }
}

function packedSink({ codings, bodyLimit, resolve, reject }: BodyOptions): BodySink {
  const source = new Readable({ read: () => undefined })
  // The failure reaches the reader of the unpacked stream; without a listener it would be thrown.
  source.on('error', () => undefined)
  const gathering = gather(bodyLimit)
  const limitBytes = bodyLimit + PACKING_OVERHEAD_BYTES
  let body_bytes = 0
  let failure: Error | undefined

  async function unpack(): Promise<void> {
    try {
      for await (const chunk of await decoded(source, codings, limitBytes)) {
        if (!gathering.add(chunk as Buffer)) break
      }
      resolve({ ...gathering.result(), body_bytes })
    } catch (error) {
      reject(failure ?? asDecodeError(error))
    } finally {
      source.destroy()
    }
  }

  return {
    body_bytes: () => body_bytes,
    take(chunk) {
      // Nothing is set up for an answer that has no body at all (HEAD, 204, 304).
      if (body_bytes === 0) void unpack()
      body_bytes += chunk.length
      if (body_bytes > limitBytes) {
        this.fail(decodeError('The packed body is longer than what it may unpack to'))
      } else {
        source.push(chunk)
      }
    },
    end() {
      if (body_bytes === 0) resolve({ ...gathering.result(), body_bytes })
      else source.push(null)
    },
    fail(error) {
      failure = error
      reject(error)
      source.destroy(error)
    },
  }
}

function gather(bodyLimit: number): {
  /** `false` once the limit is passed. */
  add(chunk: Buffer): boolean
  result(): Omit<CollectedBody, 'body_bytes'>
} {
  // One growing buffer: a server that sends byte by byte must not cost an object for each.
  let held = Buffer.alloc(0)
  let used = 0
  let size = 0

  function keep(chunk: Buffer): void {
    const needed = used + chunk.length
    if (needed > held.length) {
      const grown = Buffer.allocUnsafe(Math.min(Math.max(needed, 2 * held.length), bodyLimit))
      held.copy(grown, 0, 0, used)
      held = grown
    }
    chunk.copy(held, used)
    used = needed
  }

  return {
    add(chunk) {
      const room = bodyLimit - size
      size += chunk.length
      if (room > 0) keep(chunk.length > room ? chunk.subarray(0, room) : chunk)
      return size <= bodyLimit
    },
    result: () => ({ body: held.subarray(0, used), body_cut: size > bodyLimit }),
  }
}

function asDecodeError(error: unknown): Error {
  if (error instanceof CheckFailure) return error
  const reason = error instanceof Error ? error.message : String(error)
  return decodeError(`The body does not unpack: ${reason}`, error)
}
