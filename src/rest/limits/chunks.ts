/**
 * Bodies in small chunks: Node makes a buffer of its own of each, with some 400 bytes of memory and a microsecond of
 * work, however short it is.
 *
 * @module
 */

import type { IncomingMessage } from 'node:http'
import type { Connection } from './connection.ts'
import type { LimitName, Limits } from './options.ts'

/** A body may arrive in chunks of this size. */
const BYTES_PER_CHUNK = 64

interface ChunkOptions {
  readonly limits: Pick<Limits, 'maxBodyChunks'>
  end(connection: Connection, limit: LimitName): void
}

/**
 * Ends the connection at the first chunk too many. A listener of `data` would start the body, so `push` itself is
 * replaced.
 */
export function limitChunks(
  connection: Connection,
  req: IncomingMessage,
  { limits, end }: ChunkOptions,
): void {
  const push = req.push.bind(req)
  req.push = (chunk: Uint8Array | null, encoding) => {
    if (chunk !== null) {
      // The parser continues to the end of the received data.
      if (req.socket.destroyed) return false
      connection.chunks += 1
      connection.chunk_bytes += chunk.length
      const most = limits.maxBodyChunks + connection.chunk_bytes / BYTES_PER_CHUNK
      if (connection.chunks > most) {
        end(connection, 'maxBodyChunks')
        return false
      }
    }
    return push(chunk, encoding)
  }
}
