/**
 * The body of a request, read within limits of size and time.
 *
 * @module
 */

import type { Clock } from '../clock.ts'

/** A body sent byte by byte would otherwise need a hundred times its size. */
const MAX_CHUNKS = 256

export interface Arriving {
  readonly clock: Pick<Clock, 'timer'>
  readonly max_bytes: number
  /** From the first read to the last byte. */
  readonly read_ms: number
  /** Called before the first byte is stored. */
  readonly onFirstByte?: (() => void) | undefined
}

export interface Arrived {
  /** The first `max_bytes` of them. */
  readonly bytes: Buffer
  readonly is_longer: boolean
  readonly is_late: boolean
}

/** Rejects with what ended the body early, or with what `onFirstByte` throws. */
export async function arrivedBody(
  body: ReadableStream<Uint8Array>,
  { clock, max_bytes, read_ms, onFirstByte }: Arriving,
): Promise<Arrived> {
  const reader = body.getReader()
  const deadline = { passed: false }
  const timer = clock.timer(read_ms, () => {
    deadline.passed = true
    reader.cancel().catch(() => undefined)
  })
  let chunks: Uint8Array[] = []
  let size = 0
  try {
    while (size <= max_bytes) {
      const { done, value } = await reader.read()
      if (done) break
      if (size === 0 && value.length > 0) onFirstByte?.()
      chunks.push(value)
      size += value.length
      if (chunks.length === MAX_CHUNKS) chunks = [Buffer.concat(chunks)]
    }
  } finally {
    timer.cancel()
    reader.cancel().catch(() => undefined)
  }
  const bytes = Buffer.concat(chunks).subarray(0, max_bytes)
  return { bytes, is_longer: size > max_bytes, is_late: deadline.passed }
}
