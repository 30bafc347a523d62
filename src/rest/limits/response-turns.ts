/**
 * Requests that come behind each other on a connection, one at a time.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import { rest } from './connection.ts'
import type { Connection, Turn } from './connection.ts'
import type { LimitName, Limits } from './options.ts'

/**
 * Requests beyond the last one that are dropped while the answers before them leave: no client sends as many
 * without waiting, and each costs some KiB.
 */
const BEYOND_LIMIT = 256

interface TurnsOptions {
  readonly limits: Pick<Limits, 'maxPipelinedRequests'>
  readonly clock: Pick<Clock, 'monotonic' | 'timer'>
  end(connection: Connection, limit: LimitName): void
}

export interface Turns {
  take(connection: Connection, turn: Turn): void
}

export function createTurns({ limits, clock, end }: TurnsOptions): Turns {
  const waiting: Connection[] = []
  let timer: Timer | undefined

  /**
   * One in a turn of the event loop. In each, Node takes up one new connection (libuv 1.45): the more is done in
   * it, the longer those wait who come new.
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
    const [turn] = connection.turns
    if (turn === undefined || connection.socket.destroyed) return
    connection.since = clock.monotonic()
    const { res } = turn
    if (connection.last && connection.turns.length === 1) res.setHeader('Connection', 'close')
    // After `finish`, which comes when the kernel has taken the last byte, or when the socket is gone.
    res.once('close', () => {
      connection.turns.shift()
      if (connection.turns.length > 0) beginSoon(connection)
      else rest(connection, clock.monotonic())
      if (connection.turns.length === 0 && connection.last) connection.socket.destroySoon()
    })
    turn.run()
  }

  return {
    take(connection, turn) {
      const { turns } = connection
      if (connection.last || turns.length >= limits.maxPipelinedRequests) {
        connection.last = true
        connection.beyond += 1
        if (connection.beyond > BEYOND_LIMIT) end(connection, 'maxPipelinedRequests')
        return
      }
      connection.latest = turn.req
      turns.push(turn)
      if (turns.length === 1) begin(connection)
    },
  }
}
