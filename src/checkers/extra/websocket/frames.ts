/**
 * Frames of RFC 6455 on a connection of ours, as a client: masked when sent, bounded when read. No
 * extension is offered, so no frame is compressed.
 *
 * @module
 */

import { createHash, randomBytes } from 'node:crypto'
import { CheckFailure } from '../../../net/failure.ts'
import type { Connection } from '../../../net/net.ts'

/** RFC 6455, 5.2. */
const OPCODES = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
type Opcode = keyof typeof OPCODES

/** RFC 6455, 5.5. */
const CONTROL_LIMIT_BYTES = 125
const MESSAGE_LIMIT_BYTES = 64 * 1024
/** Of all frames of a check. */
const READ_LIMIT_BYTES = 1024 * 1024
const READ_LIMIT_FRAMES = 10_000
/** Frames of one check read in one turn of the event loop, if they arrived together: those of all checks may have. */
const TURN_FRAMES = 8

export type Received =
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'pong'; readonly payload: Buffer }
  /** `code`: 1005 if the server gave none (RFC 6455, 7.4.1). */
  | { readonly kind: 'close'; readonly code: number; readonly reason: string }

interface Frame {
  readonly opcode: Opcode
  readonly last: boolean
  readonly payload: Buffer
}

export interface Frames {
  send(opcode: 'text' | 'close' | 'ping' | 'pong', payload: Uint8Array): Promise<void>
  /**
   * The next message, pong or end; pings are answered.
   *
   * @throws CheckFailure `protocol_error`, `too_long`, `closed_early`
   */
  receive(): Promise<Received>
}

/** `rest`: yields to the event loop. */
export function createFrames(connection: Connection, rest: () => Promise<void>): Frames {
  let bytes = 0
  let frames = 0
  let parts: Buffer[] | undefined
  /** Bytes in `parts`. */
  let size = 0
  let binary = false

  async function readFrame(): Promise<Frame> {
    frames += 1
    if (frames > READ_LIMIT_FRAMES) throw tooLong(`${READ_LIMIT_FRAMES} frames`)
    if (frames % TURN_FRAMES === 0) await rest()
    const [head = 0, lengths = 0] = await exactly(connection, 2)
    const opcode = (Object.keys(OPCODES) as Opcode[]).find((name) => OPCODES[name] === (head & 15))
    if (opcode === undefined) throw strange(`a frame has the unknown opcode ${head & 15}`)
    if ((head & 0x70) !== 0) throw strange('a frame uses an extension that was not agreed on')
    if (lengths >= 128) throw strange('a frame of the server is masked')
    const last = head >= 128
    const control = OPCODES[opcode] >= OPCODES.close
    if (control && (!last || lengths > CONTROL_LIMIT_BYTES)) {
      throw strange('a control frame is fragmented or too long')
    }
    const length = await lengthOf(connection, lengths)
    bytes += length
    if (length > MESSAGE_LIMIT_BYTES) throw tooLong(`${MESSAGE_LIMIT_BYTES} bytes in one frame`)
    if (bytes > READ_LIMIT_BYTES) throw tooLong(`${READ_LIMIT_BYTES} bytes`)
    return { opcode, last, payload: await exactly(connection, length) }
  }

  /** A message, if it is complete. */
  function gather({ opcode, last, payload }: Frame): Received | undefined {
    if ((opcode === 'continuation') !== (parts !== undefined)) {
      throw strange('the parts of a message are out of order')
    }
    if (opcode !== 'continuation') binary = opcode === 'binary'
    if (parts === undefined) size = 0
    parts ??= []
    parts.push(payload)
    size += payload.length
    if (size > MESSAGE_LIMIT_BYTES) throw tooLong(`${MESSAGE_LIMIT_BYTES} bytes in one message`)
    if (!last) return undefined
    const whole = Buffer.concat(parts)
    parts = undefined
    return { kind: 'message', text: binary ? whole.toString('latin1') : utf8(whole) }
  }

  async function receive(): Promise<Received> {
    for (;;) {
      const frame = await readFrame()
      const { opcode, payload } = frame
      if (opcode === 'ping') await send('pong', payload)
      else if (opcode === 'pong') return { kind: 'pong', payload }
      else if (opcode === 'close') return closing(payload)
      else {
        const message = gather(frame)
        if (message !== undefined) return message
      }
    }
  }

  /** RFC 6455, 5.3: the mask is random, so that no proxy takes the frame for something else. */
  async function send(opcode: Opcode, payload: Uint8Array): Promise<void> {
    const mask = randomBytes(4)
    const masked = Buffer.from(payload)
    for (let at = 0; at < masked.length; at++) {
      masked[at] = (masked[at] ?? 0) ^ (mask[at & 3] ?? 0)
    }
    const head = Buffer.from([0x80 | OPCODES[opcode], ...lengthBytes(masked.length)])
    await connection.write(Buffer.concat([head, mask, masked]))
  }

  return { send, receive }
}

/** The value of `Sec-WebSocket-Accept` for a key (RFC 6455, 4.2.2). */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
}

/** With the bit that says that the payload is masked. */
function lengthBytes(length: number): readonly number[] {
  return length <= CONTROL_LIMIT_BYTES
    ? [128 | length]
    : [128 | 126, (length >> 8) & 255, length & 255]
}

async function lengthOf(connection: Connection, short: number): Promise<number> {
  if (short <= CONTROL_LIMIT_BYTES) return short
  if (short === 126) return (await exactly(connection, 2)).readUInt16BE()
  return Number((await exactly(connection, 8)).readBigUInt64BE())
}

async function exactly(connection: Connection, count: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let left = count; left > 0;) {
    const part = await connection.readUntil(() => true, { max: left })
    parts.push(part)
    left -= part.length
  }
  return Buffer.concat(parts)
}

function closing(payload: Buffer): Received {
  if (payload.length === 1) throw strange('a close frame has half a code')
  return {
    kind: 'close',
    code: payload.length === 0 ? 1005 : payload.readUInt16BE(),
    reason: payload.toString('latin1', 2),
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function utf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch (cause) {
    throw strange('a text message is not UTF-8', cause)
  }
}

function strange(what: string, cause?: unknown): CheckFailure {
  const text = `The server does not speak the WebSocket protocol: ${what}`
  return new CheckFailure('protocol_error', text, { cause })
}

function tooLong(limit: string): CheckFailure {
  return new CheckFailure('too_long', `The server sent more than ${limit}`)
}
