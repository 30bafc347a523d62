/**
 * Reads the body of a response: decoded, counted, kept or passed to a reader, within the limit.
 *
 * @module
 */

import { Readable } from 'node:stream'
import { CheckFailure } from '../failure.ts'
import { codingLimit, decoded, decodeError } from './decode.ts'
import { gather } from './reading.ts'
import type { Reading } from './reading.ts'

export interface CollectedBody {
  /** Decoded, at most the limit; empty if it is not kept. */
  readonly body: Buffer
  /** Decoded bytes, whether kept or not. */
  readonly decoded_bytes: number
  /** The decoded body was longer than what was read of it. */
  readonly body_cut: boolean
  /** Bytes on the wire, without chunk framing. */
  readonly body_bytes: number
}

/** Receives a body in chunks. */
export interface BodySink {
  /** Bytes received so far. */
  body_bytes(): number
  take(chunk: Buffer): void
  end(): void
  fail(error: Error): void
}

export interface BodyOptions {
  readonly codings: readonly string[]
  readonly bodyLimit: number
  /** Default `true`. */
  readonly keepBody?: boolean | undefined
  /** Reads the body as it arrives, up to {@link SEARCH_LIMIT_BYTES}. */
  readonly reading?: Reading | undefined
  /** Pauses the source until the returned function is called; calls are counted. */
  readonly hold: () => () => void
  /** Called when the body is complete or cut. */
  readonly resolve: (body: CollectedBody) => void
  readonly reject: (error: Error) => void
}

/** Maximum decoded bytes passed to a reader: 64 MiB. */
const SEARCH_LIMIT_BYTES = 64 * 1024 * 1024

/**
 * Encoded data exceeds its content by framing only; a larger difference means a stream that decodes
 * to nothing. This bounds the wasted decoding.
 */
const PACKING_OVERHEAD_BYTES = 64 * 1024

export function createBodySink(options: BodyOptions): BodySink {
  return options.codings.length === 0 ? plainSink(options) : packedSink(options)
}

function plainSink(options: BodyOptions): BodySink {
  const { hold, resolve, reject } = options
  const taking = takeUnpacked(options)
  let body_bytes = 0
  let finished = false
  let held = false
  function finish(): void {
    if (finished) return
    finished = true
    const ending = taking.end()
    if ('body' in ending) resolve({ body_bytes, ...ending })
    else ending.then((body) => resolve({ body_bytes, ...body }), reject)
  }
  async function wait(behind: Promise<void>): Promise<void> {
    held = true
    const release = hold()
    try {
      await behind
    } catch (error) {
      reject(asError(error))
    } finally {
      held = false
      release()
    }
  }
  return {
    body_bytes: () => body_bytes,
    take(chunk) {
      body_bytes += chunk.length
      // Chunks that arrive after the end are counted and dropped.
      if (finished) return
      if (!taking.add(chunk)) {
        hold()
        finish()
        return
      }
      const behind = held ? undefined : taking.behind()
      if (behind !== undefined) void wait(behind)
    },
    end: finish,
    fail: reject,
  }
}

function packedSink(options: BodyOptions): BodySink {
  const { codings, bodyLimit, reading, hold, resolve, reject } = options
  let release: (() => void) | undefined
  const source = new Readable({
    read() {
      release?.()
      release = undefined
    },
  })
  // The reader of the decoded stream gets the error; without a listener here it would be thrown.
  source.on('error', () => undefined)
  const taking = takeUnpacked(options)
  const readLimit = reading === undefined ? bodyLimit : Math.max(bodyLimit, SEARCH_LIMIT_BYTES)
  const limitBytes = readLimit + PACKING_OVERHEAD_BYTES
  let body_bytes = 0
  let failure: Error | undefined

  async function unpack(): Promise<void> {
    try {
      for await (const chunk of await decoded(source, codings, limitBytes)) {
        if (!taking.add(chunk as Buffer)) break
        await taking.behind()
      }
      resolve({ body_bytes, ...(await taking.end()) })
    } catch (error) {
      reject(failure ?? asDecodeError(error))
    }
  }

  return {
    body_bytes: () => body_bytes,
    take(chunk) {
      // A response without a body (HEAD, 204, 304) needs no decoder.
      if (body_bytes === 0) void unpack()
      body_bytes += chunk.length
      if (body_bytes > limitBytes) {
        this.fail(codingLimit(`More than ${limitBytes} bytes of the packed body unpack to less`))
      } else if (!source.push(chunk)) {
        // The queue of chunks to decode is bounded, too.
        release ??= hold()
      }
    },
    end() {
      if (body_bytes > 0) return void source.push(null)
      void Promise.resolve(taking.end()).then(
        (body) => resolve({ body_bytes, ...body }),
        (error: unknown) => reject(asError(error)),
      )
    },
    fail(error) {
      failure = error
      reject(error)
      source.destroy(error)
    },
  }
}

type Taken = Omit<CollectedBody, 'body_bytes'>

/** The decoded body: kept up to the limit, and passed to a reader as long as it wants more. */
function takeUnpacked({ bodyLimit, keepBody = true, reading }: BodyOptions): {
  /** `false` once no more is wanted. */
  add(chunk: Buffer): boolean
  behind(): Promise<void> | undefined
  end(): Taken | Promise<Taken>
} {
  const gathering = gather(keepBody ? bodyLimit : 0)
  let decoded_bytes = 0
  let body_cut = false
  return {
    add(chunk) {
      const limit = reading?.wantsMore() === true ? SEARCH_LIMIT_BYTES : 0
      const room = Math.max(bodyLimit, limit) - decoded_bytes
      body_cut = chunk.length > room
      const part = body_cut ? chunk.subarray(0, Math.max(0, room)) : chunk
      decoded_bytes += part.length
      gathering.add(part)
      reading?.add(part)
      return !body_cut
    },
    behind: () => reading?.behind(),
    end() {
      const taken = { body: gathering.result().body, decoded_bytes, body_cut }
      return reading === undefined
        ? taken
        : reading.end({ bytes: decoded_bytes, whole: !body_cut }).then(() => taken)
    },
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

function asDecodeError(error: unknown): Error {
  if (error instanceof CheckFailure) return error
  const reason = error instanceof Error ? error.message : String(error)
  return decodeError(`The body does not unpack: ${reason}`, error)
}
