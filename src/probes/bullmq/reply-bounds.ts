/**
 * Bounds of what a client of Redis reads: the client collects a whole reply before it passes it on.
 *
 * @module
 */

import type { Redis } from 'ioredis'
import { ClosedError } from '../../errors.ts'

/** Of one text: more than any order or answer has. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024
const MAX_REPLY_BYTES = 16 * 1024 * 1024
/** Of all lists of a reply. */
const MAX_VALUES = 50_000
/** A line of the protocol has a status, an error, a number or a length. */
const MAX_LINE_BYTES = 64 * 1024

/**
 * A text beyond its bound is read as an empty one, which is dropped as an invalid message and delays no other one.
 * A reply beyond the other bounds ends the connection.
 */
export function boundReplies(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client
    const push = stream.push.bind(stream)
    const within = createReplyBounds()
    stream.push = (chunk: Buffer | null) => {
      try {
        return chunk === null ? push(null) : push(within(chunk))
      } catch (error) {
        stream.destroy(error as Error)
        return false
      }
    }
  })
}

/** Types that are followed by so many bytes, and by so many values for each that is announced (RESP 2 and 3). */
const TEXTS = '$!='
const LISTS: Readonly<Record<string, number>> = { '*': 1, '~': 1, '>': 1, '%': 2, '|': 2 }

/** Takes what arrives, piece by piece, and returns what may be read of it. @throws ClosedError */
export function createReplyBounds(): (chunk: Buffer) => Buffer {
  /** The beginning of a line whose end has not arrived. */
  let begun: Buffer = Buffer.alloc(0)
  /** Of the text that is under way: bytes to read, and bytes to leave out. */
  let [wanted, unwanted] = [0, 0]
  /** Of the reply that is under way: values to come, values and bytes announced so far. */
  let [open, values, bytes] = [0, 0, 0]

  function count(more: { readonly values?: number; readonly bytes?: number }): void {
    values += more.values ?? 0
    bytes += more.bytes ?? 0
    if (values > MAX_VALUES) throw tooLong(`${MAX_VALUES} values`)
    if (bytes > MAX_REPLY_BYTES) throw tooLong(`${MAX_REPLY_BYTES} bytes`)
  }

  /** What is read in place of a line. */
  function line(text: string): string {
    if (open === 0) [open, values, bytes] = [1, 0, 0]
    const [type = ''] = text
    const announced = Number.parseInt(text.slice(1), 10)
    count({ bytes: text.length })
    open -= 1
    if (TEXTS.includes(type) && announced >= 0) {
      const isWanted = announced <= MAX_TEXT_BYTES
      ;[wanted, unwanted] = isWanted ? [announced + 2, 0] : [0, announced + 2]
      count({ bytes: wanted })
      return isWanted ? text : `${type}0\r\n\r\n`
    }
    const following = announced > 0 ? announced * (LISTS[type] ?? 0) : 0
    count({ values: following })
    open += following
    // The attributes of a reply stand before it.
    if (type === '|') open += 1
    return text
  }

  return (chunk) => {
    const read: Buffer[] = []
    for (let at = 0; at < chunk.length;) {
      if (wanted > 0) {
        const piece = chunk.subarray(at, at + wanted)
        read.push(piece)
        wanted -= piece.length
        at += piece.length
        continue
      }
      if (unwanted > 0) {
        const skipped = Math.min(unwanted, chunk.length - at)
        unwanted -= skipped
        at += skipped
        continue
      }
      const end = chunk.indexOf('\n', at) + 1
      const piece = chunk.subarray(at, end === 0 ? chunk.length : end)
      if (begun.length + piece.length > MAX_LINE_BYTES)
        throw tooLong(`a line of ${MAX_LINE_BYTES} bytes`)
      begun = Buffer.concat([begun, piece])
      at += piece.length
      if (end === 0) break
      read.push(Buffer.from(line(begun.toString('latin1')), 'latin1'))
      begun = Buffer.alloc(0)
    }
    return Buffer.concat(read)
  }
}

function tooLong(most: string): ClosedError {
  return new ClosedError(
    `Redis sent a reply of more than ${most}; see who else writes to the keys of watchpost`,
  )
}
