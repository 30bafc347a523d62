/**
 * A set of short texts that stores a million of them in about 40 MB: their bytes in sequence, and a
 * hash table of their positions. A JavaScript `Set` takes about three times as much, and a sorted
 * array cannot be built incrementally without blocking the event loop.
 *
 * @module
 */

export interface FeedIndex {
  readonly size: number
  /** Texts of more than {@link MAX_KEY_BYTES} bytes are ignored. */
  add(key: string): void
  has(key: string): boolean
}

const MAX_KEY_BYTES = 4096

/** Size of the length prefix of every text. */
const LENGTH_BYTES = 2
/** The table grows beyond this load factor. */
const MAX_LOAD = 0.7
/** Entries rehashed with each insertion: rehashing all at once would block the event loop. */
const GO_OVER = 8

export function createFeedIndex(): FeedIndex {
  let text = Buffer.alloc(64 * 1024)
  let end = 0
  let size = 0
  /** Position of an entry plus one; 0 is free. */
  let slots = new Uint32Array(1024)
  /** The larger table that replaces `slots`, and how much of `text` is rehashed into it. */
  let next: Uint32Array<ArrayBuffer> | undefined
  let over = 0

  /** Writes a key after the last entry, provisionally. */
  function place(key: string): number {
    const length = Buffer.byteLength(key)
    if (end + LENGTH_BYTES + length > text.length) {
      const grown = Buffer.alloc(2 * text.length + LENGTH_BYTES + length)
      text.copy(grown, 0, 0, end)
      text = grown
    }
    text.writeUInt16BE(length, end)
    text.write(key, end + LENGTH_BYTES)
    return length
  }

  /** The slot of the entry at `start`, or the free slot for it. */
  function slotOf(start: number, length: number): number {
    let slot = hashOf(start, length) & (slots.length - 1)
    for (;;) {
      const at = slots[slot] ?? 0
      if (at === 0 || at === start + 1 || equal(at - 1, start, length)) return slot
      slot = (slot + 1) & (slots.length - 1)
    }
  }

  function hashOf(start: number, length: number): number {
    return hash(text, start + LENGTH_BYTES, start + LENGTH_BYTES + length)
  }

  function equal(a: number, b: number, length: number): boolean {
    if (text.readUInt16BE(a) !== length) return false
    const from = a + LENGTH_BYTES
    return (
      text.compare(text, b + LENGTH_BYTES, b + LENGTH_BYTES + length, from, from + length) === 0
    )
  }

  /** Rehashes a few entries into the larger table, which replaces this one when all are done. */
  function goOver(): void {
    if (next === undefined) return
    for (let count = 0; count < GO_OVER && over < end; count++) {
      const length = text.readUInt16BE(over)
      let slot = hashOf(over, length) & (next.length - 1)
      // Entries are distinct, so the first free slot is correct.
      while (next[slot] !== 0) slot = (slot + 1) & (next.length - 1)
      next[slot] = over + 1
      over += LENGTH_BYTES + length
    }
    if (over < end) return
    slots = next
    next = undefined
  }

  return {
    get size() {
      return size
    },
    add(key) {
      if (Buffer.byteLength(key) > MAX_KEY_BYTES) return
      const length = place(key)
      const slot = slotOf(end, length)
      if (slots[slot] !== 0) return
      slots[slot] = end + 1
      end += LENGTH_BYTES + length
      size += 1
      if (size > MAX_LOAD * slots.length && next === undefined) {
        next = new Uint32Array(2 * slots.length)
        over = 0
      }
      goOver()
    },
    has(key) {
      if (Buffer.byteLength(key) > MAX_KEY_BYTES) return false
      return slots[slotOf(end, place(key))] !== 0
    },
  }
}

/** FNV-1a, 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
function hash(bytes: Uint8Array, from: number, to: number): number {
  let value = 0x811c9dc5
  for (let at = from; at < to; at++) value = Math.imul(value ^ (bytes[at] ?? 0), 0x01000193)
  return value >>> 0
}
