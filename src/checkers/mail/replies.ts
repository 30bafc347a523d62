/**
 * Replies with a three-digit code, on one or several lines: SMTP (RFC 5321, 4.2) and FTP (RFC 959,
 * 4.2).
 *
 * @module
 */

import type { Dialogue } from '../../net/connection/dialogue.ts'
import { failure } from './causes.ts'
import type { Quote } from './causes.ts'

export interface Reply {
  readonly code: number
  /** The text of the lines, without codes. */
  readonly lines: readonly string[]
  /** The reply unchanged, lines separated by LF. */
  readonly said: string
}

/** `same_code`: every line has the code. `any_text`: only the first and the last line have it. */
export type ReplyStyle = 'same_code' | 'any_text'

const LINE = /^([1-5]\d\d)(?:([ -])(.*))?$/s

/**
 * A reply begins with digits: anything else is another protocol, detected without waiting for the
 * line end.
 */
const beginsLikeCode = (beginning: string): boolean => /^[1-5](\d(\d[ -]?|$)|$)/.test(beginning)

export async function hearReply(
  dialogue: Dialogue,
  style: ReplyStyle,
  quote: Quote,
): Promise<Reply> {
  const first = await dialogue.hear(beginsLikeCode)
  const [, code, mark, text = ''] = LINE.exec(first) ?? []
  if (code === undefined) throw strange(quote(first))
  const said = [first]
  const lines = [text]
  for (let more = mark === '-'; more;) {
    const line = await dialogue.hear()
    const [, own, ownMark, ownText = ''] = LINE.exec(line) ?? []
    if (style === 'same_code' && own !== code) throw strange(quote(line))
    said.push(line)
    lines.push(own === code ? ownText : line)
    more = own !== code || ownMark === '-'
  }
  return { code: Number(code), lines, said: said.join('\n') }
}

function strange(quoted: string): Error {
  return failure('protocol_error', `The server said ${quoted}, which is not the protocol`)
}

/** 220 is a positive greeting. `refusal` explains 4xx and 5xx. */
export function judgeGreeting(greeting: string, quote: Quote, refusal: string): void {
  const said = quote(greeting)
  if (greeting.startsWith('220')) return
  if (greeting.startsWith('421')) {
    throw failure('service_closing', `The server is too busy or closes: ${said}`, 'greeting')
  }
  if (/^[45]/.test(greeting)) throw failure('greeting_rejected', `${refusal}: ${said}`, 'greeting')
  throw failure('protocol_error', `The server greeted with ${said}`, 'greeting')
}
