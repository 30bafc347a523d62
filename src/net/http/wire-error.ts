/**
 * What went wrong between the request and the last byte of the answer, in the words of node:http, of
 * undici and of the socket, turned into a cause.
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
  if (error instanceof CheckFailure) return error
  const { code = '' } = error as NodeJS.ErrnoException
  const fail = (cause_code: string, text: string, phase: Phase = state.phase): CheckFailure =>
    new CheckFailure(cause_code, text, { phase, cause: error })

  if (code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'HPE_HEADER_OVERFLOW') {
    const text = `The answer has more than ${MAX_HEADER_BYTES / 1024} KiB of headers`
    return fail('http_protocol_error', text)
  }
  if (isEarlyEnd(error, code)) {
    if (state.phase === 'transfer') return fail('http_truncated', truncation(state))
    return isReset(error)
      ? fail('connect_reset', 'The connection was reset before an answer came')
      : fail('closed_early', 'The connection was closed before an answer came')
  }
  // What breaks an assertion of undici here is what the server sent; there is nothing else in play.
  if (/^(HPE_|UND_ERR_SOCKET$|ERR_ASSERTION$)/.test(code) || error.name === 'HTTPParserError') {
    return fail('http_protocol_error', `The answer is not valid HTTP${reasonIn(error)}`)
  }
  if (code === 'EPIPE') return fail('send_failed', 'The request could not be sent', 'send')
  return error
}

/** node:http calls every end a reset; a real one names the system call that saw it. */
function isReset(error: Error): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === 'ECONNRESET' && syscall !== undefined
}

/** undici has no codes for these; the messages are pinned by tests. */
function isEarlyEnd({ message }: Error, code: string): boolean {
  return (
    code === 'ECONNRESET' ||
    code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' ||
    (code === 'UND_ERR_SOCKET' && /^(other side )?closed$/.test(message)) ||
    message.endsWith('(Invalid EOF state)')
  )
}

function truncation({
  body_bytes,
  content_length,
}: Pick<WireState, 'body_bytes' | 'content_length'>): string {
  return content_length === undefined
    ? `The body broke off after ${body_bytes} bytes`
    : `The body ended after ${body_bytes} of ${content_length} bytes`
}

/** What the parser did not like: node:http has it apart, undici in parentheses at the end of the message. */
function reasonIn(error: Error & { readonly reason?: unknown }): string {
  const reason =
    typeof error.reason === 'string' && error.reason !== ''
      ? error.reason.slice(0, 100)
      : /\((.{1,100})\)$/.exec(error.message)?.[1]
  return reason === undefined ? '' : `: ${reason}`
}
