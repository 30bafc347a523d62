/**
 * A server of Node.js on a free port of 127.0.0.1, with the count of its connections. They end with it.
 *
 * @module
 */

import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

export interface Listening extends AsyncDisposable {
  readonly port: number
  /** Connections so far. */
  readonly accepted: number
  /** Connections that are open. */
  readonly open: number
}

/** `event` brings the sockets: `secureConnection` has those of TLS after the handshake. `port`: one of `freePort()`. */
export async function listening(
  server: Server,
  event: 'connection' | 'secureConnection' = 'connection',
  port = 0,
): Promise<Listening> {
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on(event, (socket: Socket) => {
    accepted += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get accepted() {
      return accepted
    },
    get open() {
      return sockets.size
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
