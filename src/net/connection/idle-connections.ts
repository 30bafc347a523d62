/**
 * Idle connections, which wait for another request to the same destination. They are few, wait for seconds, and belong to one
 * account each: nothing that a receiver, a proxy or a login binds to a connection reaches the requests of another one.
 *
 * @module
 */

import type { Clock, Timer } from '../../clock.ts'
import type { KeptSocket } from '../http/kept-socket.ts'
import type { Connection } from '../net.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { Address } from './endpoint.ts'

/**
 * Ends the wait of a connection before most receivers do: 5 s in Node, 60 and more in nginx, Apache (5 s) and load
 * balancers.
 */
export const IDLE_MS = 4000

/** Counted from the first request, so that certificate and route are checked again. */
const LIFETIME_MS = 60_000

export interface KeptConnection {
  readonly connection: Connection
  readonly kept: KeptSocket
  /** Monotonic time of its first request. */
  readonly since: number
}

/** The idle connections of one account. */
export interface OwnIdleConnections {
  /** One to these addresses, which have been judged for this request. */
  take(to: ConnectOptions, addresses: readonly Address[]): KeptConnection | undefined
  /** Keeps it for so long, at most {@link IDLE_MS}. */
  keep(to: ConnectOptions, kept: KeptConnection, idle_ms: number): void
}

export interface IdleConnections {
  of(account_id: number): OwnIdleConnections
  /** Closes all, and what is handed in later. */
  close(): void
}

export interface IdleLimits {
  /** Default 10. */
  readonly perDestination?: number | undefined
  /** Default 50. The one that has waited longest makes room. */
  readonly total?: number | undefined
}

interface Idle extends KeptConnection {
  readonly destination: string
  readonly timer: Timer
  readonly onClose: () => void
}

export function createIdleConnections(
  clock: Pick<Clock, 'timer' | 'monotonic'>,
  { perDestination = 10, total = 50 }: IdleLimits = {},
): IdleConnections {
  /** In the order in which they began to wait. */
  const waiting = new Set<Idle>()
  let closed = false

  function remove(idle: Idle): void {
    waiting.delete(idle)
    idle.timer.cancel()
    idle.connection.socket.off('close', idle.onClose)
  }

  function end(idle: Idle): void {
    remove(idle)
    idle.connection.close()
  }

  function at(destination: string): Idle[] {
    return [...waiting].filter((idle) => idle.destination === destination)
  }

  function makeRoom(destination: string): void {
    const here = at(destination)
    if (here.length >= perDestination && here[0] !== undefined) end(here[0])
    const [oldest] = waiting
    if (waiting.size >= total && oldest !== undefined) end(oldest)
  }

  return {
    of: (account_id) => ({
      take(to, addresses) {
        const isAllowed = ({ connection }: KeptConnection): boolean =>
          addresses.some(({ address }) => address === connection.remote.address)
        // The one used last: the others may end their wait.
        const idle = at(destinationOf(account_id, to)).findLast(isAllowed)
        if (idle !== undefined) remove(idle)
        return idle
      },
      keep(to, kept, asked_ms) {
        const { connection, since } = kept
        const left_ms = since + LIFETIME_MS - clock.monotonic()
        const idle_ms = Math.min(asked_ms, IDLE_MS, left_ms)
        if (closed || idle_ms <= 0 || !isShareable(to)) {
          connection.close()
          return
        }
        const destination = destinationOf(account_id, to)
        makeRoom(destination)
        const idle: Idle = {
          ...kept,
          destination,
          timer: clock.timer(idle_ms, () => end(idle), { background: true }),
          onClose: () => remove(idle),
        }
        connection.socket.once('close', idle.onClose)
        waiting.add(idle)
      },
    }),
    close() {
      closed = true
      for (const idle of waiting) end(idle)
    },
  }
}

/** A context of one's own may present a certificate of the client. */
function isShareable({ tls }: ConnectOptions): boolean {
  return tls?.context === undefined && tls?.onStaple === undefined
}

/** Whatever distinguishes two connections: the proxy with its login, the name that the certificate was checked for. */
function destinationOf(account_id: number, to: ConnectOptions): string {
  const { host, port, ip_family, tls, proxy, forward } = to
  return JSON.stringify([account_id, host, port, ip_family, tls, proxy, forward])
}
