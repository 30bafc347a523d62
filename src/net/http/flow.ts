/**
 * How fast a body may come: never faster than it is dealt with, and with a rest for others.
 *
 * @module
 */

import type { IncomingMessage } from 'node:http'
import type { Clock } from '../../clock.ts'

/** Chunks after which others get a turn: a server may send each byte in one of its own. */
const TURN_CHUNKS = 4096

/** Takes chunks as they come, with a rest after many. */
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

/** Nothing comes while anybody holds it; what this returns lets go. */
export function holding(message: IncomingMessage): () => () => void {
  let holders = 0
  return () => {
    if (holders++ === 0) message.pause()
    return () => {
      if (--holders === 0) message.resume()
    }
  }
}
