/**
 * HTTP/1.1 on a connection: node:http, the limits of what precedes the body, and errors up to the last byte of
 * the response as causes.
 *
 * @module
 */

import type { Phase } from '../../model.ts'
import { CheckFailure } from '../failure.ts'
import type { InformationEvent } from 'node:http'
import { Readable } from 'node:stream'
import type { Duplex } from 'node:stream'

/**
 * Loaded without `import`: an ES module import evaluates all exports of node:http, including
 * WebSocket, for which Node loads a second HTTP client. On Node 24 that takes 40 ms and 13 MB.
 */
export const { request } = process.getBuiltinModule('node:http')

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
  const { code = '', syscall } = error as NodeJS.ErrnoException
  const fail = (cause_code: string, text: string, phase: Phase = state.phase): CheckFailure =>
    new CheckFailure(cause_code, text, { phase, cause: error })

  if (code === 'HPE_HEADER_OVERFLOW') {
    return headerLimit(error)
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

export function headerLimit(cause?: Error): CheckFailure {
  const text = `The answer has more than ${MAX_HEADER_BYTES / 1024} KiB of headers`
  return new CheckFailure('http_header_limit', text, { phase: 'first_byte', cause })
}

export function truncation({
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

/**
 * Interim responses are a few hundred bytes; a server that sends this much never sends a final one.
 */
const MAX_INTERIM_BYTES = 256 * 1024
/** The shortest have 17 bytes, so that their number is limited as well. */
const MAX_INTERIMS = 100

type Interim = Pick<InformationEvent, 'statusCode' | 'statusMessage' | 'rawHeaders'>

/** Limits interim responses (1xx, RFC 9110, 15.2) before the final one. */
interface InterimLimit {
  /** Why the exchange ends with this or an earlier interim response, `undefined` if it continues. */
  problemOf(interim: Interim): CheckFailure | undefined
  /** The failure for an unrequested 101. */
  switched(): CheckFailure
}

/** Counts the interim responses of one exchange; the parser bounds each of them. */
export function createInterimLimit(): InterimLimit {
  let bytes = 0
  let count = 0
  let problem: CheckFailure | undefined
  const switched = (): CheckFailure =>
    wrong('The server switched protocols (101) without being asked')

  function next({ statusCode, statusMessage, rawHeaders }: Interim): CheckFailure | undefined {
    if (statusCode === 101) return switched()
    // `HTTP/1.1 103 ` and two line ends; per header `: ` and a line end.
    bytes += 17 + statusMessage.length
    for (const text of rawHeaders) bytes += text.length + 2
    count += 1
    if (bytes <= MAX_INTERIM_BYTES && count <= MAX_INTERIMS) return undefined
    const most = count > MAX_INTERIMS ? MAX_INTERIMS : `${MAX_INTERIM_BYTES / 1024} KiB of`
    const text = `No final answer within ${most} interim answers`
    return new CheckFailure('http_header_limit', text, { phase: 'first_byte' })
  }

  // A parser goes on with what it has: an error for each of hundreds is a long turn.
  return { problemOf: (interim) => (problem ??= next(interim)), switched }
}

function wrong(text: string): CheckFailure {
  return new CheckFailure('http_protocol_error', text, { phase: 'first_byte' })
}

const PIECE_BYTES = 4096

/**
 * Has the parser read what arrives in small pieces, and nothing more once the connection is destroyed: of 64 KiB at
 * once it would read thousands of interim responses in one turn. Returns what ends it: at the final response.
 */
export function readInPieces(stream: Duplex): () => void {
  const { push } = stream
  stream.push = pushInPieces
  return () => (stream.push = push)
}

/** One function for all streams: V8 keeps one of each stream, with all it refers to, until the next full collection. */
function pushInPieces(this: Duplex, chunk: unknown, encoding?: BufferEncoding): boolean {
  const { push } = Readable.prototype
  if (!Buffer.isBuffer(chunk)) return push.call(this, chunk, encoding)
  let wantsMore = true
  for (let at = 0; at < chunk.length && !this.destroyed; at += PIECE_BYTES)
    wantsMore = push.call(this, chunk.subarray(at, at + PIECE_BYTES))
  return wantsMore
}
