/**
 * A connection for a request: an idle one, if its address is among those that are allowed now, or a new one.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { createKeptSocket } from '../http/kept-socket.ts'
import type { KeptSocket } from '../http/kept-socket.ts'
import type { Connection } from '../net.ts'
import type { Turns } from '../timing/turns.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { Address } from './endpoint.ts'
import type { KeptConnection, OwnIdleConnections } from './idle-connections.ts'
import type { OwnedSockets } from './own-sockets.ts'
import { paceReading } from './paced-reading.ts'

/** Takes an idle connection to one of these addresses, if there is one. */
export type TakeIdle = (addresses: readonly Address[]) => Connection | undefined

export interface Reached {
  readonly connection: Connection
  /** For requests; `undefined` where connections are not kept. */
  readonly kept: KeptSocket | undefined
  /** It has served a request before. */
  readonly reused: boolean
  /** Keeps it for another request, which has to come within so many ms. */
  keep(idle_ms: number): void
}

export interface Reaching {
  readonly clock: Pick<Clock, 'monotonic'>
  /** In which the answer is read. */
  readonly turns: Pick<Turns, 'add'>
  /** Default: connections are not kept. */
  readonly idle: OwnIdleConnections | undefined
  readonly sockets: Pick<OwnedSockets, 'own' | 'release'>
  /** A new connection, and no idle one. */
  readonly fresh: boolean
  readonly connect: (takeIdle: TakeIdle) => Promise<Connection>
}

export async function reach(
  to: ConnectOptions,
  { clock, turns, idle, sockets, fresh, connect }: Reaching,
): Promise<Reached> {
  let taken: KeptConnection | undefined
  const connection = await connect((addresses) => {
    taken = fresh ? undefined : idle?.take(to, addresses)
    if (taken !== undefined) sockets.own(taken.connection.socket)
    return taken?.connection
  })
  paceReading(connection.socket, turns)
  if (idle === undefined) {
    return { connection, kept: undefined, reused: false, keep: () => connection.close() }
  }
  const { since, kept } = taken ?? {
    since: clock.monotonic(),
    kept: createKeptSocket(connection.socket),
  }
  return {
    connection,
    kept,
    reused: taken !== undefined,
    keep(idle_ms) {
      sockets.release(connection.socket)
      idle.keep(to, { connection, kept, since }, idle_ms)
    },
  }
}
