/**
 * Handles pipelined requests on a connection one at a time, and those that many connections send at once in several
 * turns of the event loop, clients in turn.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import { rest } from './connection.ts'
import type { Connection, PendingRequest } from './connection.ts'
import type { LimitName, Limits } from './options.ts'

/**
 * How many requests beyond the last accepted one are dropped while the pending responses are sent: no client
 * pipelines this many, and each takes some KiB.
 */
const BEYOND_LIMIT = 256

/** For how long requests begin in one turn of the event loop; the last of them may take longer. */
const TURN_MS = 10

interface RequestQueueOptions {
  readonly limits: Pick<Limits, 'maxPipelinedRequests'>
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>
  end(connection: Connection, limit: LimitName): void
}

export interface RequestQueue {
  take(connection: Connection, request: PendingRequest): void
}

export function createRequestQueue({ limits, clock, end }: RequestQueueOptions): RequestQueue {
  const waiting = createWaiting()
  let timer: Timer | undefined
  /** When the first request of this turn began. */
  let turn_began: number | undefined

  /**
   * One request per turn of the event loop. Node accepts one new connection per turn (libuv 1.45): more work in a
   * turn delays new clients.
   */
  function beginSoon(connection: Connection): void {
    waiting.add(connection)
    timer ??= clock.timer(0, beginNext)
  }

  function beginNext(): void {
    const connection = waiting.take()
    timer = waiting.isEmpty() ? undefined : clock.timer(0, beginNext)
    if (connection !== undefined) begin(connection)
  }

  /** All that arrives at once would be handled in this turn. */
  function isTurnOver(): boolean {
    const now = clock.monotonic()
    if (turn_began === undefined) {
      turn_began = now
      clock.timer(0, () => (turn_began = undefined))
    }
    return now - turn_began >= TURN_MS
  }

  function begin(connection: Connection): void {
    const [request] = connection.pending
    if (request === undefined || connection.socket.destroyed) return
    connection.since = clock.monotonic()
    const { res } = request
    if (connection.last && connection.pending.length === 1) res.setHeader('Connection', 'close')
    // After `finish`, which fires when the kernel has accepted the last byte, or when the socket is closed.
    res.once('close', () => {
      connection.pending.shift()
      if (connection.pending.length > 0) beginSoon(connection)
      else rest(connection, clock.monotonic())
      if (connection.pending.length === 0 && connection.last) connection.socket.destroySoon()
    })
    request.run()
  }

  return {
    take(connection, request) {
      const { pending } = connection
      if (connection.last || pending.length >= limits.maxPipelinedRequests) {
        connection.last = true
        connection.beyond += 1
        if (connection.beyond > BEYOND_LIMIT) end(connection, 'maxPipelinedRequests')
        return
      }
      connection.latest = request.req
      pending.push(request)
      if (pending.length > 1) return
      if (waiting.isEmpty() && !isTurnOver()) begin(connection)
      else beginSoon(connection)
    },
  }
}

interface Waiting {
  add(connection: Connection): void
  /** The connection that has waited longest, of the client whose turn it is. */
  take(): Connection | undefined
  isEmpty(): boolean
}

/** A client with many connections delays each other one by one request. */
function createWaiting(): Waiting {
  const byClient = new Map<string | undefined, Connection[]>()
  return {
    add(connection) {
      const own = byClient.get(connection.client) ?? []
      byClient.set(connection.client, own)
      own.push(connection)
    },
    take() {
      const [first] = byClient
      if (first === undefined) return undefined
      const [client, own] = first
      const connection = own.shift()
      // To the end of the ring.
      byClient.delete(client)
      if (own.length > 0) byClient.set(client, own)
      return connection
    },
    isEmpty: () => byClient.size === 0,
  }
}
