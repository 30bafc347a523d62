/**
 * The UDP sockets of one check: they end with its signal, and it does not end before they are gone.
 *
 * @module
 */

import type { Socket } from 'node:dgram'

export interface OwnedDatagrams {
  /** Whoever owns a socket closes it when the signal of the check aborts. */
  own(socket: Socket): void
  /** Resolves when all handles are gone; `undefined` where they are already. */
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
      // Errors that nobody waits for any more must not end the process.
      socket.on('error', ignore).once('close', closed)
    },
    gone() {
      if (open === 0) return undefined
      return new Promise((resolve) => (allGone = resolve))
    },
  }
}

function ignore(): void {}
