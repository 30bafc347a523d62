/**
 * One request on one connection, resolved when the header section is complete: for callers that
 * need only the status. The body is kept as on the wire, up to a requested length.
 *
 * @module
 */

import type { IncomingMessage, InformationEvent } from 'node:http'
import { CheckFailure } from '../failure.ts'
import type { Connection } from '../net.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { HeaderPair } from './headers.ts'
import type { KeptSocket } from './kept-socket.ts'
import { gather } from './reading.ts'
import { createInterimLimit, explainWire, MAX_HEADER_BYTES, request as send } from './wire.ts'
import { wireHeaders } from './headers.ts'

export interface OneRequest {
  readonly url: URL
  /** Requests the whole URL, of a proxy. */
  readonly absolute?: boolean
  readonly method: string
  /** Without host, connection and content-length. */
  readonly headers: readonly HeaderPair[]
  readonly body: Uint8Array
  /** Bytes of the response body that are kept; no more is read. */
  readonly keep_bytes: number
  /** Asks the server to keep the connection for another request, on this socket of it. */
  readonly kept?: KeptSocket | undefined
}

export interface OneAnswer {
  readonly status: number
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined
  /**
   * Resolves when the body is complete, cut off, or long enough. Never rejects; stays pending while
   * a server sends slowly.
   */
  readonly body: Promise<void>
  /** The body received so far. */
  received(): Buffer
  /** Ends a request with `kept`. Whether another one may follow: the answer was read to its last byte, and is the last. */
  finish(): boolean
}

/**
 * 100 and 103 announce a later response; another 1xx may be the only response that the server
 * sends.
 */
const ANNOUNCEMENTS: readonly (number | undefined)[] = [undefined, 100, 103]

/**
 * The caller closes the connection. Settles at the latest when its socket closes; `signal` destroys
 * the socket.
 *
 * @throws CheckFailure `closed_early`, `connect_reset`, `send_failed`, `http_protocol_error`,
 * `http_header_limit`; the signal's reason when it aborts
 */
export function sendOne(
  { socket }: Connection,
  request: OneRequest,
  signal: StopSignal,
): Promise<OneAnswer> {
  return new Promise((resolve, reject) => {
    let announced: number | undefined
    if (socket.destroyed) return closed()
    const { url, absolute = false, method, body, keep_bytes, kept } = request
    let answer: IncomingMessage | undefined
    const stream = kept?.begin(() => answer?.complete === true) ?? socket
    // Request and answer are complete.
    let isFree = false
    const sent = send({
      // Without an agent, which would choose the connection.
      createConnection: () => stream,
      method,
      path: absolute ? url.href : url.pathname + url.search,
      headers: wireHeaders(request, body, kept === undefined ? 'close' : 'keep-alive'),
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    const interim = createInterimLimit()
    // Only the size of the header section is limited: node:http silently drops fields beyond a
    // count limit.
    sent.maxHeadersCount = 0
    // Without an agent, node:http would end the connection, whatever the headers say.
    sent.shouldKeepAlive = kept !== undefined
    sent
      .on('response', (message) => {
        answer = message
        const finish = (): boolean => kept?.finish() === true && isFree
        resolve(message.statusCode === 101 ? bare(101) : answerOf(message, keep_bytes, finish))
      })
      .on('information', (information: InformationEvent) => {
        announced = information.statusCode
        const problem = interim.problemOf(information)
        if (problem === undefined) return
        failed(problem)
        socket.destroy()
      })
      .on('upgrade', () => resolve(bare(101)))
      .on('error', failed)
    stream.once('close', closed).once('free', () => (isFree = true))
    sent.end(body)

    function failed(error: Error): void {
      if (signal.aborted) return reject(signal.reason)
      if (announced !== undefined && !ANNOUNCEMENTS.includes(announced)) resolve(bare(announced))
      const state = { phase: 'first_byte', body_bytes: 0, content_length: undefined } as const
      reject(explainWire(error, state))
    }
    /** node:http does not always report the close itself. */
    function closed(): void {
      failed(new CheckFailure('closed_early', 'The connection was closed before an answer came'))
    }
  })
}

/** A response with only a status. */
function bare(status: number): OneAnswer {
  return {
    status,
    header: () => undefined,
    body: Promise.resolve(),
    received: () => Buffer.alloc(0),
    finish: () => false,
  }
}

function answerOf(message: IncomingMessage, keep_bytes: number, finish: () => boolean): OneAnswer {
  const { statusCode: status = 0, rawHeaders: raw } = message
  const gathering = gather(keep_bytes)
  const body = new Promise<void>((resolve) => {
    const done = (): void => resolve()
    message.on('end', done).on('error', done).on('close', done)
    message.on('data', (chunk: Buffer) => {
      gathering.add(chunk)
      if (gathering.size() < keep_bytes) return
      // The rest stays unread until the caller closes.
      message.pause()
      done()
    })
  })
  return {
    status,
    header: (name) => raw.find((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name),
    body,
    received: () => gathering.result().body,
    finish,
  }
}
