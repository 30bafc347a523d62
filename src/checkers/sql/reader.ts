/**
 * Reads exact byte counts from a server, within limits.
 *
 * @module
 */

import { CheckFailure } from '../../net/failure.ts'
import type { Connection } from '../../net/net.ts'

const CHUNK_BYTES = 16 * 1024

/** Limits after the login, for all rows together. */
export const ANSWER_LIMITS: Limits = { bytes: 4 * 1024 * 1024, messages: 10_000 }

export interface Limits {
  readonly bytes: number
  /** Many tiny messages cost time instead of memory. */
  readonly messages: number
}

/** Exactly this many bytes, leaving the rest unread. */
export async function readExactly(connection: Connection, count: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0)
  return connection.readUntil((gathered) => gathered.length === count, { max: count })
}

/**
 * For many small reads: buffers what has arrived, so nothing else may read from the connection
 * afterwards.
 */
export function reader(connection: Connection): (count: number) => Promise<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  return async (count) => {
    if (rest.length < count) {
      const parts = [rest]
      for (let have = rest.length; have < count;) {
        const part = await connection.readUntil(() => true, { max: CHUNK_BYTES })
        parts.push(part)
        have += part.length
      }
      rest = Buffer.concat(parts)
    }
    const taken = rest.subarray(0, count)
    rest = rest.subarray(count)
    return taken
  }
}

/** Counts messages and their bytes. @throws CheckFailure `too_long` */
export function counter({ bytes, messages }: Limits): (size: number) => void {
  let bytesLeft = bytes
  let messagesLeft = messages
  return (size) => {
    if ((bytesLeft -= size) < 0) {
      throw new CheckFailure('too_long', `The server sent more than ${bytes / 1024} KiB`)
    }
    if ((messagesLeft -= 1) < 0) {
      throw new CheckFailure('too_long', `The server sent more than ${messages} messages`)
    }
  }
}
