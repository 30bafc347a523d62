/**
 * How undici gets its one socket.
 *
 * @module
 */

import type { buildConnector } from 'undici'
import { CheckFailure } from '../failure.ts'
import type { Connection } from '../net.ts'

/**
 * Hands over the socket of `connection`, once it is asked for. A socket that has ended by then (the
 * server reset it while undici was loaded) is refused: undici would ask for another one without end,
 * and nothing else in the process would get a turn.
 */
export function handOver({ socket }: Connection): buildConnector.connector {
  return (_options, done) =>
    // Not at once: undici does not look at its queue again when the answer comes within the call.
    queueMicrotask(() => {
      if (!socket.destroyed) done(null, socket)
      else
        done(new CheckFailure('closed_early', 'The connection was closed before the request'), null)
    })
}
