/**
 * A connection for a request: one that waits, if its address is among those that are allowed now, or a new one.
 *
 * @module
 */

import type { Clock } from '../../clock.ts'
import { createKeptSocket } from '../http/kept-socket.ts'
import type { KeptSocket } from '../http/kept-socket.ts'
import type { Connection } from '../net.ts'
import type { ConnectOptions } from './connect-options.ts'
import type { Address } from './endpoint.ts'
import type { KeptConnection, OwnIdleConnections } from './idle-connections.ts'
import type { OwnedSockets } from './own-sockets.ts'

/** A connection that stands, to one of these addresses. */
export type Standing = (addresses: readonly Address[]) => Connection | undefined

export interface Reached {
  readonly connection: Connection
  /** For requests; `undefined` where connections are not kept. */
  readonly kept: KeptSocket | undefined
  /** It has served a request before. */
  readonly reused: boolean
  /** Leaves it to another request, which has to come within so many ms. */
  keep(idle_ms: number): void
}

export interface Reaching {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Default: connections are not kept. */
  readonly idle: OwnIdleConnections | undefined
  readonly sockets: Pick<OwnedSockets, 'own' | 'release'>
  /** None of those that wait. */
  readonly fresh: boolean
  readonly connect: (standing: Standing) => Promise<Connection>
}

export async function reach(
  to: ConnectOptions,
  { clock, idle, sockets, fresh, connect }: Reaching,
): Promise<Reached> {
  let stood: KeptConnection | undefined
  const connection = await connect((addresses) => {
    stood = fresh ? undefined : idle?.take(to, addresses)
    if (stood !== undefined) sockets.own(stood.connection.socket)
    return stood?.connection
  })
  if (idle === undefined) {
    return { connection, kept: undefined, reused: false, keep: () => connection.close() }
  }
  const { since, kept } = stood ?? {
    since: clock.monotonic(),
    kept: createKeptSocket(connection.socket),
  }
  return {
    connection,
    kept,
    reused: stood !== undefined,
    keep(idle_ms) {
      sockets.release(connection.socket)
      idle.keep(to, { connection, kept, since }, idle_ms)
    },
  }
}
