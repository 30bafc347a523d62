/**
 * Answers with a three-digit code, on one line or several: SMTP (RFC 5321, 4.2) and FTP (RFC 959, 4.2).
 *
 * @module
 */

import type { Dialogue } from '../../net/connection/dialogue.ts'
import { failure } from './causes.ts'
import type { Quote } from './words.ts'

export interface Reply {
  readonly code: number
  /** Without their codes, where they have one. */
  readonly lines: readonly string[]
  /** As it was said, lines parted by LF. */
  readonly said: string
}

/** `same_code`: every line of an answer bears its code. `any_text`: only the first and the last one. */
export type ReplyStyle = 'same_code' | 'any_text'

const LINE = /^([1-5]\d\d)(?:([ -])(.*))?$/s

/** Codes are digits: anything else is another protocol, and no line end need be waited for. */
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

/** 220 is welcome. `refusal` says what 4xx and 5xx mean here. */
export function judgeGreeting(greeting: string, quote: Quote, refusal: string): void {
  const said = quote(greeting)
  if (greeting.startsWith('220')) return
  if (greeting.startsWith('421')) {
    throw failure('service_closing', `The server is too busy or closes: ${said}`, 'greeting')
  }
  if (/^[45]/.test(greeting)) throw failure('greeting_rejected', `${refusal}: ${said}`, 'greeting')
  throw failure('protocol_error', `The server greeted with ${said}`, 'greeting')
}
