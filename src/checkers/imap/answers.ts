/**
 * The server's responses (RFC 9051, 2.2 and 7), as far as a verdict needs them: tag, status and response code. Each is
 * read within the bounds of the dialogue before the client gets it.
 *
 * @module
 */

import { failure } from '../mail/causes.ts'
import type { Session } from '../mail/converse.ts'

export interface Answer {
  /** `*`, `+`, or the tag of a command. */
  readonly tag: string
  /** `OK`, `NO`, `BAD`, `BYE`, `PREAUTH`, `CAPABILITY`, …, in capitals. */
  readonly word: string
  /** The response code, in capitals: `UNAVAILABLE`; empty without one. */
  readonly code: string
  /** What follows the word, without literals. */
  readonly text: string
  /** As latin1, with literals, without the last line end. */
  readonly said: string
}

const ANSWER = /^([*+]|[a-z0-9]+)(?: (.*))?$/is

const beginsLikeAnswer = (beginning: string): boolean => /^[*+A-Z0-9]/i.test(beginning)

/** @throws CheckFailure `protocol_error`, and what the dialogue throws */
export async function hearAnswer({
  dialogue,
  quote,
}: Pick<Session, 'dialogue' | 'quote'>): Promise<Answer> {
  const first = await dialogue.hear(beginsLikeAnswer)
  let said = first
  let line = first
  for (let size = literalAt(line); size !== undefined; size = literalAt(line)) {
    const literal = await dialogue.hearBlock(size)
    line = await dialogue.hear()
    said += `\r\n${literal.toString('latin1')}${line}`
  }
  const [, tag, rest = ''] = ANSWER.exec(first) ?? []
  if (tag === undefined) {
    throw failure('protocol_error', `The server said ${quote(said)}, which is not IMAP`)
  }
  const [word = ''] = rest.trimStart().split(' ', 1)
  const text = rest.trimStart().slice(word.length).trim()
  const [, code = ''] = /^\[([^\s\]]+)/.exec(text) ?? []
  return { tag, word: word.toUpperCase(), code: code.toUpperCase(), text, said }
}

/** A line that ends in `{n}` continues after n bytes. */
function literalAt(line: string): number | undefined {
  const [, digits] = /\{(\d{1,19})\+?\}$/.exec(line) ?? []
  return digits === undefined ? undefined : Number(digits)
}
