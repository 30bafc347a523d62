/**
 * One request and its answer on one connection, by undici. The connection is closed at the end,
 * whatever the end is.
 *
 * @module
 */

import type { Client, Dispatcher } from 'undici'
import type { Connection } from '../net.ts'
import type { Trace } from '../trace.ts'
import { createBodySink } from './body.ts'
import type { BodySink, CollectedBody } from './body.ts'
import { codingsOf } from './decode.ts'
import { valuesOf } from './headers.ts'
import { handOver } from './handover.ts'
import type { HeaderPair } from './headers.ts'
import { filterInterim } from './interim.ts'
import { explainWire, MAX_HEADER_BYTES } from './wire-error.ts'
import type { WireState } from './wire-error.ts'

export interface HopRequest {
  readonly url: URL
  readonly method: string
  readonly headers: readonly HeaderPair[]
  readonly body: string | Uint8Array | undefined
}

export interface HopAnswer {
  readonly status: number
  readonly http_version: string
  /** As received, values as latin1 text. */
  readonly headers: readonly HeaderPair[]
  /** `undefined` where it was not wanted. */
  readonly body: CollectedBody | undefined
  readonly first_byte_ms: number
  readonly transfer_ms: number
}

export interface HopOptions {
  readonly trace: Trace
  readonly signal: AbortSignal
  readonly bodyLimit: number
  /** Whether the body is worth waiting for; that of a redirect is not. */
  readonly wantsBody: (status: number) => boolean
}

/** What undici is told at the end; it would make an error with a stack for every request otherwise. */
const OVER = new Error('The exchange is over')

/** Fails with the signal's reason when it aborts, and with a `CheckFailure` where the server is to blame. */
export async function exchangeHop(
  connection: Connection,
  request: HopRequest,
  options: HopOptions,
): Promise<HopAnswer> {
  // Loaded with the first check that needs it: it is most of the time and memory of an import.
  const { Client: UndiciClient } = await import('undici')
  const interim = filterInterim(connection.socket)
  const client = new UndiciClient(request.url.origin, {
    connect: handOver(connection),
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The deadline of the whole check is the only one; these count idle time, which a drip defeats.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  try {
    const answer = await dispatch(client, request, { ...options, socket: connection.socket })
    return { ...answer, http_version: interim.http_version ?? '1.1' }
  } finally {
    connection.close()
    client.destroy(OVER).catch(() => undefined)
  }
}

type Answer = Omit<HopAnswer, 'http_version'>

function dispatch(
  client: Client,
  request: HopRequest,
  options: HopOptions & Pick<Connection, 'socket'>,
): Promise<Answer> {
  const { signal } = options
  return new Promise<Answer>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    const settle =
      <V>(how: (value: V) => void) =>
      (value: V): void => {
        signal.removeEventListener('abort', onAbort)
        how(value)
      }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    client.dispatch(
      {
        path: request.url.pathname + request.url.search,
        method: request.method,
        headers: request.headers.flat(),
        body: request.body ?? null,
        reset: true,
      },
      answerHandler(options, settle(resolve), settle(reject)),
    )
  })
}

function answerHandler(
  { trace, bodyLimit, wantsBody, socket }: HopOptions & Pick<Connection, 'socket'>,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const endFirstByte = trace.begin('first_byte')
  let sink: BodySink | undefined
  let content_length: string | undefined

  const stateNow = (): WireState => ({
    phase: sink === undefined ? 'first_byte' : 'transfer',
    body_bytes: sink?.body_bytes ?? 0,
    content_length,
  })

  return {
    onRequestStart: () => undefined,
    onResponseStart(controller, status) {
      const first_byte_ms = endFirstByte()
      const headers = pairs(controller.rawHeaders)
      if (!wantsBody(status)) {
        resolve({ status, headers, body: undefined, first_byte_ms, transfer_ms: 0 })
        return
      }
      const endTransfer = trace.begin('transfer')
      content_length = valuesOf(headers, 'content-length')[0]
      const codings = codingsOf(valuesOf(headers, 'content-encoding').join(','))
      sink = createBodySink({ codings, bodyLimit })
      sink.collected.then((body) => {
        resolve({ status, headers, body, first_byte_ms, transfer_ms: endTransfer() })
      }, reject)
    },
    onResponseData: (_controller, chunk) => sink?.take(chunk),
    onResponseEnd() {
      // A body that ends with the connection counts as complete for undici even after a reset.
      if (socket.errored === null) sink?.end()
      else sink?.fail(explainWire(socket.errored, stateNow()))
      // undici would destroy it in the same turn with an error of its own, and Node writes out the
      // stack of every such error.
      socket.destroy()
    },
    onResponseError(_controller, error) {
      const failure = explainWire(error, stateNow())
      if (sink === undefined) reject(failure)
      else sink.fail(failure)
    },
  }
}

/** undici hands over name, value, name, value … as buffers. */
function pairs(raw: Dispatcher.DispatchController['rawHeaders']): HeaderPair[] {
  if (!Array.isArray(raw)) return []
  const texts = raw.map((text) => text.toString('latin1'))
  return Array.from({ length: texts.length >> 1 }, (_, index) => [
    texts[2 * index] ?? '',
    texts[2 * index + 1] ?? '',
  ])
}
