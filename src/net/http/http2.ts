/**
 * One request and its response over HTTP/2 (RFC 9113) on one connection: node:http2 and the limits that it does
 * not have. The connection is always closed at the end.
 *
 * @module
 */

import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { Readable } from 'node:stream'
import { CheckFailure } from '../failure.ts'
import { paceReading } from '../connection/paced-reading.ts'
import { streamOver } from '../connection/stream-over.ts'
import type { Connection } from '../net.ts'
import { answerListener, closing, pairs } from './answer.ts'
import type { AnswerListener, HopAnswer, HopOptions } from './answer.ts'
import { bodyBytes, http2Headers } from './headers.ts'
import type { HopRequest } from './headers.ts'
import { explainHttp2, ResetStream } from './http2-errors.ts'
import { endLater, outlive } from './http2-lifetime.ts'
import { createInterimLimit, headerLimit, MAX_HEADER_BYTES } from './wire.ts'
import type { WireState } from './wire.ts'

/**
 * Received before the body is read: a window of 64 KiB, the default, would slow down a large body by one round trip
 * for each.
 */
const WINDOW_BYTES = 1024 * 1024

/** Header fields that Node takes; a stream with more is refused. The size is limited, too. */
const MAX_HEADER_FIELDS = 4096

/** What one session may hold, in MB. */
const SESSION_MEMORY_MB = 4

/** Frames other than the body: a peer that sends them without end never sends an answer. */
const MAX_OVERHEAD_BYTES = 1024 * 1024

/** A body may come byte by byte, in frames of ten bytes. */
const OVERHEAD_PER_BODY_BYTE = 16

/** Frames of a body that may be shorter than a few bytes on average: each takes a microsecond of this turn. */
const MAX_SHORT_FRAMES = 8192
const SHORT_FRAME_BYTES = 16
/** After so many, short frames are passed on together: one read has 6,500, and each one passed on takes three more. */
const FEW_FRAMES = 64

/** A server says once or twice that it closes the connection (RFC 9113, 6.8). */
const MAX_GOODBYES = 16

const POLL_MS = 50

/**
 * Settles at the latest when the socket closes; the abort signal of the check destroys the socket.
 * Rejects with the signal's reason, or with a `CheckFailure` if the server failed.
 */
export async function exchangeHttp2(
  connection: Connection,
  request: HopRequest,
  options: HopOptions,
): Promise<HopAnswer> {
  const { trace } = options
  const { connect } = await trace.loading(() =>
    Promise.resolve(process.getBuiltinModule('node:http2')),
  )
  const { socket } = connection
  return new Promise<HopAnswer>((resolve, reject) => {
    const [answered, broken] = closing(connection, { resolve, reject })
    const explain = (error: Error, state: WireState): Error =>
      explainHttp2(error, state, socket.bytesRead)
    const listener = answerListener(options, explain, answered, broken)
    if (socket.destroyed) return listener.closed()
    paceReading(socket, options.turns)
    const session = connect(request.url.origin, {
      createConnection: () => streamOver(socket),
      maxHeaderListPairs: MAX_HEADER_FIELDS,
      maxSessionMemory: SESSION_MEMORY_MB,
      settings: {
        enablePush: false,
        initialWindowSize: WINDOW_BYTES,
        maxHeaderListSize: MAX_HEADER_BYTES,
      },
    })
    endLater(session, (error) => listener.failed(error))
    const stop = (problem: Error): void => {
      listener.failed(problem)
      socket.destroy()
    }
    let goodbyes = 0
    session
      .on('error', (error: Error) => listener.failed(error))
      .on('goaway', () => {
        if (++goodbyes > MAX_GOODBYES) stop(endless())
      })
    session.setLocalWindowSize(WINDOW_BYTES)
    const limit = limitOverhead({ connection, listener, options }, stop)
    socket.once('close', () => {
      limit.cancel()
      listener.closed()
    })
    try {
      ask(session, request, { listener, connection, options, stop })
    } catch (error) {
      stop(error as Error)
    }
  })
}

interface Asking {
  readonly listener: AnswerListener
  readonly connection: Connection
  readonly options: HopOptions
  readonly stop: (problem: Error) => void
}

