/**
 * Handles pipelined requests on a connection one at a time.
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

interface RequestQueueOptions {
  readonly limits: Pick<Limits, 'maxPipelinedRequests'>
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>
  end(connection: Connection, limit: LimitName): void
}

export interface RequestQueue {
  take(connection: Connection, request: PendingRequest): void
}

export function createRequestQueue({ limits, clock, end }: RequestQueueOptions): RequestQueue {
  const waiting: Connection[] = []
  let timer: Timer | undefined

  /**
   * One request per turn of the event loop. Node accepts one new connection per turn (libuv 1.45): more work in a
   * turn delays new clients.
   */
  function beginSoon(connection: Connection): void {
    waiting.push(connection)
    timer ??= clock.timer(0, beginNext)
  }

  function beginNext(): void {
    const connection = waiting.shift()
    timer = waiting.length > 0 ? clock.timer(0, beginNext) : undefined
    if (connection !== undefined) begin(connection)
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
      if (pending.length === 1) begin(connection)
    },
  }
}
