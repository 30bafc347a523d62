/**
 * Reads request bodies within limits of size and time.
 *
 * @module
 */

import type { Clock } from '../clock.ts'
import { HttpError } from './http-error.ts'

export const BODY_LIMITS = {
  /** 256 KiB. */
  bytes: 262_144,
  /** From the first read to the last byte. */
  read_ms: 30_000,
} as const

const MAX_CHUNKS = 256

interface ReadOptions {
  readonly clock: Pick<Clock, 'timer'>
  readonly max_bytes: number
  /** `cut` keeps the beginning of a longer body, `refuse` answers 413. */
  readonly overflow: 'cut' | 'refuse'
  /** Called before the first byte is stored. */
  readonly onFirstByte?: () => void
}

/** @throws HttpError 400 `bad_json` if the sender aborts, 408 `request_timeout`, 413 `too_large` */
export async function readBytes(request: Request, options: ReadOptions): Promise<Uint8Array> {
  const { clock, max_bytes, overflow } = options
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (overflow === 'refuse' && announced > max_bytes) throw tooLarge(max_bytes)
  if (request.body === null) return new Uint8Array()

  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const deadline = { passed: false }
  const timer = clock.timer(BODY_LIMITS.read_ms, () => {
    deadline.passed = true
    reader.cancel().catch(() => undefined)
  })
  let chunks: Uint8Array[] = []
  let size = 0
  try {
    while (size <= max_bytes) {
      const { done, value } = await reader.read()
      if (done) break
      if (size === 0 && value.length > 0) options.onFirstByte?.()
      chunks.push(value)
      size += value.length
      // A body sent byte by byte would otherwise need a hundred times its size.
      if (chunks.length === MAX_CHUNKS) chunks = [Buffer.concat(chunks)]
    }
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw badJson('The body ended early')
  } finally {
    timer.cancel()
    reader.cancel().catch(() => undefined)
  }
  if (deadline.passed)
    throw new HttpError({ status: 408, error: 'request_timeout', message: TOO_SLOW })
  if (size > max_bytes && overflow === 'refuse') throw tooLarge(max_bytes)
  return Buffer.concat(chunks).subarray(0, max_bytes)
}

const TOO_SLOW = `The body did not arrive within ${BODY_LIMITS.read_ms / 1000} seconds`

export function badJson(message: string): HttpError {
  return new HttpError({ status: 400, error: 'bad_json', message })
}

function tooLarge(max_bytes: number): HttpError {
  return new HttpError({
    status: 413,
    error: 'too_large',
    message: `The body is larger than ${max_bytes} bytes`,
  })
}
