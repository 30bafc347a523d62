/**
 * The UDP sockets of one check: they end with its signal, and it does not end before they are gone.
 *
 * @module
 */

import type { Socket } from 'node:dgram'

export interface OwnedDatagrams {
  /** Whoever owns a socket closes it when the signal of the check aborts. */
  own(socket: Socket): void
  /** Resolves when all handles are gone. */
  gone(): Promise<void>
}

export function ownDatagrams(): OwnedDatagrams {
  const open = new Set<Socket>()
  return {
    own(socket) {
      // Errors that nobody waits for any more must not end the process.
      socket.on('error', () => undefined)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
    },
    async gone() {
      const closed = [...open].map(
        (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
      )
      await Promise.all(closed)
    },
  }
}
