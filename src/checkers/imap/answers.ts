/**
 * Parses the responses of IMAP servers (RFC 9051, 7) with the parser of imapflow. Its client is not
 * used: it opens its own socket, which bypasses the guard, ignores the configured root
 * certificates, and upgrades to TLS outside the measurements.
 *
 * @module
 */

import type { ImapAttribute, ImapResponse } from 'imapflow/lib/handler/types.js'
import type { Dialogue } from '../../net/connection/dialogue.ts'
import { failure } from '../mail/causes.ts'
import type { Quote } from '../mail/words.ts'

export type ImapGrammar = typeof import('imapflow/lib/handler/imap-handler.js')

export interface Answer {
  /** `*`, `+`, or the tag of a command. */
  readonly tag: string
  /** `OK`, `NO`, `BAD`, `BYE`, `PREAUTH`, `CAPABILITY`, …, in capitals. */
  readonly word: string
  /** What follows the word. */
  readonly words: readonly string[]
  /** The response code and its arguments: `[CAPABILITY IMAP4rev1]`, `[UNAVAILABLE]`. */
  readonly code: readonly string[]
  /** As latin1, without the line end. */
  readonly said: string
}

const beginsLikeAnswer = (beginning: string): boolean => /^[*+A-Z0-9]/i.test(beginning)

export async function hearAnswer(
  dialogue: Dialogue,
  { parser }: ImapGrammar,
  quote: Quote,
): Promise<Answer> {
  let line = await dialogue.hear(beginsLikeAnswer)
  const lines = [line]
  const literals: Buffer[] = []
  for (let size = literalAt(line); size !== undefined; size = literalAt(line)) {
    literals.push(await dialogue.hearBlock(size))
    line = await dialogue.hear()
    lines.push(line)
  }
  const said = lines.join('\r\n')
  const parsed = await parser(Buffer.from(said, 'latin1'), { literals }).catch(() => undefined)
  if (parsed?.tag !== undefined) return answerOf(parsed, said)
  throw failure('protocol_error', `The server said ${quote(said)}, which is not IMAP`)
}

/** A line that ends in `{n}` continues after n bytes. */
function literalAt(line: string): number | undefined {
  const [, digits] = /\{(\d{1,19})\+?\}$/.exec(line) ?? []
  return digits === undefined ? undefined : Number(digits)
}

function answerOf({ tag = '', command = '', attributes }: ImapResponse, said: string): Answer {
  const [first, ...rest] = attributes ?? []
  const code = first !== null && !Array.isArray(first) ? first?.section : undefined
  const words = code === undefined ? (attributes ?? []) : rest
  return {
    tag,
    word: command.toUpperCase(),
    words: textsOf(words),
    code: textsOf(code ?? []),
    said,
  }
}

function textsOf(attributes: readonly ImapAttribute[]): readonly string[] {
  return attributes.flatMap((each) =>
    each === null || Array.isArray(each) || typeof each.value !== 'string' ? [] : [each.value],
  )
}
