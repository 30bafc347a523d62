/**
 * One connection of a server: what it waits for, since when, and for how long it may.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { LimitName, Limits } from './options.ts'

/** A request on its way to the server's listeners. */
export interface Turn {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  run(): void
}

export interface Connection {
  /** The TLS socket once the handshake is over. */
  socket: Socket
  readonly address: string | undefined
  /** Whom it is counted with; `undefined` for a proxy, which is counted with nobody. */
  readonly client: string | undefined
  /** Requests without an answer, in their order; the first is being answered. */
  readonly turns: Turn[]
  /** The latest request: its body may still be arriving when its answer is over. */
  latest: IncomingMessage | undefined
  /** No further request is taken. */
  last: boolean
  /** Requests that came after the last one that is taken. */
  beyond: number
  /** It speaks another protocol by now. */
  upgraded: boolean
  /** When it was opened, a request had its turn or its answer, or new headers were first seen. */
  since: number
  /** Bytes that had been read then. */
  readAtRest: number
  /** The first byte of a request has been seen, or nothing has ever been asked. */
  beginning: boolean
  /** What was waiting to be written when it was last looked at, and since when it has been as much. */
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
    turns: [],
    latest: undefined,
    last: false,
    beyond: 0,
    upgraded: false,
    since: now,
    readAtRest: 0,
    beginning: true,
    backlog: undefined,
  }
}

/** Nothing is asked any more: the next request may come. */
export function rest(connection: Connection, now: number): void {
  connection.since = now
  connection.readAtRest = connection.socket.bytesRead
  connection.beginning = false
}

/** Looks at what has happened since the last time; the bound that has passed, if one has. */
export function overdue(
  connection: Connection,
  limits: Limits,
  now: number,
): LimitName | undefined {
  if (connection.upgraded) return undefined
  const { socket, turns } = connection
  connection.backlog = backlogOf(connection, now)
  const { backlog } = connection
  if (backlog !== undefined && now - backlog.since >= limits.writeTimeoutMs) return 'writeTimeoutMs'
  if (isArriving(connection))
    return now - connection.since >= limits.bodyTimeoutMs ? 'bodyTimeoutMs' : undefined
  if (turns.length > 0 || backlog !== undefined) return undefined
  if (!connection.beginning && socket.bytesRead !== connection.readAtRest) {
    connection.beginning = true
    connection.since = now
  }
  const limit = connection.beginning ? 'headersTimeoutMs' : 'idleTimeoutMs'
  return now - connection.since >= limits[limit] ? limit : undefined
}

/** Since when the server waits for the client, and not the client for the server; `undefined` where it does not. */
export function waitingSince(connection: Connection): number | undefined {
  const { socket, turns, backlog, since } = connection
  if (connection.upgraded) return undefined
  if (isArriving(connection)) return since
  if (socket.writableLength > 0) return backlog?.since ?? since
  return turns.length === 0 ? since : undefined
}

/** A body that nobody reads before its turn is not late. */
function isArriving({ latest, turns }: Connection): boolean {
  return turns.length < 2 && latest !== undefined && !latest.complete && !latest.destroyed
}

/** Whether the client may still be told that it was too slow: nothing of an answer has left. */
export function isUnanswered({ turns, socket }: Connection, limit: LimitName): boolean {
  if (limit !== 'headersTimeoutMs' && limit !== 'bodyTimeoutMs') return false
  if (limit === 'bodyTimeoutMs' && turns.length !== 1) return false
  return socket.writable && turns.every(({ res }) => !res.headersSent)
}

function backlogOf({ socket, backlog }: Connection, now: number): Connection['backlog'] {
  if (socket.writableLength === 0) return undefined
  const bytes = unwritten(socket)
  return backlog?.bytes === bytes ? backlog : { bytes, since: now }
}

/**
 * What the kernel has not taken yet. `writableLength` has a buffer as a whole until all of it is taken; the
 * handle's own figure, which Node's socket timeouts look at as well, moves with every piece.
 */
function unwritten(socket: Socket): number {
  const { _handle } = socket as Socket & { readonly _handle?: { readonly writeQueueSize?: number } }
  return socket.writableLength + (_handle?.writeQueueSize ?? 0)
}
