/**
 * Tagged commands (RFC 9051, 2.2).
 *
 * @module
 */

import { failure } from '../mail/causes.ts'
import type { Session } from '../mail/converse.ts'
import { hearAnswer } from './answers.ts'
import type { Answer, ImapGrammar } from './answers.ts'

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
