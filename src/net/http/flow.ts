/**
 * Flow control of a body: no faster than it is processed, and with yields to other work.
 *
 * @module
 */

import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../clock.ts'

/** Chunks after which the event loop gets a turn: a server may send each byte in its own chunk. */
const TURN_CHUNKS = 4096

/** Processes chunks as they arrive and yields after many. */
export function restful(
  hold: () => () => void,
  clock: Pick<Clock, 'timer'>,
  take: (chunk: Buffer) => void,
): (chunk: Buffer) => void {
  let chunks = 0
  return (chunk) => {
    take(chunk)
    chunks += 1
    if (chunks % TURN_CHUNKS === 0) clock.timer(0, hold())
  }
}

/** Pauses the message until every returned function has been called. */
export function holding(message: IncomingMessage): () => () => void {
  let holders = 0
  return () => {
    if (holders++ === 0) message.pause()
    return () => {
      if (--holders === 0) message.resume()
    }
  }
}
