/**
 * One connection of a server: what the server waits for, since when, and the limit of the wait.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { LimitName, Limits } from './options.ts'

/** A request that waits for or is being handled by the server's listeners. */
export interface PendingRequest {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly has_body: boolean
  readonly header_bytes: number
  run(): void
}

export interface Connection {
  /** Replaced by the TLS socket after the handshake. */
  socket: Socket
  readonly address: string | undefined
  /** The client it is counted for; `undefined` for a proxy, which has no limit of its own. */
  readonly client: string | undefined
  /** Requests without a response, in order; the first is being handled. */
  readonly pending: PendingRequest[]
  /** The latest request: its body may still arrive after its response was sent. */
  latest: IncomingMessage | undefined
  /** No further request is accepted. */
  last: boolean
  /** The headers of requests received after the last accepted one. */
  beyond_bytes: number
  /** In how many chunks the bodies of waiting requests have arrived. */
  chunks: number
  /** The bytes in these chunks. */
  chunk_bytes: number
  /** The connection was upgraded to another protocol. */
  upgraded: boolean
  /** The last time it was opened, a request started or was answered, or the first byte of new headers was seen. */
  since: number
  /** The number of bytes read at `since`. */
  readAtRest: number
  /** The first byte of a request has been received, or no request was ever received. */
  beginning: boolean
  /** The size of the write buffer at the last poll, and since when it has not changed. */
  backlog: { readonly bytes: number; readonly since: number } | undefined
}

export function createConnection(
  socket: Socket,
  { client, now }: { readonly client: string | undefined; readonly now: number },
): Connection {
  return {
    socket,
    address: socket.remoteAddress,
    client,
    pending: [],
    latest: undefined,
    last: false,
    beyond_bytes: 0,
    chunks: 0,
    chunk_bytes: 0,
    upgraded: false,
    since: now,
    readAtRest: 0,
    beginning: true,
    backlog: undefined,
  }
}

/** No request is pending: waits for the next one. */
export function rest(connection: Connection, now: number): void {
  connection.since = now
  connection.readAtRest = connection.socket.bytesRead
  connection.beginning = false
}

/** Updates the timers from the connection's state; returns the limit that was exceeded, if any. */
export function overdue(
  connection: Connection,
  limits: Limits,
  now: number,
): LimitName | undefined {
  if (connection.upgraded) return undefined
  const { socket, pending } = connection
  connection.backlog = backlogOf(connection, now)
  const { backlog } = connection
  if (backlog !== undefined && now - backlog.since >= limits.writeTimeoutMs) return 'writeTimeoutMs'
  if (isArriving(connection))
    return now - connection.since >= limits.bodyTimeoutMs ? 'bodyTimeoutMs' : undefined
  if (pending.length > 0 || backlog !== undefined) return undefined
  if (!connection.beginning && socket.bytesRead !== connection.readAtRest) {
    connection.beginning = true
    connection.since = now
  }
  const limit = connection.beginning ? 'headersTimeoutMs' : 'idleTimeoutMs'
  return now - connection.since >= limits[limit] ? limit : undefined
}

/** Since when the server has been waiting for the client; `undefined` if the client waits for the server. */
export function waitingSince(connection: Connection): number | undefined {
  const { socket, pending, backlog, since } = connection
  if (connection.upgraded) return undefined
  if (isArriving(connection)) return since
  if (socket.writableLength > 0) return backlog?.since ?? since
  return pending.length === 0 ? since : undefined
}

/** A body that is not read because its request has not been started is not late. */
function isArriving({ latest, pending }: Connection): boolean {
  return pending.length < 2 && latest !== undefined && !latest.complete && !latest.destroyed
}

/** Whether a 408 response can still be sent: no byte of a response has left. */
export function isUnanswered({ pending, socket }: Connection, limit: LimitName): boolean {
  if (limit !== 'headersTimeoutMs' && limit !== 'bodyTimeoutMs') return false
  if (limit === 'bodyTimeoutMs' && pending.length !== 1) return false
  return socket.writable && pending.every(({ res }) => !res.headersSent)
}

function backlogOf({ socket, backlog }: Connection, now: number): Connection['backlog'] {
  if (socket.writableLength === 0) return undefined
  const bytes = unwritten(socket)
  return backlog?.bytes === bytes ? backlog : { bytes, since: now }
}

/**
 * The bytes that the kernel has not accepted yet. `writableLength` contains a buffer until all of it is written; the
 * handle's own counter, which Node's socket timeouts use as well, changes with every part.
 */
export function unwritten(socket: Socket): number {
  const { _handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } }
  return socket.writableLength + (_handle?.writeQueueSize ?? 0)
}
