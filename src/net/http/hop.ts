/**
 * One request and its response on one connection, parsed by node:http. The connection is always
 * closed at the end.
 *
 * @module
 */

import type { IncomingMessage, InformationEvent } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../clock.ts'
import type { Connection, TextReader } from '../net.ts'
import type { Trace } from '../timing/trace.ts'
import { createBodySink } from './body.ts'
import type { BodySink, CollectedBody } from './body.ts'
import { codingsOf } from './decode.ts'
import { joined, valuesOf, wireHeaders } from './headers.ts'
import type { HeaderPair, HopRequest } from './headers.ts'
import { createInterimLimit, explainWire, MAX_HEADER_BYTES, request as send } from './wire.ts'
import { createReading } from './reading.ts'
import type { ReadingOptions } from './reading.ts'
import type { StopSignal } from '../timing/stop.ts'

export interface HopAnswer {
  readonly status: number
  readonly http_version: string
  /** As received, values as latin1 text. */
  readonly headers: readonly HeaderPair[]
  /** `undefined` if it was not requested. */
  readonly body: CollectedBody | undefined
  readonly first_byte_ms: number
  readonly transfer_ms: number
  /** Monotonic time of the last byte read. */
  readonly ended_at: number
}

export interface HopOptions {
  readonly trace: Trace
  readonly signal: StopSignal
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>
  readonly bodyLimit: number
  readonly keepBody?: boolean | undefined
  /** Returns the reader of the body, given the status. */
  readonly reader?: ((status: number) => TextReader | undefined) | undefined
  readonly inTurns: ReadingOptions['inTurns']
  /** Whether to wait for the body; the body of a redirect is skipped. */
  readonly wantsBody: (status: number) => boolean
}

/**
 * Settles at the latest when the socket closes; the abort signal of the check destroys the socket.
 * Rejects with the signal's reason, or with a `CheckFailure` if the server failed.
 */
export function exchangeHop(
  connection: Connection,
  request: HopRequest,
  options: HopOptions,
): Promise<HopAnswer> {
  const { socket } = connection
  return new Promise<HopAnswer>((resolve, reject) => {
    const closing =
      <T>(settle: (outcome: T) => void) =>
      (outcome: T): void => {
        connection.close()
        settle(outcome)
      }
    const listener = answerListener(options, closing(resolve), closing(reject))
    if (socket.destroyed) return listener.closed()
    // The body as bytes: node:http appends text to the header section and writes both in one
    // encoding.
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body
    const sent = send({
      // Without an agent, which would reuse connections.
      createConnection: () => socket,
      method: request.method,
      path: request.url.pathname + request.url.search,
      headers: wireHeaders(request, body),
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    const interim = createInterimLimit()
    // Only the size of the header section is limited: node:http silently drops fields beyond a
    // count limit.
    sent.maxHeadersCount = 0
    sent
      .on('response', (answer) => {
        if (answer.statusCode === 101) stop(interim.switched())
        else listener.answer(answer, socket)
      })
      .on('information', (answer: InformationEvent) => {
        const problem = interim.problemOf(answer)
        if (problem !== undefined) stop(problem)
      })
      .on('upgrade', () => stop(interim.switched()))
      .on('error', (error) => listener.failed(error))
    socket.once('close', () => listener.closed())
    sent.end(body)

    function stop(problem: Error): void {
      listener.failed(problem)
      socket.destroy()
    }
  })
}

interface AnswerListener {
  /** The header section is complete. */
  answer(message: IncomingMessage, socket: Socket): void
  failed(error: Error): void
  /** Called last, if nothing has settled the exchange before. */
  closed(): void
}

function answerListener(
  options: HopOptions,
  resolve: (answer: HopAnswer) => void,
  reject: (error: Error) => void,
): AnswerListener {
  const { trace, bodyLimit, keepBody, wantsBody, signal, clock } = options
  const endFirstByte = trace.begin('first_byte')
  let message: IncomingMessage | undefined
  let sink: BodySink | undefined
  let content_length: string | undefined

  function fail(error: Error): void {
    const failure = signal.aborted
      ? signal.reason
      : explainWire(error, {
          phase: sink === undefined ? 'first_byte' : 'transfer',
          body_bytes: sink?.body_bytes() ?? 0,
          content_length,
        })
    if (sink === undefined) reject(failure)
    else sink.fail(failure)
  }

  return {
    answer(given, socket) {
      message = given
      const first_byte_ms = endFirstByte()
      const { statusCode: status = 0, httpVersion: http_version } = message
      const headers = pairs(message.rawHeaders)
      // Errors of the body are also emitted here; without a listener they would be thrown.
      message.on('error', fail)
      if (!wantsBody(status)) {
        const ended_at = clock.monotonic()
        const none = { body: undefined, transfer_ms: 0, ended_at }
        resolve({ status, http_version, headers, first_byte_ms, ...none })
        return
      }
      const endTransfer = trace.begin('transfer')
      let ended_at: number | undefined
      content_length = valuesOf(headers, 'content-length')[0]
      const codings = codingsOf(valuesOf(headers, 'content-encoding'))
      const hold = holding(message)
      const body = (sink = createBodySink({
        codings,
        bodyLimit,
        keepBody,
        reading: readingOf(options, status, headers),
        hold,
        resolve(collected) {
          const transfer_ms = endTransfer()
          resolve({
            status,
            http_version,
            headers,
            body: collected,
            first_byte_ms,
            transfer_ms,
            ended_at: (ended_at ??= clock.monotonic()),
          })
        },
        reject,
      }))
      message
        .on(
          'data',
          restful(hold, clock, (chunk) => body.take(chunk)),
        )
        // Runs before node:http's own handler, which would end the writable side: an unnecessary
        // system call.
        .prependOnceListener('end', () => {
          ended_at = clock.monotonic()
          socket.destroy()
          body.end()
        })
    },
    failed(error) {
      // Bytes after a complete response are not part of it; `end` follows.
      if (message?.complete !== true) fail(error)
    },
    closed() {
      if (message?.complete !== true) fail(new ClosedSocket())
    },
  }
}

function readingOf(
  { reader: readerFor, inTurns }: HopOptions,
  status: number,
  headers: readonly HeaderPair[],
) {
  const reader = readerFor?.(status)
  if (reader === undefined) return undefined
  return createReading({ reader, contentType: joined(headers)['content-type'], inTurns })
}

/** Uses the wording of node:http, which does not always report the close itself. */
class ClosedSocket extends Error {
  readonly code = 'ECONNRESET'
}

/** node:http lists name, value, name, value …. */
function pairs(raw: readonly string[]): HeaderPair[] {
  const all: HeaderPair[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) all.push([raw[at] ?? '', raw[at + 1] ?? ''])
  return all
}

/** Chunks after which the event loop gets a turn: a server may send each byte in its own chunk. */
const TURN_CHUNKS = 4096

/** Processes chunks as they arrive and yields after many. */
function restful(
  hold: () => () => void,
  clock: Pick<Clock, 'timer'>,
  take: (chunk: Buffer) => void,
): (chunk: Buffer) => void {
  let chunks = 0
  return (chunk) => {
    take(chunk)
    chunks += 1
    if (chunks % TURN_CHUNKS === 0) clock.timer(0, hold())
  }
}

/** Pauses the message until every returned function has been called. */
function holding(message: IncomingMessage): () => () => void {
  let holders = 0
  return () => {
    if (holders++ === 0) message.pause()
    return () => {
      if (--holders === 0) message.resume()
    }
  }
}
