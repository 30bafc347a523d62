/**
 * What went wrong between the request and the last byte of the answer, in the words of undici and of
 * the socket, turned into a cause.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../failure.ts'

export interface WireState {
  readonly phase: Extract<Phase, 'first_byte' | 'transfer'>
  /** Bytes of the body that have arrived. */
  readonly body_bytes: number
  /** What `Content-Length` promised. */
  readonly content_length: string | undefined
}

/** Longest header section of an answer; Node's own default of 16 KiB is passed by sites with many cookies and policies. */
export const MAX_HEADER_BYTES = 64 * 1024

/** A failure with its cause, or the error itself where it is none of HTTP's. */
export function explainWire(error: Error, state: WireState): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (error instanceof CheckFailure) return error
  const fail = (cause_code: string, text: string, phase: Phase = state.phase): CheckFailure =>
    new CheckFailure(cause_code, text, { phase, cause: error })

  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    return fail(
      'http_protocol_error',
      `The answer has more than ${MAX_HEADER_BYTES / 1024} KiB of headers`,
    )
  }
  if (code === 'UND_ERR_SOCKET' && error.message === 'bad upgrade') {
    return fail('http_protocol_error', 'The server switched protocols (101) without being asked to')
  }
  if (isEarlyEnd(code)) {
    return state.phase === 'transfer'
      ? fail('http_truncated', truncation(state))
      : fail('closed_early', 'The connection was closed before an answer came')
  }
  if (code.startsWith('HPE_') || code === 'UND_ERR_SOCKET') {
    return fail('http_protocol_error', `The answer is not valid HTTP${excerpt(error)}`)
  }
  if (code === 'ECONNRESET') return fail('connect_reset', 'The connection was reset')
  if (code === 'EPIPE') return fail('send_failed', 'The request could not be sent', 'send')
  return error
}

function isEarlyEnd(code: string): boolean {
  return (
    code === 'UND_ERR_SOCKET' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    code === 'HPE_INVALID_EOF_STATE'
  )
}

function truncation({ body_bytes, content_length }: WireState): string {
  return content_length === undefined
    ? `The body ended after ${body_bytes} bytes without its last chunk`
    : `The body ended after ${body_bytes} of ${content_length} bytes`
}

/** undici says what the parser did not like, in parentheses at the end of its message. */
function excerpt(error: Error): string {
  const reason = /\(([^()]{1,100})\)$/.exec(error.message)?.[1]
  return reason === undefined ? '' : `: ${reason}`
}
