/**
 * Bounds of what a client of Redis reads. The client collects a whole reply before it passes it on, and throws outside
 * of any promise where a reply has another form than it expects: that would end the process.
 *
 * @module
 */

import type { Redis } from 'ioredis'
import { ClosedError } from '../../errors.ts'
import { isMark, MAX_MARKS } from './bounded-json.ts'

/** Of one text: more than any order or answer has. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024
const MAX_REPLY_BYTES = 8 * 1024 * 1024
/** Of all lists of a reply. */
const MAX_VALUES = 50_000
/** A line of the protocol has a status, an error, a number or a length. */
const MAX_LINE_BYTES = 64 * 1024
/** Lists in lists; replies to BullMQ and to watchpost have at most four. */
const MAX_DEPTH = 16

/** What a client waits for: nothing, the reply to a command, or a message of a subscription. */
export type Awaited = 'nothing' | 'reply' | 'message'

/**
 * A text beyond its bound is read as an empty one, which is dropped as an invalid message and delays no other one.
 * Any other reply beyond the bounds, of another form, or without a command ends the connection.
 */
export function boundReplies(client: Redis): void {
  client.on('connect', () => {
    const { stream } = client
    const push = stream.push.bind(stream)
    const bounded = createReplyBounds(() => awaitedBy(client))
    stream.push = (chunk: Buffer | null) => {
      if (chunk === null) return push(null)
      try {
        // Not pushed, which may wait for a later turn: the next reply is judged by what the client waits for then.
        for (const piece of bounded(chunk)) if (!stream.destroyed) stream.emit('data', piece)
      } catch (error) {
        stream.destroy(error as Error)
      }
      return push(NOTHING)
    }
  })
}

function awaitedBy({ commandQueue, condition }: Redis): Awaited {
  const command = commandQueue.peekFront()?.command.name
  if (Boolean(condition?.subscriber) || command === 'subscribe') return 'message'
  return command === undefined ? 'nothing' : 'reply'
}

const NOTHING = Buffer.alloc(0)

/** The lines of RESP 2. Readers disagree about any other one, and so about where the next reply begins. */
const LINE = /^(?:[+-][^\r\n]*|:[+-]?\d{1,20}|[$*](?:-1|\d{1,15}))\r\n$/
/** A message has a kind, a channel, and a text or a number. */
const MESSAGE = /^(?:-|\*3\r)/
const PART_OF_MESSAGE = /^(?::|\$\d)/

/**
 * Takes what arrives, piece by piece, and returns what may be read of it, with an end at each end of a reply.
 *
 * @throws ClosedError
 */
export function createReplyBounds(
  awaited: () => Awaited,
): (chunk: Buffer) => Generator<Buffer, void> {
  /** The beginning of a line whose end has not arrived. */
  let begun: Buffer = Buffer.alloc(0)
  /** Of the text that is under way: bytes to read, and bytes to leave out. */
  let [wanted, unwanted] = [0, 0]
  /** Of the reply that is under way: values and bytes announced so far. */
  let [values, bytes] = [0, 0]
  /** Of JSON, in the text that is under way. */
  let marks = 0
  /** The values to come of each list that is under way, the outermost first. */
  const lists: number[] = []
  let isMessage = false

  function count(more: { readonly values?: number; readonly bytes?: number }): void {
    values += more.values ?? 0
    bytes += more.bytes ?? 0
    if (values > MAX_VALUES) throw refusal(`a reply of more than ${MAX_VALUES} values`)
    if (bytes > MAX_REPLY_BYTES) throw refusal(`a reply of more than ${MAX_REPLY_BYTES} bytes`)
  }

  /** The first line of a reply. */
  function begin(text: string): void {
    const expected = awaited()
    if (expected === 'nothing') throw refusal('a reply to no command')
    isMessage = expected === 'message'
    if (isMessage && !MESSAGE.test(text)) throw refusal('a message of an unknown form')
    values = bytes = 0
  }

  /** What is read in place of a line. */
  function line(text: string): string {
    if (!LINE.test(text)) throw refusal('a line that is none of the protocol')
    if (lists.length === 0) begin(text)
    else if (isMessage && !PART_OF_MESSAGE.test(text)) throw refusal('a message of an unknown form')
    const announced = Number(text.slice(1))
    count({ bytes: text.length })
    if (text.startsWith('*') && announced > 0) {
      count({ values: announced })
      if (lists.push(announced) > MAX_DEPTH)
        throw refusal(`a reply of more than ${MAX_DEPTH} lists in each other`)
      return text
    }
    endValue(lists)
    if (!text.startsWith('$') || announced < 0) return text
    const isWanted = announced <= MAX_TEXT_BYTES
    marks = 0
    ;[wanted, unwanted] = isWanted ? [announced + 2, 0] : [0, announced + 2]
    count({ bytes: wanted })
    return isWanted ? text : '$0\r\n\r\n'
  }

  /** What follows too many marks is read as NULs, which are not JSON: it is not parsed any further. */
  function legible(piece: Buffer): Buffer {
    if (marks > MAX_MARKS) return Buffer.alloc(piece.length)
    for (let at = 0; at < piece.length; at++) {
      if (isMark(piece[at] ?? 0)) marks += 1
      if (marks > MAX_MARKS) return Buffer.concat([piece.subarray(0, at)], piece.length)
    }
    return piece
  }

  return function* (chunk) {
    let read: Buffer[] = []
    for (let at = 0; at < chunk.length;) {
      if (wanted > 0) {
        const piece = chunk.subarray(at, at + wanted)
        read.push(legible(piece))
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
      if (lists.length === 0 && read.length > 0) {
        yield Buffer.concat(read)
        read = []
      }
      const end = chunk.indexOf('\n', at) + 1
      const piece = chunk.subarray(at, end === 0 ? chunk.length : end)
      if (begun.length + piece.length > MAX_LINE_BYTES)
        throw refusal(`a reply of more than a line of ${MAX_LINE_BYTES} bytes`)
      begun = Buffer.concat([begun, piece])
      at += piece.length
      if (end === 0) break
      read.push(Buffer.from(line(begun.toString('latin1')), 'latin1'))
      begun = Buffer.alloc(0)
    }
    if (read.length > 0) yield Buffer.concat(read)
  }
}

/** A value has come: the lists that it completes end. */
function endValue(lists: number[]): void {
  for (let last = lists.pop(); last !== undefined; last = lists.pop()) {
    if (last === 1) continue
    lists.push(last - 1)
    return
  }
}

function refusal(sent: string): ClosedError {
  return new ClosedError(`Redis sent ${sent}; see who else writes to the keys of watchpost`)
}
