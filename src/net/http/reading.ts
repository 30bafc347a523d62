/**
 * Passes a body to a reader as text while it arrives: decoded and searched in steps, with bounded
 * memory.
 *
 * @module
 */

import type { BodyRead, TextReader } from '../net.ts'
import { decoderOf } from './charset.ts'
import { gather } from './gather.ts'

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

export function createReading({ reader, contentType, inTurns }: ReadingOptions): Reading {
  const pieces: Buffer[] = []
  let gathering = gather(PIECE_BYTES)
  let waiting_bytes = 0
  let working: Promise<void> | undefined
  let decoder: ReturnType<typeof decoderOf> | undefined

  function* readPieces(): Generator<void, void> {
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      decoder ??= decoderOf(piece, contentType)
      if (reader.wantsMore) yield* reader.take(decoder.decode(piece, { stream: true }))
      waiting_bytes -= piece.length
      yield
    }
  }

  function* readToEnd(read: BodyRead): Generator<void, void> {
    yield* readPieces()
    const last = decoder?.decode() ?? ''
    if (last !== '' && reader.wantsMore) yield* reader.take(last)
    yield* reader.end(read)
  }

  function work(): void {
    working ??= inTurns(readPieces()).then(() => {
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
    waiting_bytes += body.length
  }

  return {
    wantsMore: () => reader.wantsMore,
    add(chunk) {
      for (let from = 0; from < chunk.length;) {
        const part = chunk.subarray(from, from + PIECE_BYTES - gathering.size())
        gathering.add(part)
        from += part.length
        if (gathering.size() === PIECE_BYTES) cut()
      }
      if (pieces.length > 0) work()
    },
    behind: () => (waiting_bytes > WAITING_BYTES ? working : undefined),
    async end(read) {
      cut()
      while (working !== undefined) await working
      await inTurns(readToEnd(read))
    },
  }
}
