/**
 * Limits interim responses (1xx, RFC 9110, 15.2) before the final one.
 *
 * @module
 */

import type { InformationEvent } from 'node:http'
import { CheckFailure } from '../failure.ts'

/**
 * Interim responses are a few hundred bytes; a server that sends this much never sends a final one.
 */
const MAX_INTERIM_BYTES = 256 * 1024

export interface InterimLimit {
  /** Why the exchange ends with this interim response, `undefined` if it continues. */
  problemOf(answer: InformationEvent): CheckFailure | undefined
  /** The failure for an unrequested 101. */
  switched(): CheckFailure
}

/** Counts the interim responses of one exchange; the parser bounds each of them. */
export function createInterimLimit(): InterimLimit {
  let bytes = 0
  const switched = (): CheckFailure =>
    wrong('The server switched protocols (101) without being asked')
  return {
    problemOf({ statusCode, statusMessage, rawHeaders }) {
      if (statusCode === 101) return switched()
      // `HTTP/1.1 103 ` and two line ends; per header `: ` and a line end.
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
