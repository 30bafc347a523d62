/**
 * One request on one connection, answered as soon as the header section is complete: for those to whom
 * the status is the answer. The body is taken as it is on the wire, and never more than asked.
 *
 * @module
 */

import type { Dispatcher } from 'undici'
import type { Connection } from '../net.ts'
import { orAborted } from '../wait.ts'
import { handOver } from './handover.ts'
import type { HeaderPair } from './headers.ts'
import { filterInterim } from './interim.ts'
import type { InterimFilter } from './interim.ts'
import { explainWire, MAX_HEADER_BYTES } from './wire-error.ts'

export interface OneRequest {
  readonly url: URL
  readonly method: string
  /** Without host, connection and content-length. */
  readonly headers: readonly HeaderPair[]
  readonly body: Uint8Array
  /** Bytes of the answer's body that are kept; nothing is read beyond. */
  readonly keep_bytes: number
}

export interface OneAnswer {
  readonly status: number
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined
  /** Resolves when the body is complete, broken off, or as long as was asked. Never rejects; never resolves while a server drips. */
  readonly body: Promise<void>
  /** What has arrived of the body so far. */
  received(): Buffer
}

/**
 * The caller closes the connection. undici is given no way to make another one.
 *
 * @throws CheckFailure `closed_early`, `connect_reset`, `send_failed`, `http_protocol_error`; the
 * signal's reason when it aborts
 */
export async function sendOne(
  connection: Connection,
  request: OneRequest,
  signal: AbortSignal,
): Promise<OneAnswer> {
  const { Client } = await orAborted(signal, import('undici'))
  const interim = filterInterim(connection.socket)
  const client = new Client(request.url.origin, {
    connect: handOver(connection),
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The deadline of the caller is the only one: these count idle time, which a drip defeats.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  connection.socket.once('close', () => void client.destroy().catch(() => undefined))
  const answered = new Promise<OneAnswer>((resolve, reject) => {
    client.dispatch(
      {
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: request.headers.flat(),
        body: request.body,
        reset: true,
      },
      handler({ interim, keep_bytes: request.keep_bytes, resolve, reject }),
    )
  })
  return orAborted(signal, answered)
}

interface Waiting {
  readonly interim: InterimFilter
  readonly keep_bytes: number
  readonly resolve: (answer: OneAnswer) => void
  readonly reject: (error: Error) => void
}

/** 100 and 103 only announce an answer; after another 1xx the server may have said all that it has to say. */
const ANNOUNCEMENTS: readonly (number | null)[] = [null, 100, 103]

function handler({ interim, keep_bytes, resolve, reject }: Waiting): Dispatcher.DispatchHandler {
  const chunks: Buffer[] = []
  let size = 0
  let end = (): void => undefined
  const answer = (status: number, raw: readonly string[]): void => {
    const body = new Promise<void>((done) => (end = done))
    const header = (name: string): string | undefined =>
      raw.find((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name)
    resolve({ status, header, body, received: () => Buffer.concat(chunks) })
  }
  return {
    onRequestStart: () => undefined,
    onResponseStart: (controller, status) => answer(status, texts(controller.rawHeaders)),
    // What comes after that until the caller closes is dropped. undici is never told to pause: the
    // process dies of an assertion when a connection is reset while its parser pauses (7.30).
    onResponseData(_controller, chunk) {
      if (size >= keep_bytes) return
      chunks.push(chunk.subarray(0, keep_bytes - size))
      size += chunk.length
      if (size >= keep_bytes) end()
    },
    onResponseEnd: () => end(),
    onResponseError(_controller, error) {
      const { interim_status: status } = interim
      if (status !== null && !ANNOUNCEMENTS.includes(status)) answer(status, [])
      else
        reject(
          explainWire(error, { phase: 'first_byte', body_bytes: 0, content_length: undefined }),
        )
      end()
    },
  }
}

/** undici hands over name, value, name, value … as buffers. */
function texts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw) ? raw.map((text) => text.toString('latin1')) : []
}
