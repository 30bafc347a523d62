/**
 * One unary gRPC call over HTTP/2 on a connection of ours
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 *
 * @module
 */

import type { ClientHttp2Session, ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { Clock } from '../../clock.ts'
import { paceReading } from '../connection/paced-reading.ts'
import { streamOver } from '../connection/stream-over.ts'
import { CheckFailure } from '../failure.ts'
import type { Connection } from '../net.ts'
import { waitFor } from '../timing/stop.ts'
import type { StopSignal } from '../timing/stop.ts'
import type { Turns } from '../timing/turns.ts'
import { http2Headers } from './headers.ts'
import { HTTP2_ERRORS } from './http2-errors.ts'
import { endLater, outlive } from './http2-lifetime.ts'

/** Of the answer, which is a few bytes, and of its headers and trailers. */
const ANSWER_LIMIT_BYTES = 16 * 1024
const HEADER_LIMIT_PAIRS = 128
/** Megabytes that a session may hold; the smallest that Node accepts. */
const SESSION_MEMORY_MB = 1
/** Of all frames: a peer that sends others without end never answers. */
const WIRE_LIMIT_BYTES = 512 * 1024
const POLL_MS = 50
/** Interim answers (1xx); each takes a turn of its own through the events of Node. */
const INTERIM_LIMIT = 64

export interface Call {
  readonly scheme: 'http' | 'https'
  readonly authority: string
  readonly path: string
  readonly metadata: readonly (readonly [name: string, value: string])[]
  readonly message: Buffer
  readonly timeout_ms: number
  readonly signal: StopSignal
  readonly clock: Pick<Clock, 'timer'>
  /** In which the answer is read. */
  readonly turns: Pick<Turns, 'add'>
}

export interface CallAnswer {
  /** `grpc-status`. */
  readonly status: number
  /** `grpc-message`, as latin1. */
  readonly said: string
  /** Of a call that ended well. */
  readonly message: Buffer | undefined
}

/**
 * The session ends with the call.
 *
 * @throws CheckFailure `closed_early`, `connect_reset`, `protocol_error`, `too_long`
 */
export async function callUnary(connection: Connection, call: Call): Promise<CallAnswer> {
  if (connection.tls !== null && connection.tls.alpn !== 'h2') {
    throw strange('does not offer HTTP/2 in the TLS handshake')
  }
  // Loaded on the first call: a process without this type need not load HTTP/2.
  const { connect } = await import('node:http2')
  call.signal.throwIfAborted()
  if (connection.socket.destroyed) throw closedEarly()
  paceReading(connection.socket, call.turns)
  const session = connect(`${call.scheme}://${call.authority}`, {
    // Behind a stream nothing of a call runs in the middle of what nghttp2 parses, such as the end of its session.
    createConnection: () => streamOver(connection.socket),
    maxSessionMemory: SESSION_MEMORY_MB,
    maxHeaderListPairs: HEADER_LIMIT_PAIRS,
    maxReservedRemoteStreams: 0,
    settings: { enablePush: false, maxHeaderListSize: ANSWER_LIMIT_BYTES },
  })
  endLater(session)
  try {
    return await exchange(session, call, connection)
  } finally {
    connection.socket.destroy()
    session.destroy()
  }
}

function exchange(
  session: ClientHttp2Session,
  call: Call,
  { socket }: Connection,
): Promise<CallAnswer> {
  return waitFor<CallAnswer>(call.signal, ({ resolve, reject }) => {
    const flooded = (): void => {
      reject(new CheckFailure('too_long', 'The server sends frames of HTTP/2 without end'))
      socket.destroy()
    }
    let away: number | undefined
    const gone = (): void => reject(away === undefined ? closedEarly() : goneAway(away))
    const failed = (error: Error): void =>
      reject(away === undefined ? asFailure(error) : goneAway(away))
    session.on('error', failed).on('close', gone)
    session.on('goaway', (code: number) => {
      away = code
      // The call may still be answered, unless the server gave a reason for leaving.
      if (code !== 0) gone()
    })
    const stream = session.request(headersOf(call))
    outlive(session, stream)
    gather(stream, { resolve, reject })
    let interim = 0
    stream.on('headers', () => {
      if (++interim === INTERIM_LIMIT + 1) flooded()
    })
    const ended = (): void => reject(away === undefined ? reset(stream.rstCode) : goneAway(away))
    stream
      .on('error', (error: Error) => (isReset(error) ? ended() : failed(error)))
      .on('close', ended)
    stream.end(framed(call.message))
    const look = (): void => {
      if (socket.bytesRead > WIRE_LIMIT_BYTES) flooded()
      else timer = call.clock.timer(POLL_MS, look)
    }
    let timer = call.clock.timer(POLL_MS, look)
    return () => timer.cancel()
  })
}

interface Settle {
  readonly resolve: (answer: CallAnswer) => void
  readonly reject: (error: Error) => void
}

/** Settles at the end of the answer. */
function gather(stream: ClientHttp2Stream, { resolve, reject }: Settle): void {
  const parts: Buffer[] = []
  let bytes = 0
  let trailers: IncomingHttpHeaders = {}
  stream.on('response', (headers) => {
    const problem = problemOf(headers)
    if (problem !== undefined) reject(problem)
    // An answer of headers alone has the status among them.
    trailers = headers
  })
  stream.on('trailers', (headers: IncomingHttpHeaders) => {
    trailers = headers
  })
  stream.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes <= ANSWER_LIMIT_BYTES) return void parts.push(part)
    reject(new CheckFailure('too_long', `The server sent more than ${ANSWER_LIMIT_BYTES} bytes`))
  })
  stream.on('end', () => {
    const status = single(trailers, 'grpc-status')
    if (status === undefined || !/^\d{1,3}$/.test(status)) {
      if (Object.keys(trailers).length > 0) reject(strange('gave the call no status'))
      return
    }
    try {
      const said = decoded(single(trailers, 'grpc-message') ?? '')
      const message = status === '0' ? unframed(Buffer.concat(parts)) : undefined
      resolve({ status: Number(status), said, message })
    } catch (error) {
      reject(error as Error)
    }
  })
}

