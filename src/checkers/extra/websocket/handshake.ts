/**
 * The opening handshake (RFC 6455, 4.1): an HTTP/1.1 request on a connection of ours that the server answers
 * by switching protocols.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, InformationEvent } from 'node:http'
import { CheckFailure } from '../../../net/failure.ts'
import {
  createInterimLimit,
  explainWire,
  MAX_HEADER_BYTES,
  readInPieces,
  request,
} from '../../../net/http/wire.ts'
import type { Connection } from '../../../net/net.ts'
import { waitFor } from '../../../net/timing/stop.ts'
import type { StopSignal } from '../../../net/timing/stop.ts'
import { acceptOf } from './frames.ts'

export interface Opening {
  readonly url: URL
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly subprotocols: readonly string[]
}

export interface Opened {
  /** The one that the server has chosen. */
  readonly subprotocol: string | null
}

/** What is said of a refused handshake. */
const REFUSED = 'websocket_refused'

/**
 * Afterwards the connection carries frames.
 *
 * @throws CheckFailure `websocket_refused` for another status, `protocol_error`, `closed_early`, `http_…`
 */
export async function open(
  connection: Connection,
  opening: Opening,
  signal: StopSignal,
): Promise<Opened> {
  const key = randomBytes(16).toString('base64')
  const { status, header } = await exchange(connection, opening, { key, signal })
  if (status !== 101) {
    const where = header('location') === undefined ? '' : ', a redirect, which is not followed'
    throw new CheckFailure(REFUSED, `The server answered with the status ${status}${where}`)
  }
  if (header('upgrade')?.toLowerCase() !== 'websocket')
    throw strange('switched to another protocol')
  if (header('sec-websocket-accept') !== acceptOf(key)) {
    throw strange('did not confirm the key of this handshake; a cache may have answered')
  }
  if (header('sec-websocket-extensions') !== undefined) {
    throw strange('uses an extension that was not offered')
  }
  const subprotocol = header('sec-websocket-protocol') ?? null
  if (subprotocol !== null && !opening.subprotocols.includes(subprotocol)) {
    throw strange('chose a subprotocol that was not offered')
  }
  return { subprotocol }
}

interface Answer {
  readonly status: number
  header(name: string): string | undefined
}

function exchange(
  { socket }: Connection,
  { url, headers, subprotocols }: Opening,
  { key, signal }: { readonly key: string; readonly signal: StopSignal },
): Promise<Answer> {
  const own = [
    ...['Host', url.host, 'Connection', 'Upgrade', 'Upgrade', 'websocket'],
    ...['Sec-WebSocket-Version', '13', 'Sec-WebSocket-Key', key],
    ...(subprotocols.length === 0 ? [] : ['Sec-WebSocket-Protocol', subprotocols.join(', ')]),
  ]
  return waitFor<Answer>(signal, ({ resolve, reject }) => {
    const failed = (error: Error): void =>
      reject(explainWire(error, { phase: 'first_byte', body_bytes: 0, content_length: undefined }))
    const closed = (): void =>
      reject(new CheckFailure('closed_early', 'The connection was closed before an answer came'))
    if (socket.destroyed) {
      closed()
      return () => undefined
    }
    const sent = request({
      // Without an agent, which would reuse connections.
      createConnection: () => socket,
      path: url.pathname + url.search,
      headers: [...own, ...headers.filter(([name]) => !isOwn(name)).flat()],
      maxHeaderSize: MAX_HEADER_BYTES,
      insecureHTTPParser: false,
    })
    const interim = createInterimLimit()
    const readAsItComes = readInPieces(socket)
    sent
      .on('information', (answer: InformationEvent) => {
        const problem = interim.problemOf(answer)
        if (problem === undefined) return
        reject(problem)
        socket.destroy()
      })
      .on('response', (message) => {
        message.on('error', () => undefined)
        resolve(answerOf(message))
      })
      .on('upgrade', (message: IncomingMessage, _socket: unknown, head: Buffer) => {
        readAsItComes()
        // The first frames may have come with the headers.
        if (head.length > 0) socket.unshift(head)
        resolve(answerOf(message))
      })
      .on('error', failed)
    socket.once('close', closed)
    sent.end()
    return () => void socket.off('close', closed)
  })
}

const isOwn = (name: string): boolean =>
  /^(?:host|connection|upgrade|sec-websocket-(?:version|key|protocol|extensions))$/i.test(name)

function answerOf({ statusCode = 0, headers }: IncomingMessage): Answer {
  return {
    status: statusCode,
    header: (name) => [headers[name]].flat()[0],
  }
}

function strange(what: string): CheckFailure {
  return new CheckFailure('protocol_error', `The server ${what}`)
}
