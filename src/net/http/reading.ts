/**
 * A body shown to a reader as text while it streams by: decoded and searched in turns, and never more of it
 * in memory than a part that is bounded.
 *
 * @module
 */

import type { BodyRead, TextReader } from '../net.ts'
import { decoderOf } from './charset.ts'
import { gather } from './gather.ts'

/** Bytes that are decoded at once: a millisecond in the slowest of charsets. Enough to know the charset by. */
const PIECE_BYTES = 64 * 1024

/** Beyond so many that wait to be read, no more are taken. */
const WAITING_BYTES = 256 * 1024

export interface ReadingOptions {
  readonly reader: TextReader
  readonly contentType: string | undefined
  /** `Turns.run` for this check. */
  readonly inTurns: <T>(steps: Generator<void, T>) => Promise<T>
}

export interface Reading {
  /** Whether more of the body could change what the reader found. */
  wantsMore(): boolean
  add(chunk: Buffer): void
  /** There is something to wait for, where the reader is behind. */
  behind(): Promise<void> | undefined
  /** Resolves when everything has been read; rejects with what the reader throws. */
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
      // One that was full while the last step was made.
      if (pieces.length > 0) work()
    })
    // Whoever ends or waits for the reading hears of it.
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
