/**
 * What decoding a message of DNS takes, told before it is decoded: the decoder reads all of it in one turn, and a few
 * bytes may stand for many values.
 *
 * @module
 */

const HEADER_BYTES = 12
const POINTER_BITS = 0xc0
/** Pointers have 14 bits. */
const POINTABLE_BYTES = 0x4000
/** A name has 255 bytes at most (RFC 1035, 2.3.4). */
const MAX_NAME_LABELS = 127
/** Type, class, TTL and length of a record. */
const RECORD_HEAD_BYTES = 10

/**
 * In labels, which take 0.1 µs each. 64 KiB have 70,000 in usual names, and a million in names of 126 labels that
 * pointers repeat.
 */
const MAX_COST = 200_000

/** NSEC and NSEC3: a byte of their bitmaps is eight types, of which each takes 0.3 µs. */
const BITMAPS: ReadonlySet<number> = new Set([47, 50])
const BITMAP_BYTE_COST = 24
/** TXT and SPF: each of its strings becomes a buffer, also an empty one. */
const TEXTS: ReadonlySet<number> = new Set([16, 99])
const STRING_COST = 4

/** Whether decoding takes a long turn. A message that cannot be decoded may be either. */
export function isLaborious(bytes: Buffer): boolean {
  return labelsPointedAt(bytes) + costOfRecords(bytes) > MAX_COST
}

/** How many labels the pointers of a message lead to, together. What only looks like a pointer counts, too. */
function labelsPointedAt(bytes: Buffer): number {
  /** By the place of a name: its labels and one, 0 for an unknown one. */
  const known = new Uint8Array(POINTABLE_BYTES)
  const pointed = (at: number): number => {
    const to = bytes.readUInt16BE(at) - (POINTER_BITS << 8)
    // A name that it leads to comes before it.
    if (to >= at) return 0
    if (known[to] === 0) {
      // Until it is known, for one that leads to itself.
      known[to] = 1
      known[to] = 1 + labelsFrom(to)
    }
    return known[to] ?? 0
  }
  const labelsFrom = (start: number): number => {
    let labels = 0
    for (let at = start; at < bytes.length - 1 && labels < MAX_NAME_LABELS; labels++) {
      const length = bytes[at] ?? 0
      if (length >= POINTER_BITS) labels += pointed(at)
      if (length === 0 || length >= POINTER_BITS) break
      at += length + 1
    }
    return Math.min(labels, MAX_NAME_LABELS)
  }
  let sum = 0
  for (let at = HEADER_BYTES; at < bytes.length - 1 && sum <= MAX_COST; at++)
    if ((bytes[at] ?? 0) >= POINTER_BITS) sum += pointed(at)
  return sum
}

/** Of the data of all records, without names. */
function costOfRecords(bytes: Buffer): number {
  let cost = 0
  let at = HEADER_BYTES
  for (let n = bytes.readUInt16BE(4); n > 0 && at < bytes.length; n--)
    at = behindName(bytes, at) + 4
  const records = [6, 8, 10].reduce((sum, place) => sum + bytes.readUInt16BE(place), 0)
  for (let n = 0; n < records; n++) {
    const head = behindName(bytes, at)
    const data = head + RECORD_HEAD_BYTES
    if (data > bytes.length) break
    at = data + bytes.readUInt16BE(head + 8)
    const type = bytes.readUInt16BE(head)
    if (BITMAPS.has(type)) cost += BITMAP_BYTE_COST * (at - data)
    if (TEXTS.has(type)) cost += STRING_COST * stringsIn(bytes, data, at)
  }
  return cost
}

function behindName(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length;) {
    const length = bytes[at] ?? 0
    if (length >= POINTER_BITS) return at + 2
    at += length + 1
    if (length === 0) return at
  }
  return bytes.length
}

function stringsIn(bytes: Buffer, from: number, to: number): number {
  let strings = 0
  for (let at = from; at < Math.min(to, bytes.length); strings++) at += (bytes[at] ?? 0) + 1
  return strings
}
