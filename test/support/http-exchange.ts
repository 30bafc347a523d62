/**
 * For tests of HTTP: an exchange without a checker, and servers that answer byte for byte as told.
 *
 * @module
 */

import { createServer as createHttpServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { Server as NetServer, Socket } from 'node:net'
import { createServer } from 'node:net'
import { systemClock } from '../../src/clock.ts'
import { DeadlineError } from '../../src/net/timing/deadline.ts'
import { explain } from '../../src/net/explain.ts'
import { targetPolicy } from '../../src/net/guard/guard.ts'
import type { HttpExchange, HttpRequest, TextReader } from '../../src/net/net.ts'
import { createNetwork } from '../../src/net/create-net.ts'
import { createTrace } from '../../src/net/timing/trace.ts'
import { listening } from './listening.ts'
import type { Listening } from './listening.ts'

export interface Asked {
  /** `null` where it failed. */
  readonly exchange: HttpExchange | null
  readonly cause_code: string | null
  readonly cause_text: string | null
  readonly phase: string | null
}

export interface AskOptions {
  /** Default 30 s: a test that is about no deadline meets none, however busy the machine is. */
  readonly timeout_ms?: number
  readonly ca?: string
  /** Takes in the body while it arrives. */
  readonly reader?: TextReader
}

/** Carries out one exchange; what it opened is closed when this resolves. */
export async function ask(
  request: HttpRequest | string,
  { timeout_ms = 30_000, ca, reader }: AskOptions = {},
): Promise<Asked> {
  const clock = systemClock
  const network = createNetwork({
    clock,
    policy: targetPolicy('open'),
    ...(ca !== undefined ? { ca } : {}),
  })
  const trace = createTrace(clock)
  const stop = new AbortController()
  const timer = clock.timer(timeout_ms, () => stop.abort(new DeadlineError(timeout_ms)))
  const net = network.open({ signal: stop.signal, deadlineIn: () => timeout_ms, trace })
  try {
    const asked = typeof request === 'string' ? { url: request } : request
    const exchange = await net.http(asked, () => reader)
    return { exchange, cause_code: null, cause_text: null, phase: null }
  } catch (error) {
    return { exchange: null, ...explain(error, { phase: trace.current }) }
  } finally {
    timer.cancel()
    await net.close()
  }
}

export interface TestServer extends Listening {
  /** `http://127.0.0.1:<port>`, or https. */
  readonly origin: string
}

/** A web server with one listener for every path; over TLS where a certificate is given, which may ask for one. */
export async function serve(
  listener: RequestListener,
  tls?: { readonly chain: string; readonly key: string; readonly asks?: boolean },
): Promise<TestServer> {
  const asking = { requestCert: tls?.asks ?? false, rejectUnauthorized: false }
  const server: Server =
    tls === undefined
      ? createHttpServer(listener)
      : createHttpsServer({ cert: tls.chain, key: tls.key, ...asking }, listener)
  return started(server, tls === undefined ? 'http' : 'https')
}

/** A server of raw bytes: `answer` gets the socket once the head of a request has arrived. */
export function serveRaw(
  answer: (socket: Socket, request: string) => void | Promise<void>,
): Promise<TestServer> {
  const server = createServer((socket) => {
    let request = ''
    const onData = (chunk: Buffer): void => {
      request += chunk.toString('latin1')
      if (!request.includes('\r\n\r\n')) return
      socket.off('data', onData).resume()
      void answer(socket, request)
    }
    socket.on('data', onData)
  })
  return started(server, 'http')
}

/** A server that sends `greeting` to whoever connects. */
export function serveAtOnce(greeting: string): Promise<TestServer> {
  return started(
    createServer((socket) => void socket.write(greeting, 'latin1')),
    'http',
  )
}

async function started(server: NetServer, scheme: 'http' | 'https'): Promise<TestServer> {
  const running = await listening(server)
  const origin = `${scheme}://127.0.0.1:${running.port}`
  return Object.assign(running, { origin })
}