function headersOf({ scheme, authority, path, metadata, timeout_ms }: Call) {
  const headers = metadata.filter(([name]) => !/^(?:host|content-type|grpc-.*)$/i.test(name))
  const url = new URL(`${scheme}://${authority}${path}`)
  const { 'content-length': _, ...wire } = http2Headers({ url, method: 'POST', headers }, undefined)
  return {
    ...wire,
    ':authority': authority,
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': `${Math.max(1, Math.floor(timeout_ms))}m`,
  }
}

function problemOf(headers: IncomingHttpHeaders): CheckFailure | undefined {
  const status = Number(headers[':status'])
  const type = single(headers, 'content-type') ?? ''
  if (single(headers, 'grpc-status') !== undefined) return undefined
  if (status === 200 && type.startsWith('application/grpc')) return undefined
  return strange(`answered over HTTP with the status ${status} and not with gRPC`)
}

function single(headers: IncomingHttpHeaders, name: string): string | undefined {
  return [headers[name]].flat()[0]
}

/** A flag for compression, which is not offered, the length, the message. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

function unframed(bytes: Buffer): Buffer {
  if (bytes.length < 5 || bytes.readUInt32BE(1) !== bytes.length - 5) {
    throw strange('sent no message, or more than one')
  }
  if (bytes[0] !== 0) throw strange('compressed its message, which was not offered')
  return bytes.subarray(5)
}

/** Percent-encoded UTF-8; what is not decodable is shown as it is. */
function decoded(text: string): string {
  try {
    return Buffer.from(decodeURIComponent(text)).toString('latin1')
  } catch {
    return text
  }
}

function asFailure(error: Error): Error {
  const { code = '' } = error as NodeJS.ErrnoException
  if (error instanceof CheckFailure || !code.startsWith('ERR_HTTP2_')) return error
  const { message } = error
  return new CheckFailure('protocol_error', `The server does not speak HTTP/2: ${message}`, {
    cause: error,
  })
}

const isReset = ({ code }: NodeJS.ErrnoException): boolean => code === 'ERR_HTTP2_STREAM_ERROR'

function reset(code: number | undefined): CheckFailure {
  const how = code === undefined || code === 0 ? '' : ` (${errorName(code)})`
  return new CheckFailure('closed_early', `The server ended the call without a status${how}`)
}

function goneAway(code: number): CheckFailure {
  const text = `The server closed the HTTP/2 session (GOAWAY, ${errorName(code)})`
  return new CheckFailure('closed_early', text)
}

function errorName(code: number): string {
  return HTTP2_ERRORS[code] ?? `code ${code}`
}

function closedEarly(): CheckFailure {
  return new CheckFailure('closed_early', 'The connection was closed before the call was answered')
}

function strange(what: string): CheckFailure {
  return new CheckFailure('protocol_error', `The server ${what}`)
}
