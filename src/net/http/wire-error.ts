/**
 * Turns errors between the request and the last byte of the response, as reported by node:http and
 * the socket, into causes.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../failure.ts'

export interface WireState {
  readonly phase: Extract<Phase, 'first_byte' | 'transfer'>
  /** Bytes of the body received. */
  readonly body_bytes: number
  /** The value of `Content-Length`. */
  readonly content_length: string | undefined
}

/**
 * Longest header section of a response; sites with many cookies and policies exceed Node's default
 * of 16 KiB.
 */
export const MAX_HEADER_BYTES = 64 * 1024

/** A failure with its cause, or the error itself if it is not an HTTP error. */
export function explainWire(error: Error, state: WireState): Error {
  if (error instanceof CheckFailure) return error
  const { code = '', syscall } = error as NodeJS.ErrnoException
  const fail = (cause_code: string, text: string, phase: Phase = state.phase): CheckFailure =>
    new CheckFailure(cause_code, text, { phase, cause: error })

  if (code === 'HPE_HEADER_OVERFLOW') {
    const text = `The answer has more than ${MAX_HEADER_BYTES / 1024} KiB of headers`
    return fail('http_header_limit', text)
  }
  if (code === 'ECONNRESET') {
    if (state.phase === 'transfer') return fail('http_truncated', truncation(state))
    // node:http reports every close as a reset; a real reset names its system call.
    return syscall !== undefined
      ? fail('connect_reset', 'The connection was reset before an answer came')
      : fail('closed_early', 'The connection was closed before an answer came')
  }
  if (code.startsWith('HPE_')) {
    return fail('http_protocol_error', `The answer is not valid HTTP${reasonIn(error)}`)
  }
  if (code === 'EPIPE') return fail('send_failed', 'The request could not be sent', 'send')
  return error
}

function truncation({
  body_bytes,
  content_length,
}: Pick<WireState, 'body_bytes' | 'content_length'>): string {
  return content_length === undefined
    ? `The body broke off after ${body_bytes} bytes`
    : `The body ended after ${body_bytes} of ${content_length} bytes`
}

/** The parser's reason. */
function reasonIn({ reason }: Error & { readonly reason?: unknown }): string {
  return typeof reason === 'string' && reason !== '' ? `: ${reason.slice(0, 100)}` : ''
}
