/**
 * A dialogue in lines, as mail and FTP servers hold it: one line of ours, then one or more of theirs.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { Connection, TlsOptions } from '../net.ts'

/** Longest line that is taken. SMTP allows 512 bytes (RFC 5321, 4.5.3.1.5), IMAP 8192 (RFC 7162, 4). */
const LINE_LIMIT_BYTES = 8192

/** Lines that arrived together and are heard in one turn of the event loop. */
const TURN_LINES = 256

/** Most bytes of one answer, all of its lines together. */
const ANSWER_LIMIT_BYTES = 64 * 1024

export interface DialogueOptions {
  /** Lets others have their turn, after many lines that need not be waited for. */
  readonly rest?: () => Promise<void>
  /** Sees every line heard, so that a goodbye is noticed wherever it comes; throws to end the dialogue. */
  readonly inspect?: (line: string) => void
  /** The server may speak unasked (IMAP). Otherwise such a line fails the next `say`. */
  readonly chatty?: boolean
}

export interface Dialogue {
  /** The present one: `secure` puts another in its place. */
  readonly connection: Connection
  /**
   * Sends one line and waits for nothing. Text goes out as UTF-8.
   *
   * @throws CheckFailure `protocol_error` where an answer is there already: it cannot be to this line
   */
  say(line: string): Promise<void>
  /**
   * The next line as latin1, without its end.
   *
   * @throws CheckFailure `too_long` beyond 8 KiB a line or 64 KiB since the last `say`; `closed_early`
   */
  hear(plausible?: (beginning: string) => boolean): Promise<string>
  /** A block of so many bytes that a line has announced; counts like lines. */
  hearBlock(bytes: number): Promise<Buffer>
  /** The TLS handshake; the server has consented. */
  secure(options: TlsOptions): Promise<void>
}

export function createDialogue(first: Connection, options: DialogueOptions = {}): Dialogue {
  const { rest, inspect = () => undefined, chatty = false } = options
  let connection = first
  let heard = 0
  let lines = 0

  function count(bytes: number): void {
    heard += bytes
    if (heard <= ANSWER_LIMIT_BYTES) return
    const text = `The server's answer is longer than ${ANSWER_LIMIT_BYTES} bytes`
    throw new CheckFailure('too_long', text)
  }

  async function hear(plausible?: (beginning: string) => boolean): Promise<string> {
    const line = await connection.readLine({
      max: LINE_LIMIT_BYTES,
      ...(plausible === undefined ? {} : { plausible }),
    })
    count(line.length + 2)
    lines += 1
    if (lines % TURN_LINES === 0) await rest?.()
    inspect(line)
    return line
  }

  return {
    get connection() {
      return connection
    },
    hear,
    async hearBlock(bytes) {
      count(bytes)
      const parts: Buffer[] = []
      for (let left = bytes; left > 0;) {
        const part = await connection.readUntil(() => true, { max: left })
        parts.push(part)
        left -= part.length
      }
      return Buffer.concat(parts)
    },
    async say(line) {
      // Also the last line of defence against text of a user that would end the line early.
      if (/[\r\n\0]/.test(line)) throw new TypeError('A line holds no line breaks')
      heard = 0
      if (!chatty && connection.buffered() > 0) {
        await hear()
        throw new CheckFailure('protocol_error', 'The server answered before it was asked')
      }
      await connection.write(`${line}\r\n`)
    },
    async secure(tls) {
      connection = await connection.upgrade(tls)
      heard = 0
    },
  }
}
