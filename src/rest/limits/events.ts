/**
 * Intercepts the events of a server before its listeners receive them. A listener cannot suppress or delay an event
 * for the others, so `emit` itself is replaced.
 *
 * @module
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface ServerEvents {
  /** `false` suppresses the event. */
  connection(socket: Socket): boolean
  /** The TLS handshake of a connection is complete. */
  secured(socket: Socket): void
  /** The connection was upgraded to another protocol, such as WebSocket. */
  upgraded(socket: Socket): void
  /** `run` passes the request to the listeners. */
  request(req: IncomingMessage, res: ServerResponse, run: () => void): void
}

/** Events with a request and its response. */
const REQUESTS: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
])

export function onEvents(server: Server, events: ServerEvents): void {
  const pass = server.emit.bind(server) as (event: string | symbol, ...args: unknown[]) => boolean
  server.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const [first, second] = args
    if (event === 'connection' && !events.connection(first as Socket)) return true
    if (event === 'secureConnection') events.secured(first as Socket)
    if (event === 'upgrade' || event === 'connect') events.upgraded(second as Socket)
    if (!REQUESTS.has(event)) return pass(event, ...args)
    events.request(first as IncomingMessage, second as ServerResponse, () => {
      pass(event, ...args)
    })
    return true
  }
}
