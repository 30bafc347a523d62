/**
 * Interim answers (1xx, RFC 9110, 15.2) that come before the final one. They are taken out of the
 * stream here because undici fails on a 100 that it has not asked for, and reads on for ever in a
 * flood of 103. The version of HTTP is read in passing, which undici does not tell.
 *
 * @module
 */

import type { Socket } from 'node:net'
import { CheckFailure } from '../failure.ts'

/** Interim answers are a few hundred bytes; a server that sends this much never comes to the point. */
export const MAX_INTERIM_BYTES = 256 * 1024

/** `HTTP/1.1 100` */
const STATUS_CHARACTERS = 12

export interface InterimFilter {
  /** `1.0`, `1.1`; `null` before the final status line has been seen. */
  readonly http_version: string | null
  /** Status of the last interim answer, `null` where none came. */
  readonly interim_status: number | null
  /** What is left of `chunk` for the parser, `null` while there is nothing. @throws CheckFailure */
  push(chunk: Buffer): Buffer | null
}

function createInterimFilter(): InterimFilter {
  let held: Buffer | null = null
  let skipped = 0
  let http_version: string | null = null
  let interim_status: number | null = null
  let done = false

  function hold(data: Buffer): null {
    if (skipped + data.length > MAX_INTERIM_BYTES) {
      throw wrong(`No final answer within ${MAX_INTERIM_BYTES / 1024} KiB of interim answers`)
    }
    held = data
    return null
  }

  function pass(data: Buffer): Buffer {
    done = true
    return data
  }

  return {
    get http_version() {
      return http_version
    },
    get interim_status() {
      return interim_status
    },
    push(chunk) {
      if (done) return chunk
      let data = held === null ? chunk : Buffer.concat([held, chunk])
      held = null
      for (;;) {
        const start = data.toString('latin1', 0, STATUS_CHARACTERS)
        if (start.length < STATUS_CHARACTERS && /^H(T(T(P(\/.*)?)?)?)?$/s.test(start)) {
          return data.length === 0 ? null : hold(data)
        }
        const line = /^HTTP\/(\d\.\d) (\d{3})/.exec(start)
        http_version = line?.[1] ?? null
        if (line?.[2]?.startsWith('1') !== true) return pass(data)
        interim_status = Number(line[2])
        if (line[2] === '101')
          throw wrong('The server switched protocols (101) without being asked')
        const end = data.indexOf('\r\n\r\n')
        if (end < 0) return hold(data)
        skipped += end + 4
        data = data.subarray(end + 4)
        if (data.length === 0) return skipped > MAX_INTERIM_BYTES ? hold(data) : null
      }
    },
  }
}

function wrong(text: string): CheckFailure {
  return new CheckFailure('http_protocol_error', text, { phase: 'first_byte' })
}

/** Puts the filter between a socket and whoever calls its `read`. */
export function filterInterim(socket: Socket): InterimFilter {
  const filter = createInterimFilter()
  const read = socket.read.bind(socket)
  socket.read = (size?: number): unknown => {
    for (;;) {
      const chunk: unknown = read(size)
      if (!Buffer.isBuffer(chunk)) return chunk
      try {
        const rest = filter.push(chunk)
        if (rest !== null) return rest
      } catch (error) {
        socket.destroy(error as Error)
        return null
      }
    }
  }
  return filter
}
