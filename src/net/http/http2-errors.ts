/**
 * The errors of node:http2 as causes (RFC 9113, 7).
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import { explainWire, headerLimit, truncation } from './wire.ts'
import type { WireState } from './wire.ts'

/** The peer has reset the stream before the answer was complete. */
export class ResetStream extends Error {
  readonly code = 'ERR_HTTP2_STREAM_ERROR'

  constructor(rstCode = 0) {
    super(`Stream closed with error code ${rstCode}`)
  }
}

/** Names of error codes by their number. */
export const HTTP2_ERRORS: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]

/** One side has found bytes of the other that are not HTTP/2. */
const MALFORMED = [
  'PROTOCOL_ERROR',
  'FLOW_CONTROL_ERROR',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'COMPRESSION_ERROR',
]

/** A peer that refuses a request says so in fewer bytes; Node uses the same code for headers beyond its limits. */
const REFUSAL_BYTES = 4096

/** A failure with its cause, or the error itself if it is not an HTTP error. `read`: bytes received so far. */
export function explainHttp2(error: Error, state: WireState, read: number): Error {
  const { code = '' } = error as NodeJS.ErrnoException
  if (!code.startsWith('ERR_HTTP2_')) return explainWire(error, state)
  const fail = (cause_code: string, text: string): CheckFailure =>
    new CheckFailure(cause_code, text, { phase: state.phase, cause: error })
  const name = codeIn(error)
  const said = name === undefined ? '' : `: ${name}`
  const early = state.phase === 'first_byte'
  if (name === 'ENHANCE_YOUR_CALM' && early && read > REFUSAL_BYTES) return headerLimit()
  if (name === 'HTTP_1_1_REQUIRED') {
    return fail('http_version_unsupported', 'The server requires HTTP/1.1 for this request')
  }
  const unfinished = !early && state.content_length !== undefined
  if (!unfinished && (name === undefined || MALFORMED.includes(name))) {
    const how =
      name === undefined ? 'The answer is not valid HTTP/2' : 'The exchange over HTTP/2 failed'
    return fail('http_protocol_error', how + said)
  }
  return early
    ? fail('closed_early', `The server ended the request before an answer came${said}`)
    : fail('http_truncated', truncation(state) + said)
}

/** The code that ended the stream or the connection, by its name. */
function codeIn(error: Error): string | undefined {
  const [, name] = /error code (?:NGHTTP2_)?(\w+)$/.exec(error.message) ?? []
  return HTTP2_ERRORS[Number(name)] ?? name
}
