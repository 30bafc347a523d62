/**
 * The UDP sockets of one check: its signal closes them, and the check waits until they are closed.
 *
 * @module
 */

import type { Socket } from 'node:dgram'

export interface OwnedDatagrams {
  /** The caller closes the socket when the signal of the check aborts. */
  own(socket: Socket): void
  /** Resolves when all handles are closed; `undefined` if none is open. */
  gone(): Promise<void> | undefined
}

export function ownDatagrams(): OwnedDatagrams {
  let open = 0
  let allGone: (() => void) | undefined
  function closed(): void {
    open -= 1
    if (open === 0) allGone?.()
  }
  return {
    own(socket) {
      open += 1
      // Errors after the last waiter is gone must not end the process.
      socket.on('error', ignore).once('close', closed)
    },
    gone() {
      if (open === 0) return undefined
      return new Promise((resolve) => (allGone = resolve))
    },
  }
}

function ignore(): void {}
