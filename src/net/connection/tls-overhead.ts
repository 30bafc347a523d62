/**
 * Ends a connection whose peer sends records of TLS without any content: session tickets, new keys and new handshakes,
 * which OpenSSL carries out without end, and of which Node tells nobody.
 *
 * @module
 */

import type { Socket } from 'node:net'
import type { Clock, Timer } from '../../clock.ts'
import { CheckFailure } from '../failure.ts'

/** A handshake takes up to 200 KiB: the largest chain of certificates that OpenSSL takes, and a stapled response. */
const MAX_OVERHEAD_BYTES = 256 * 1024

/** A peer may send its content byte by byte; the longest record around one byte has 60 bytes more. */
const OVERHEAD_PER_BYTE = 64

const POLL_MS = 50

/** `isCovered`: another TLS connection runs through this socket, and is watched itself. */
export function limitOverhead(
  socket: Socket,
  {
    target,
    clock,
    isCovered,
  }: {
    /** `host:port`. */
    readonly target: string
    readonly clock: Pick<Clock, 'timer'>
    readonly isCovered: () => boolean
  },
): void {
  const before = receivedBytes(socket)
  const look = (): void => {
    if (socket.destroyed || isCovered()) return
    const most = MAX_OVERHEAD_BYTES + (1 + OVERHEAD_PER_BYTE) * socket.bytesRead
    if (receivedBytes(socket) - before > most) socket.destroy(endless(target))
    else wait()
  }
  let timer: Timer
  const wait = (): void => void (timer = clock.timer(POLL_MS, look, { background: true }))
  wait()
  socket.once('close', () => timer.cancel())
}

interface Handle {
  readonly bytesRead?: number
  /** Of TLS: what it runs on. */
  readonly _parent?: Handle
}

/** Bytes from the network, those of TLS included; 0 where Node has another name for it, and when the socket is closed. */
export function receivedBytes(socket: Socket): number {
  let { _handle: handle } = socket as { _handle?: Handle | null }
  while (handle?._parent !== undefined) handle = handle._parent
  return handle?.bytesRead ?? 0
}

function endless(target: string): CheckFailure {
  return new CheckFailure('too_long', `${target} sends records of TLS without content and end`)
}
