/**
 * One request and its response over HTTP/1.1 on one connection, parsed by node:http. The connection is always
 * closed at the end.
 *
 * @module
 */

import type { EventEmitter } from 'node:events'
import type { IncomingMessage, InformationEvent } from 'node:http'
import type { Socket } from 'node:net'
import { dropListeners } from '../connection/own-sockets.ts'
import { paceReading } from '../connection/paced-reading.ts'
import type { Connection } from '../net.ts'
import { answerListener, closing, pairs } from './answer.ts'
import type { HopAnswer, HopOptions, WireAnswer } from './answer.ts'
import { bodyBytes, wireHeaders } from './headers.ts'
import type { HopRequest } from './headers.ts'
import { createInterimLimit, explainWire, MAX_HEADER_BYTES, request as send } from './wire.ts'

/**
 * Settles at the latest when the socket closes; the abort signal of the check destroys the socket.
 * Rejects with the signal's reason, or with a `CheckFailure` if the server failed.
 */
export function exchangeHttp1(
  connection: Connection,
  request: HopRequest,
  options: HopOptions,
): Promise<HopAnswer> {
  const { socket } = connection
  return new Promise<HopAnswer>((resolve, reject) => {
    let exchanged: readonly EventEmitter[] = []
    const onClosed = (): void => exchanged.forEach(dropListeners)
    const [answered, broken] = closing(connection, { resolve, reject, onClosed })
    const listener = answerListener(options, explainWire, answered, broken)
    if (socket.destroyed) return listener.closed()
    const body = bodyBytes(request)
    const sent = send({
      // Without an agent, which would reuse connections.
      createConnection: () => socket,
      method: request.method,
      path:
        request.absolute === true ? request.url.href : request.url.pathname + request.url.search,
      headers: wireHeaders(request, body),
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    exchanged = [sent]
    const interim = createInterimLimit()
    paceReading(socket, options.turns)
    // Only the size of the header section is limited: node:http silently drops fields beyond a
    // count limit.
    sent.maxHeadersCount = 0
    sent
      .on('response', (answer) => {
        exchanged = [sent, answer]
        if (answer.statusCode === 101) stop(interim.switched())
        else listener.answer(asAnswer(answer, socket))
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

function asAnswer(message: IncomingMessage, socket: Socket): WireAnswer {
  return {
    status: message.statusCode ?? 0,
    http_version: message.httpVersion,
    headers: pairs(message.rawHeaders),
    body: message,
    complete: () => message.complete,
    // Before node:http's own handler, which would end the writable side: an unnecessary system call.
    end: () => socket.destroy(),
  }
}
