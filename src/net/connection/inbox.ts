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
  /** Where the bytes begin: moving the rest up for every line would cost as much as the whole each time. */
  let start = 0
  let length = 0
  return {
    size: () => length,
    push(bytes) {
      const needed = length + bytes.length
      if (start + needed > room.length) {
        // Where half of the room is free, moving up makes way for as much as it moves.
        const roomy = 2 * needed <= room.length ? room : Buffer.alloc(Math.max(256, 2 * needed))
        room.copy(roomy, 0, start, start + length)
        room = roomy
        start = 0
      }
      room.set(bytes, start + length)
      length = needed
    },
    indexOf(byte, from) {
      return room.subarray(start, start + length).indexOf(byte, from)
    },
    peek(max) {
      return room.subarray(start, start + Math.min(length, max))
    },
    take(count) {
      const taken = Buffer.from(room.subarray(start, start + Math.min(count, length)))
      start += taken.length
      length -= taken.length
      return taken
    },
  }
}
