/**
 * A line-based dialogue, as in SMTP, IMAP, POP3 and FTP: one command line, then one or more
 * response lines.
 *
 * @module
 */

import { CheckFailure } from '../failure.ts'
import type { Connection, TlsOptions } from '../net.ts'

/** Longest line accepted. SMTP allows 512 bytes (RFC 5321, 4.5.3.1.5), IMAP 8192 (RFC 7162, 4). */
const LINE_LIMIT_BYTES = 8192

/** Lines of one check read in one turn of the event loop, if they arrived together: those of all checks may have. */
const TURN_LINES = 8

/** Maximum bytes of one response, over all its lines. */
const ANSWER_LIMIT_BYTES = 64 * 1024

export interface DialogueOptions {
  /** Yields to the event loop; called after some lines, since many may have arrived together. */
  readonly rest: () => Promise<void>
  /**
   * Receives every line read, to detect a closing message wherever it appears; throws to end the
   * dialogue.
   */
  readonly inspect?: (line: string) => void
  /** The server may send unsolicited lines (IMAP). Otherwise such a line fails the next `say`. */
  readonly chatty?: boolean
}

export interface Dialogue {
  /** The current connection; `secure` replaces it. */
  connection(): Connection
  /**
   * Sends one line as UTF-8 without waiting for the response.
   *
   * @throws CheckFailure `protocol_error` if a response has already arrived: it cannot belong to
   * this line
   */
  say(line: string): Promise<void>
  /**
   * The next line as latin1, without its end.
   *
   * @throws CheckFailure `too_long` beyond 8 KiB a line or 64 KiB since the last `say`; `closed_early`
   */
  hear(plausible?: (beginning: string) => boolean): Promise<string>
  /** Reads a block of the length that a line announced; counts towards the same limits as lines. */
  hearBlock(bytes: number): Promise<Buffer>
  /** As in the options. */
  readonly rest: () => Promise<void>
  /** Runs the TLS handshake, after the server has agreed to STARTTLS. */
  secure(options: TlsOptions): Promise<void>
}

export function createDialogue(first: Connection, options: DialogueOptions): Dialogue {
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
    if (lines % TURN_LINES === 0) await rest()
    inspect(line)
    return line
  }

  return {
    connection: () => connection,
    hear,
    rest,
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
      // Also prevents command injection by user-supplied text with line breaks.
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
