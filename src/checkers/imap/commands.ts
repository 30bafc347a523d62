/**
 * Tagged commands and the server's responses (RFC 9051, 2.2 and 7), read with the parser
 * of imapflow. Its client is not used: it opens its own socket, which bypasses the guard, ignores the
 * configured root certificates, and upgrades to TLS outside the measurements.
 *
 * @module
 */

import { failure } from '../mail/causes.ts'
import type { Session } from '../mail/converse.ts'
import type { ImapAttribute, ImapResponse } from 'imapflow/lib/handler/types.js'
import type { Dialogue } from '../../net/connection/dialogue.ts'
import type { Quote } from '../mail/causes.ts'

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

export interface Done {
  /** OK, NO or BAD with the command's tag. */
  readonly done: Answer
  /** Untagged responses before it. */
  readonly untagged: readonly Answer[]
}

export interface Commands {
  /** `more` is sent when the server requests a continuation. */
  run(session: Session, command: string, more?: string): Promise<Done>
  /** The command with its arguments quoted. */
  compile(command: string, texts: readonly string[]): Promise<string>
}

export function createCommands(grammar: ImapGrammar): Commands {
  let count = 0

  return {
    async compile(command, texts) {
      const attributes = texts.map((value) => ({ type: 'STRING', value }))
      return (await grammar.compiler({ tag: '', command, attributes })).toString('utf8').trim()
    },

    async run({ dialogue, quote }, command, more) {
      const tag = `w${++count}`
      const untagged: Answer[] = []
      let rest = more
      await dialogue.say(`${tag} ${command}`)
      for (;;) {
        const answer = await hearAnswer(dialogue, grammar, quote)
        if (answer.tag === tag) return { done: answer, untagged }
        if (answer.tag === '*') untagged.push(answer)
        else if (answer.tag === '+' && rest !== undefined) {
          await dialogue.say(rest)
          rest = undefined
        } else {
          throw failure('protocol_error', `The server said ${quote(answer.said)} out of turn`)
        }
      }
    },
  }
}

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
