/**
 * The sockets of one check, which are destroyed at its end.
 *
 * @module
 */

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { StopSignal } from '../timing/stop.ts'

export interface OwnedSockets {
  own(socket: Socket): void
  /**
   * `to` speaks TLS through `from` and destroys it when it is destroyed. `from` is removed from the
   * owned sockets: destroying both during a handshake crashes Node 20 (a segmentation fault if the
   * lower one is destroyed first).
   */
  takeOver(from: Socket, to: Socket): void
  /** The socket outlives the check; the caller closes it and listens to its errors. */
  release(socket: Socket): void
  close(): Promise<void> | undefined
}

export function ownSockets(signal: StopSignal): OwnedSockets {
  /** With what is done when they close. */
  const open = new Map<Socket, () => void>()
  let closed = false
  let gone: (() => void) | undefined
  const destroyAll = (): void => {
    for (const socket of open.keys()) socket.destroy()
  }
  signal.addEventListener('abort', destroyAll, { once: true })
  function own(socket: Socket): void {
    const forget = (): void => {
      open.delete(socket)
      dropListeners(socket)
      if (open.size === 0) gone?.()
    }
    // Errors after the last waiter is gone must not end the process.
    socket.on('error', ignore).once('close', forget)
    open.set(socket, forget)
    if (closed || signal.aborted) socket.destroy()
  }
  return {
    own,
    takeOver(from, to) {
      open.delete(from)
      own(to)
    },
    release(socket) {
      const forget = open.get(socket)
      if (forget === undefined) return
      open.delete(socket)
      socket.off('error', ignore).off('close', forget)
    },
    close() {
      closed = true
      signal.removeEventListener('abort', destroyAll)
      if (open.size === 0) return undefined
      return new Promise((resolve) => {
        gone = resolve
        destroyAll()
      })
    },
  }
}

/**
 * Of a socket that has closed, and of what read from it. Node 24 keeps a socket until the next full collection, and with
 * it whatever its listeners refer to: the whole check.
 */
export function dropListeners(emitter: EventEmitter): void {
  emitter.removeAllListeners().on('error', ignore)
}

function ignore(): void {}
