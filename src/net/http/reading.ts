/**
 * Takes in a body while it arrives, with bounded memory: collected up to a limit, or passed to a
 * reader as text, decoded and searched in steps.
 *
 * @module
 */

import type { BodyRead, TextReader } from '../net.ts'
import { decoderOf } from './charset.ts'

/**
 * Bytes decoded per step: a millisecond in the slowest charset, and enough to detect the charset.
 */
const PIECE_BYTES = 64 * 1024

/** Unread bytes beyond which the source is paused. */
const WAITING_BYTES = 256 * 1024

export interface ReadingOptions {
  readonly reader: TextReader
  readonly contentType: string | undefined
  /** `Turns.run` for this check. */
  readonly inTurns: <T>(steps: Generator<void, T>) => Promise<T>
}

export interface Reading {
  /** Whether more of the body could change the reader's result. */
  wantsMore(): boolean
  add(chunk: Buffer): void
  /** A promise to wait for if the reader is behind. */
  behind(): Promise<void> | undefined
  /** Resolves when everything has been read; rejects with the reader's error. */
  end(read: BodyRead): Promise<void>
}

/** What has arrived and is not read yet. */
interface Unread {
  readonly reader: TextReader
  readonly contentType: string | undefined
  readonly pieces: Buffer[]
  waiting_bytes: number
  /** Chosen by the first piece. */
  decoder: ReturnType<typeof decoderOf> | undefined
}

function* readPieces(unread: Unread): Generator<void, void> {
  const { reader, contentType, pieces } = unread
  for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
    const decoder = (unread.decoder ??= decoderOf(piece, contentType))
    if (reader.wantsMore()) yield* reader.take(decoder.decode(piece, { stream: true }))
    unread.waiting_bytes -= piece.length
    yield
  }
}

function* readToEnd(unread: Unread, read: BodyRead): Generator<void, void> {
  yield* readPieces(unread)
  const { reader, decoder } = unread
  const last = decoder?.decode() ?? ''
  if (last !== '' && reader.wantsMore()) yield* reader.take(last)
  yield* reader.end(read)
}

export function createReading({ reader, contentType, inTurns }: ReadingOptions): Reading {
  const pieces: Buffer[] = []
  const unread: Unread = { reader, contentType, pieces, waiting_bytes: 0, decoder: undefined }
  let gathering = gather(PIECE_BYTES)
  let working: Promise<void> | undefined

  function work(): void {
    working ??= inTurns(readPieces(unread)).then(() => {
      working = undefined
      // A piece may have become complete during the last step.
      if (pieces.length > 0) work()
    })
    // `end` and `behind` report the error.
    working.catch(() => undefined)
  }

  function cut(): void {
    const { body } = gathering.result()
    if (body.length === 0) return
    gathering = gather(PIECE_BYTES)
    pieces.push(body)
    unread.waiting_bytes += body.length
  }

  return {
    wantsMore: () => reader.wantsMore(),
    add(chunk) {
      for (let from = 0; from < chunk.length;) {
        const part = chunk.subarray(from, from + PIECE_BYTES - gathering.size())
        gathering.add(part)
        from += part.length
        if (gathering.size() === PIECE_BYTES) cut()
      }
      if (pieces.length > 0) work()
    },
    behind: () => (unread.waiting_bytes > WAITING_BYTES ? working : undefined),
    async end(read) {
      cut()
      while (working !== undefined) await working
      await inTurns(readToEnd(unread, read))
    },
  }
}

interface Gathering {
  /** `false` once the limit is exceeded. */
  add(chunk: Buffer): boolean
  /** Bytes that were added, including those beyond the limit. */
  size(): number
  result(): { readonly body: Buffer; readonly body_cut: boolean }
}

/** One growing buffer: a server that sends single bytes must not cost an object per byte. */
export function gather(limitBytes: number): Gathering {
  let held = Buffer.alloc(0)
  let size = 0

  /** What has no room is left out. */
  function keep(chunk: Buffer): void {
    const needed = Math.min(size + chunk.length, limitBytes)
    if (needed > held.length) {
      const grown = Buffer.allocUnsafe(Math.min(Math.max(needed, 2 * held.length), limitBytes))
      held.copy(grown)
      held = grown
    }
    chunk.copy(held, size)
    size += chunk.length
  }

  return {
    add(chunk) {
      keep(chunk)
      return size <= limitBytes
    },
    size: () => size,
    result: () => ({ body: held.subarray(0, size), body_cut: size > limitBytes }),
  }
}
