/**
 * Bounds for a server of Node that strangers reach: connections, requests that wait on one, and time.
 *
 * @module
 */

import { AsyncResource } from 'node:async_hooks'
import type { Server } from 'node:http'
import { systemClock } from '../../clock.ts'
import type { Timer } from '../../clock.ts'
import { isUnanswered, overdue } from './connection.ts'
import type { Connection } from './connection.ts'
import { createConnections } from './connections.ts'
import { onEvents } from './events.ts'
import { readLimits } from './options.ts'
import type { LimitServerOptions } from './options.ts'
import { createTurns } from './response-turns.ts'

/** How exact the deadlines are. */
const LOOK_MS = 1000

/** What Node itself says where headers or a body are late (RFC 9110, 15.5.9). */
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/**
 * Keeps clients that are slow, silent, deaf or too many from taking a server away from the others. Works on a
 * `Server` of `node:http` or `node:https`, whoever made it (`createServer`, `app.listen` of Express, `app.server`
 * of Fastify), with whatever listens on it. Call it once, before `listen`.
 *
 * Requests that come behind each other on a connection reach the server's listeners one by one, each when the
 * answer before it has left. Beyond `maxPipelinedRequests` a connection ends after the answers that are owed.
 * Beyond `maxConnections` or `maxConnectionsPerAddress` the connection that the server has waited for the longest
 * gives way; where the server waits for none, the new one is closed.
 *
 * @throws ConfigurationError for an option that is unknown or out of its bounds
 */
export function limitServer(server: Server, options: LimitServerOptions = {}): void {
  const limits = readLimits(options)
  const { clock = systemClock, onLimit } = options
  const now = () => clock.monotonic()
  const connections = createConnections({
    limits,
    now,
    ended: ({ address }, limit) => onLimit?.({ limit, address }),
  })
  const turns = createTurns({ limits, clock, end: connections.end })
  let timer: Timer | undefined

  function look(): void {
    for (const connection of [...connections.all]) {
      const limit = overdue(connection, limits, now())
      if (limit === undefined) continue
      if (isSpoken(connection) && isUnanswered(connection, limit)) connection.socket.write(TOO_SLOW)
      connections.end(connection, limit)
    }
    timer = connections.size === 0 ? undefined : clock.timer(LOOK_MS, look, { background: true })
  }

  /** Before the end of a TLS handshake there is no HTTP. */
  function isSpoken({ socket }: Connection): boolean {
    return 'encrypted' in socket || !('setSecureContext' in server)
  }

  // Node's own deadlines stay as a second line where they are shorter.
  server.keepAliveTimeout = limits.idleTimeoutMs
  onEvents(server, {
    connection(socket) {
      if (connections.admit(socket) === undefined) return false
      timer ??= clock.timer(LOOK_MS, look, { background: true })
      return true
    },
    secured: (socket) => connections.secured(socket),
    upgraded(socket) {
      const connection = connections.of(socket)
      if (connection !== undefined) connection.upgraded = true
    },
    request(req, res, run) {
      // The parser reads on to the end of what has arrived.
      if (req.socket.destroyed) return
      const connection = connections.of(req.socket)
      if (connection === undefined) run()
      else turns.take(connection, { req, res, run: AsyncResource.bind(run) })
    },
  })
}