function ask(
  session: ClientHttp2Session,
  request: HopRequest,
  { listener, connection, options, stop }: Asking,
): void {
  const { socket } = connection
  const { clock } = options
  const sent = bodyBytes(request)
  const interim = createInterimLimit()
  const stream = session.request(http2Headers(request, sent), { endStream: sent === undefined })
  outlive(session, stream)
  const body = bodyOf(stream, {
    // The error of the session follows, which says more.
    cut: () => {
      // Node tells of the headers of the same piece in the next tick.
      process.nextTick(() => {
        if (!session.destroyed) listener.failed(new ResetStream(stream.rstCode))
      })
    },
    crumbs: () => stop(endless()),
    nextTurn: (work) => void clock.timer(0, work),
  })
  stream
    .on('error', (error: Error) => listener.failed(error))
    .on('headers', (headers, _flags, ...raw) => {
      const [rawHeaders = []] = raw as unknown as [string[]?]
      const statusCode = Number(headers[':status'])
      const problem = interim.problemOf({ statusCode, statusMessage: '', rawHeaders })
      if (problem !== undefined) stop(problem)
    })
    .once('response', (headers, _flags, ...raw) => {
      const [rawHeaders = []] = raw as unknown as [string[]?]
      const fields = pairs(rawHeaders).filter(([name]) => !name.startsWith(':'))
      if (sizeOf(rawHeaders) > MAX_HEADER_BYTES) return stop(headerLimit())
      listener.answer({
        status: Number(headers[':status']),
        http_version: '2',
        headers: fields,
        body: body.stream,
        complete: () => body.complete,
        end: () => socket.destroy(),
      })
    })
  if (sent !== undefined) stream.end(sent)
}

function sizeOf(raw: readonly string[]): number {
  let size = 0
  for (const text of raw) size += text.length
  return size
}

interface BodyWatcher {
  /** The peer has reset the stream. */
  cut(): void
  /** The body comes in too many short frames. */
  crumbs(): void
  nextTurn(work: () => void): void
}

interface Body {
  readonly stream: Readable
  /** Whether the peer has ended it. */
  readonly complete: boolean
}

/**
 * The body on a stream of its own. Node drops what has not been read of its own stream when the connection closes, also
 * behind the end. And Node ends the readable side also of a stream that the peer has reset without an error, so that
 * half a body would look like a whole one. A paused stream still takes every frame that is in the buffers.
 */
function bodyOf(wire: ClientHttp2Stream, { cut, crumbs, nextTurn }: BodyWatcher): Body {
  const stream = new Readable({
    read(size) {
      if (!wire.closed) wire._read(size)
    },
  })
  const body = { stream, complete: false }
  const push = wire.push.bind(wire)
  let frames = 0
  let bytes = 0
  let collected: Uint8Array[] = []
  let hasRoom = true
  const pass = (): void => {
    if (collected.length > 0) hasRoom = stream.push(Buffer.concat(collected))
    collected = []
  }
  const take = (chunk: Uint8Array): boolean => {
    frames += 1
    bytes += chunk.length
    const areShort = bytes < frames * SHORT_FRAME_BYTES
    if (areShort && frames > MAX_SHORT_FRAMES) crumbs()
    if (areShort && frames > FEW_FRAMES) {
      if (collected.push(chunk) === 1) nextTurn(pass)
      return hasRoom
    }
    pass()
    return stream.push(chunk)
  }
  wire.push = (chunk: Uint8Array | null) => {
    if (chunk !== null) return take(chunk)
    if (!body.complete) {
      pass()
      if (wire.closed) {
        cut()
        return false
      }
      body.complete = true
      stream.push(null)
    }
    return push(null)
  }
  return body
}

/** Ends an exchange whose peer sends more than its body, of which Node does not tell. */
function limitOverhead(
  { connection, listener, options }: Omit<Asking, 'stop'>,
  stop: (problem: Error) => void,
): { cancel(): void } {
  const { socket } = connection
  const look = (): void => {
    const body_bytes = listener.body_bytes()
    const most = MAX_OVERHEAD_BYTES + (1 + OVERHEAD_PER_BODY_BYTE) * body_bytes
    if (socket.bytesRead > most + WINDOW_BYTES) return stop(endless())
    timer = options.clock.timer(POLL_MS, look)
  }
  let timer = options.clock.timer(POLL_MS, look)
  return { cancel: () => timer.cancel() }
}

function endless(): CheckFailure {
  const text = 'The server sends frames of HTTP/2 without end'
  return new CheckFailure('too_long', text)
}
