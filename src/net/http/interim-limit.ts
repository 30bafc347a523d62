/**
 * Interim answers (1xx, RFC 9110, 15.2) before the final one: how much of them is enough.
 *
 * @module
 */

import type { InformationEvent } from 'node:http'
import { CheckFailure } from '../failure.ts'

/** Interim answers are a few hundred bytes; a server that sends this much never comes to the point. */
const MAX_INTERIM_BYTES = 256 * 1024

export interface InterimLimit {
  /** Why the exchange ends with this interim answer, `undefined` where it goes on. */
  problemOf(answer: InformationEvent): CheckFailure | undefined
  /** What a 101 that was not asked for amounts to. */
  switched(): CheckFailure
}

/** Counts the interim answers of one exchange; each of them is bounded by the parser. */
export function createInterimLimit(): InterimLimit {
  let bytes = 0
  const switched = (): CheckFailure =>
    wrong('The server switched protocols (101) without being asked')
  return {
    problemOf({ statusCode, statusMessage, rawHeaders }) {
      if (statusCode === 101) return switched()
      // `HTTP/1.1 103 ` and the two ends of lines; of a header `: ` and the end of its line.
      bytes += 17 + statusMessage.length
      for (const text of rawHeaders) bytes += text.length + 2
      if (bytes <= MAX_INTERIM_BYTES) return undefined
      const text = `No final answer within ${MAX_INTERIM_BYTES / 1024} KiB of interim answers`
      return new CheckFailure('http_header_limit', text, { phase: 'first_byte' })
    },
    switched,
  }
}

function wrong(text: string): CheckFailure {
  return new CheckFailure('http_protocol_error', text, { phase: 'first_byte' })
}
