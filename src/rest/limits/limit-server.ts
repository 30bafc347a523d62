/**
 * Limits for a Node server that is open to the internet: connections, pipelined requests, and time.
 *
 * @module
 */

import { AsyncResource } from 'node:async_hooks'
import type { Server, IncomingMessage, ServerResponse } from 'node:http'
import { systemClock } from '../../clock.ts'
import type { Timer } from '../../clock.ts'
import { isUnanswered, overdue } from './connection.ts'
import type { Connection } from './connection.ts'
import { createConnections } from './connections.ts'
import { readLimits } from './options.ts'
import type { LimitServerOptions } from './options.ts'
import { limitChunks } from './chunks.ts'
import { headOf } from './head.ts'
import { createRequestQueue } from './request-queue.ts'
import { endUnread } from './unread.ts'
import type { Socket } from 'node:net'

/** Node's own response to an `Expect` that it does not know (RFC 9110, 15.5.18). */
const EXPECTATION_FAILED = 417

interface ServerEvents {
  /** `false` suppresses the event. */
  connection(socket: Socket): boolean
  /** The TLS handshake of a connection is complete. */
  secured(socket: Socket): void
  /** The connection was upgraded to another protocol, such as WebSocket. */
  upgraded(socket: Socket): void
  /** `run` passes the request to the listeners. */
  request(req: IncomingMessage, res: ServerResponse, run: () => void): void
}

interface Received {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  run(): void
}

/** Events with a request and its response. */
const REQUESTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
])

/** Resolution of the deadlines. */
const POLL_MS = 1000

/** Node's own response to late headers or bodies (RFC 9110, 15.5.9). */
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/** RFC 6585, 5. */
const TOO_MANY_FIELDS = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n'

/**
 * Prevents clients that are slow, idle, do not read, or are too many from exhausting a server. Works on a `Server` of
 * `node:http` or `node:https` (`createServer`, `app.listen` of Express, `app.server` of Fastify), with any listeners.
 * Call it once, before `listen`.
 *
 * Pipelined requests on a connection reach the server's listeners one by one, each after the previous response was
 * sent. Beyond `maxPipelinedRequests` a connection is closed after the pending responses. Beyond `maxConnections` or
 * `maxConnectionsPerAddress` the connection that the server has waited for the longest is closed; if the server waits
 * for none, the new one is closed. Header fields, small chunks of bodies and unread responses are limited as well.
 *
 * @throws ConfigurationError for an option that is unknown or out of its bounds
 */
export function limitServer(server: Server, options: LimitServerOptions = {}): void {
  const limits = readLimits(options)
  const { clock = systemClock, onLimit } = options
  const now = () => clock.monotonic()
  const connections = createConnections({
    limits,
    now,
    ended: ({ address }, limit) => onLimit?.({ limit, address }),
  })
  const queue = createRequestQueue({ limits, clock, end: connections.end })
  let timer: Timer | undefined

  function look(): void {
    for (const connection of [...connections.all]) {
      const limit = overdue(connection, limits, now())
      if (limit === undefined) continue
      if (isSpoken(connection) && isUnanswered(connection, limit)) connection.socket.write(TOO_SLOW)
      connections.end(connection, limit)
    }
    endUnread(connections, limits)
    timer = connections.size === 0 ? undefined : clock.timer(POLL_MS, look, { background: true })
  }

  function take(connection: Connection, { req, res, run }: Received): void {
    const { fields, header_bytes, has_body } = headOf(req)
    if (fields > limits.maxHeaderFields) {
      if (connection.pending.length === 0) connection.socket.write(TOO_MANY_FIELDS)
      connections.end(connection, 'maxHeaderFields')
      return
    }
    limitChunks(connection, req, { limits, end: connections.end })
    const begin = inContext(run)
    queue.take(connection, {
      ...{ req, res, has_body, header_bytes },
      run() {
        // When all of a response was written: a second later there could be many more.
        res.once('prefinish', () => {
          if (connection.socket.writableLength > 0) endUnread(connections, limits)
        })
        begin()
      },
    })
  }

  /** There is no HTTP before the end of the TLS handshake. */
  function isSpoken({ socket }: Connection): boolean {
    return 'encrypted' in socket || !('setSecureContext' in server)
  }

  // Where nobody listens, Node answers such requests by itself, however many there are.
  server.on('checkExpectation', (_req, res) => {
    if (server.listenerCount('checkExpectation') === 1) res.writeHead(EXPECTATION_FAILED).end()
  })
  // Node's own deadlines remain in force where they are shorter.
  server.keepAliveTimeout = limits.idleTimeoutMs
  // Node leaves out those beyond without a word, also those that a proxy has added: one more shows that there are some.
  server.maxHeadersCount = limits.maxHeaderFields + 1
  onEvents(server, {
    connection(socket) {
      queue.accepted()
      if (connections.admit(socket) === undefined) return false
      timer ??= clock.timer(POLL_MS, look, { background: true })
      return true
    },
    secured: (socket) => connections.secured(socket),
    upgraded(socket) {
      const connection = connections.of(socket)
      if (connection !== undefined) connection.upgraded = true
    },
    request(req, res, run) {
      // The parser continues to the end of the received data.
      if (req.socket.destroyed) return
      const connection = connections.of(req.socket)
      if (connection === undefined) run()
      else take(connection, { req, res, run })
    },
  })
}

/**
 * Intercepts the events of a server before its listeners receive them. A listener cannot suppress or delay an event for
 * the others, so `emit` itself is replaced.
 */
function onEvents(server: Server, events: ServerEvents): void {
  const pass = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean
  server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const [first, second] = args
    if (event === 'connection' && !events.connection(first as Socket)) return true
    if (event === 'secureConnection') events.secured(first as Socket)
    if (event === 'upgrade' || event === 'connect') events.upgraded(second as Socket)
    if (!REQUESTS.has(event)) return pass(event, ...args)
    events.request(first as IncomingMessage, second as ServerResponse, () => {
      pass(event, ...args)
    })
    return true
  }
}

/** Keeps the asynchronous context of the request. `AsyncResource.bind` takes 0.1 ms on Node 20. */
function inContext(run: () => void): () => void {
  const resource = new AsyncResource('watchpost.request')
  return () => resource.runInAsyncScope(run)
}
