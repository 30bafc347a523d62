/**
 * Bytes that have arrived and were not read yet. Grows by doubling, so that a peer who sends byte by
 * byte costs no more than one who sends all at once.
 *
 * @module
 */

/** Before the first bytes: many a connection is never read from. */
const NOTHING = Buffer.alloc(0)

export interface Inbox {
  /** Bytes in it. */
  size(): number
  push(bytes: Uint8Array): void
  indexOf(byte: number, from: number): number
  /** The first bytes without taking them, at most `max`; valid until the next call. */
  peek(max: number): Buffer
  /** Takes the first `count` bytes out; a copy of their own. */
  take(count: number): Buffer
}

export function createInbox(): Inbox {
  let room = NOTHING
  let length = 0
  return {
    size: () => length,
    push(bytes) {
      if (length + bytes.length > room.length) {
        const grown = Buffer.alloc(Math.max(256, 2 * (length + bytes.length)))
        room.copy(grown, 0, 0, length)
        room = grown
      }
      room.set(bytes, length)
      length += bytes.length
    },
    indexOf(byte, from) {
      return room.subarray(0, length).indexOf(byte, from)
    },
    peek(max) {
      return room.subarray(0, Math.min(length, max))
    },
    take(count) {
      const taken = Buffer.from(room.subarray(0, Math.min(count, length)))
      room.copy(room, 0, taken.length, length)
      length -= taken.length
      return taken
    },
  }
}
