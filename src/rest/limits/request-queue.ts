/**
 * Handles pipelined requests on a connection one at a time, and those that many connections send at once in several
 * turns of the event loop, clients in turn. Requests with a body wait while new connections are accepted.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import { rest } from './connection.ts'
import type { Connection, PendingRequest } from './connection.ts'
import type { LimitName, Limits } from './options.ts'

/** The headers of all waiting requests of a connection: two of the largest that Node accepts, or 16 of 2 KiB. */
const WAITING_HEADER_BYTES = 32 * 1024

/**
 * Requests beyond the last accepted one are dropped while the pending responses are sent: 256 short ones, or fewer with
 * as many bytes. No client pipelines this many, and each takes some KiB.
 */
const BEYOND_HEADER_BYTES = 32 * 1024

/** What a request counts at least. */
const SHORT_HEADER_BYTES = 128

/** For how long requests begin in one turn of the event loop; the last of them may take longer. */
const TURN_MS = 10

/** Requests with a body wait for at most this many turns in which a connection was accepted. */
const ACCEPTING_TURNS = 16

interface RequestQueueOptions {
  readonly limits: Pick<Limits, 'maxPipelinedRequests'>
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>
  end(connection: Connection, limit: LimitName): void
}

export interface RequestQueue {
  take(connection: Connection, request: PendingRequest): void
  /** A connection was accepted. */
  accepted(): void
}

export function createRequestQueue({ limits, clock, end }: RequestQueueOptions): RequestQueue {
  const waiting = createWaiting()
  const waitingWithBody = createWaiting()
  /** A connection was accepted since the last turn that looked. */
  let accepting = false
  /** The turns in a row in which requests with a body waited for that. */
  let turns_waited = 0
  let with_body_last = false
  let timer: Timer | undefined
  /** When the first request of this turn began. */
  let turn_began: number | undefined

  /**
   * One request per turn of the event loop. Node accepts one new connection per turn (libuv 1.45): more work in a
   * turn delays new clients.
   */
  function beginSoon(connection: Connection): void {
    const list = connection.pending[0]?.has_body === true ? waitingWithBody : waiting
    list.add(connection)
    timer ??= clock.timer(0, beginNext)
  }

  function isAnyWaiting(): boolean {
    return !waiting.isEmpty() || !waitingWithBody.isEmpty()
  }

  function beginNext(): void {
    const connection = takeNext()
    timer = isAnyWaiting() ? clock.timer(0, beginNext) : undefined
    if (connection !== undefined) begin(connection)
  }

  /** Requests with and without a body alternate, so that a crowd of slow bodies delays no `GET`. */
  function takeNext(): Connection | undefined {
    const lists = with_body_last ? [waiting, waitingWithBody] : [waitingWithBody, waiting]
    const list = (isAcceptingFirst() ? [waiting] : lists).find((each) => !each.isEmpty())
    if (list !== undefined) with_body_last = list === waitingWithBody
    return list?.take()
  }

  /**
   * To begin a request with a body takes longer than to accept a connection, and the client behind a crowd waits for
   * each turn of the crowd.
   */
  function isAcceptingFirst(): boolean {
    const first = accepting && turns_waited < ACCEPTING_TURNS
    accepting = false
    turns_waited = first ? turns_waited + 1 : 0
    return first
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

  function isFull(pending: readonly PendingRequest[], { header_bytes }: PendingRequest): boolean {
    if (pending.length === 0) return false
    const bytes = pending.reduce((sum, each) => sum + each.header_bytes, header_bytes)
    return pending.length >= limits.maxPipelinedRequests || bytes > WAITING_HEADER_BYTES
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
      if (connection.last || isFull(pending, request)) {
        connection.last = true
        connection.beyond_bytes += Math.max(SHORT_HEADER_BYTES, request.header_bytes)
        if (connection.beyond_bytes > BEYOND_HEADER_BYTES) end(connection, 'maxPipelinedRequests')
        return
      }
      if (pending.length === 0) {
        connection.chunks = 0
        connection.chunk_bytes = 0
      }
      connection.latest = request.req
      pending.push(request)
      if (pending.length > 1) return
      const waits = isAnyWaiting() || (request.has_body && accepting)
      if (!waits && !isTurnOver()) begin(connection)
      else beginSoon(connection)
    },
    accepted() {
      accepting = true
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
