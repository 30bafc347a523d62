/**
 * Buffer of received bytes that are not read yet. Grows by doubling, so that a peer that sends
 * single bytes costs no more than one that sends large segments.
 *
 * @module
 */

/** Shared empty buffer: many connections are never read from. */
const NOTHING = Buffer.alloc(0)

export interface Inbox {
  /** Number of buffered bytes. */
  size(): number
  push(bytes: Uint8Array): void
  indexOf(byte: number, from: number): number
  /** The first bytes without removing them, at most `max`; valid until the next call. */
  peek(max: number): Buffer
  /** Removes and returns a copy of the first `count` bytes. */
  take(count: number): Buffer
}

export function createInbox(): Inbox {
  let room = NOTHING
  /** Offset of the first byte: moving the rest up after every line would cost quadratic time. */
  let start = 0
  let length = 0
  return {
    size: () => length,
    push(bytes) {
      const needed = length + bytes.length
      if (start + needed > room.length) {
        // If half of the buffer is free, moving the bytes up frees as much as it copies.
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
