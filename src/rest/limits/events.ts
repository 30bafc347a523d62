/**
 * What happens on a server, before those who listen on it hear of it. A listener cannot keep an event from
 * the others, nor hold it back until its turn; so `emit` itself is taken.
 *
 * @module
 */

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface ServerEvents {
  /** `false` keeps the server from ever hearing of it. */
  connection(socket: Socket): boolean
  /** The TLS handshake over a connection is over. */
  secured(socket: Socket): void
  /** The connection speaks another protocol from now on, such as WebSocket. */
  upgraded(socket: Socket): void
  /** `run` hands the request to whoever listens. */
  request(req: IncomingMessage, res: ServerResponse, run: () => void): void
}

/** Events that bring a request with its response. */
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
