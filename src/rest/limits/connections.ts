/**
 * All connections of a server, and which one is closed when there are too many: among those of the client with the
 * most connections, the one the server has waited for the longest. Connections that wait for the server are never
 * closed.
 *
 * @module
 */

import type { Socket } from 'node:net'
import { neighbourhoodOf } from '../../net/peer/client-address.ts'
import { parseIp } from '../../net/guard/ip.ts'
import { createConnection, waitingSince } from './connection.ts'
import type { Connection } from './connection.ts'
import type { LimitName, Limits } from './options.ts'

export interface Connections {
  /** `undefined` if there is no capacity and no connection can be closed: the socket is closed. */
  admit(socket: Socket): Connection | undefined
  of(socket: Socket): Connection | undefined
  /** The TLS handshake is complete; the connection continues on this socket. */
  secured(socket: Socket): void
  end(connection: Connection, limit: LimitName): void
  readonly all: Iterable<Connection>
  readonly size: number
}

interface ConnectionsOptions {
  readonly limits: Limits
  now(): number
  ended(connection: Pick<Connection, 'address'>, limit: LimitName): void
}

export function createConnections({ limits, now, ended }: ConnectionsOptions): Connections {
  const bySocket = new Map<Socket, Connection>()
  const byClient = new Map<string | undefined, Set<Connection>>()

  function remove(connection: Connection): void {
    const group = byClient.get(connection.client)
    if (group?.delete(connection) !== true) return
    bySocket.delete(connection.socket)
    if (group.size === 0) byClient.delete(connection.client)
  }

  function end(connection: Connection, limit: LimitName): void {
    remove(connection)
    cut(connection.socket)
    ended(connection, limit)
  }

  /** Closes a connection if the limits are reached; returns the limit that still prevents a new one. */
  function makeRoom(client: string | undefined): LimitName | undefined {
    const own = byClient.get(client) ?? new Set()
    if (client !== undefined && own.size >= limits.maxConnectionsPerAddress) {
      const victim = longestWaiting(own)
      if (victim === undefined) return 'maxConnectionsPerAddress'
      end(victim, 'maxConnectionsPerAddress')
    }
    if (bySocket.size < limits.maxConnections) return undefined
    const groups = [...byClient.values()].sort((a, b) => b.size - a.size)
    for (const group of groups) {
      const victim = longestWaiting(group)
      if (victim === undefined) continue
      end(victim, 'maxConnections')
      return undefined
    }
    return 'maxConnections'
  }

  return {
    admit(socket) {
      const client = clientOf(socket, limits)
      const full = makeRoom(client)
      if (full !== undefined) {
        socket.destroy()
        ended({ address: socket.remoteAddress }, full)
        return undefined
      }
      const connection = createConnection(socket, { client, now: now() })
      bySocket.set(socket, connection)
      const group = byClient.get(client) ?? new Set()
      byClient.set(client, group.add(connection))
      socket.once('close', () => remove(connection))
      return connection
    },
    of: (socket) => bySocket.get(socket),
    secured(socket) {
      for (const connection of bySocket.values()) {
        if (!isSamePeer(connection.socket, socket)) continue
        bySocket.delete(connection.socket)
        connection.socket = socket
        bySocket.set(socket, connection)
        return
      }
    },
    end,
    get all() {
      return bySocket.values()
    },
    get size() {
      return bySocket.size
    },
  }
}

/** A proxy represents many clients; a socket without addresses has a local peer. */
function clientOf({ remoteAddress = '' }: Socket, { isProxy }: Limits): string | undefined {
  const address = remoteAddress.replace(/%.*/s, '')
  const ip = parseIp(address)
  return ip === undefined || isProxy(ip, 0) ? undefined : neighbourhoodOf(address)
}

/** Resets the connection: after an orderly close the kernel would keep megabytes of unread data for minutes. */
function cut(socket: Socket): void {
  if (socket.writableLength > 0 && !('encrypted' in socket)) socket.resetAndDestroy()
  else socket.destroy()
}

function isSamePeer(a: Socket, b: Socket): boolean {
  return a.remotePort === b.remotePort && a.remoteAddress === b.remoteAddress
}

function longestWaiting(group: Iterable<Connection>): Connection | undefined {
  let found: Connection | undefined
  let longest = Infinity
  for (const connection of group) {
    const since = waitingSince(connection)
    if (since === undefined || since >= longest) continue
    found = connection
    longest = since
  }
  return found
}
