/**
 * Takes in one response, whatever the version of HTTP: phases, decoding, limits, and errors up to its last byte as
 * causes.
 *
 * @module
 */

import type { Readable } from 'node:stream'
import type { Clock } from '../../clock.ts'
import type { Connection, TextReader } from '../net.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Trace } from '../timing/trace.ts'
import type { Turns } from '../timing/turns.ts'
import { createBodySink } from './body.ts'
import type { BodySink, CollectedBody } from './body.ts'
import { codingsOf } from './decode.ts'
import { joined, valuesOf } from './headers.ts'
import type { HeaderPair } from './headers.ts'
import { createReading } from './reading.ts'
import type { ReadingOptions } from './reading.ts'
import type { WireState } from './wire.ts'

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
  /** In which the connection is read. */
  readonly turns: Pick<Turns, 'add'>
  /** Whether to wait for the body; the body of a redirect is skipped. */
  readonly wantsBody: (status: number) => boolean
}

/** A response whose header section is complete. */
export interface WireAnswer {
  readonly status: number
  readonly http_version: string
  readonly headers: readonly HeaderPair[]
  readonly body: Readable
  /** Whether all of it has arrived. */
  complete(): boolean
  /** Ends the connection, once all of it has arrived. */
  end(): void
}

export interface AnswerListener {
  answer(answer: WireAnswer): void
  failed(error: Error): void
  /** Called last, if nothing has settled the exchange before. */
  closed(): void
  /** Bytes of the body received so far. */
  body_bytes(): number
}

export interface Settling<A, E> {
  readonly resolve: (answer: A) => void
  readonly reject: (error: E) => void
  /** Called after either of them, when the connection is closed. */
  readonly onClosed?: () => void
}

/** Both functions, which close the connection first. */
export function closing<A, E>(
  connection: Connection,
  { resolve, reject, onClosed }: Settling<A, E>,
): readonly [(answer: A) => void, (error: E) => void] {
  const { socket } = connection
  const first =
    <T>(settle: (outcome: T) => void) =>
    (outcome: T): void => {
      connection.close()
      if (onClosed !== undefined) {
        if (socket.closed) onClosed()
        else socket.once('close', onClosed)
      }
      settle(outcome)
    }
  return [first(resolve), first(reject)]
}

/** `explain` turns an error of the wire into a cause. */
export function answerListener(
  options: HopOptions,
  explain: (error: Error, state: WireState) => Error,
  resolve: (answer: HopAnswer) => void,
  reject: (error: Error) => void,
): AnswerListener {
  const { trace, bodyLimit, keepBody, wantsBody, signal, clock } = options
  const endFirstByte = trace.begin('first_byte')
  let received: WireAnswer | undefined
  let sink: BodySink | undefined
  let content_length: string | undefined

  function fail(error: Error): void {
    const failure = signal.aborted
      ? signal.reason
      : explain(error, {
          phase: sink === undefined ? 'first_byte' : 'transfer',
          body_bytes: sink?.body_bytes() ?? 0,
          content_length,
        })
    if (sink === undefined) reject(failure)
    else sink.fail(failure)
  }

  return {
    answer(given) {
      received = given
      const first_byte_ms = endFirstByte()
      const { status, http_version, headers, body: stream } = given
      // Errors of the body are also emitted here; without a listener they would be thrown.
      stream.on('error', fail)
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
      const hold = holding(stream)
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
      stream
        .on(
          'data',
          restful(hold, clock, (chunk) => body.take(chunk)),
        )
        // Before the handlers of Node.
        .prependOnceListener('end', () => {
          ended_at = clock.monotonic()
          given.end()
          body.end()
        })
    },
    failed(error) {
      // Bytes after a complete response are not part of it; `end` follows.
      if (received?.complete() !== true) fail(error)
    },
    closed() {
      if (received?.complete() !== true) fail(new ClosedSocket())
    },
    body_bytes: () => sink?.body_bytes() ?? 0,
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

/** Node lists name, value, name, value …. */
export function pairs(raw: readonly string[]): HeaderPair[] {
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

/** Pauses the stream until every returned function has been called. */
function holding(stream: Readable): () => () => void {
  let holders = 0
  return () => {
    if (holders++ === 0) stream.pause()
    return () => {
      if (--holders === 0) stream.resume()
    }
  }
}
