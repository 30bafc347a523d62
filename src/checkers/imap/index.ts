/**
 * IMAP server: greeting, TLS upgrade if requested, login. No mailbox is opened.
 *
 * @module watchpost/checkers/imap
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { defineChecker, up } from '../checker.ts'
import { failure, MAIL_CAUSES } from '../mail/causes.ts'
import { converse, MAIL_HIGHLIGHTS, MAIL_MEASUREMENTS } from '../mail/converse.ts'
import type { MailProtocol, Session } from '../mail/converse.ts'
import { mailFields, mailTargetText, refineLogin } from '../mail/fields.ts'
import type { MailOptions } from '../mail/fields.ts'
import { hearAnswer } from './answers.ts'
import type { ImapGrammar } from './answers.ts'
import { createCommands } from './commands.ts'
import { loginWith } from './login.ts'

const PORTS = { plain: 143, implicit: 993 } as const

export const imap = (options: MailOptions = {}) => {
  checkOptions('imap', options, { verifyTls: option.flag })
  const { verifyTls = true } = options
  return defineChecker({
    type: 'imap',
    title: 'IMAP server',
    description: 'Greeting, TLS and login of an IMAP server; no mailbox is opened.',
    fields: mailFields(PORTS),
    causes: MAIL_CAUSES,
    measurements: MAIL_MEASUREMENTS,
    highlights: MAIL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },
    driver: 'imapflow',
    refine: refineLogin,
    target: (settings) => mailTargetText(settings, PORTS),

    async run(ctx, settings) {
      const grammar = await ctx.load(
        'imapflow',
        () => import('imapflow/lib/handler/imap-handler.js'),
      )
      await converse(ctx, protocol(grammar), { ...settings, verifyTls })
      return up()
    },
  })
}

function protocol(grammar: ImapGrammar): MailProtocol {
  const commands = createCommands(grammar)
  return {
    ports: PORTS,
    goodbye: /^\* BYE\b/i,
    chatty: true,
    tlsCapability: /^STARTTLS$/i,
    quit: 'bye LOGOUT',
    greet: ({ dialogue, quote }) => greet({ dialogue, quote }, grammar),
    welcome({ greeting, quote }) {
      if (!/^\* BYE\b/i.test(greeting)) return
      throw failure('greeting_rejected', `The server refused: ${quote(greeting)}`, 'greeting')
    },
    async askCapabilities(session) {
      const { done, untagged } = await commands.run(session, 'CAPABILITY')
      if (done.word !== 'OK') {
        const text = `The server refused to tell its capabilities: ${session.quote(done.said)}`
        throw failure('protocol_error', text)
      }
      return untagged.filter(({ word }) => word === 'CAPABILITY').flatMap(({ words }) => words)
    },
    async askForTls(session) {
      // A PREAUTH session before TLS may be injected by an attacker (RFC 9051, 11.1).
      const early = isLoggedIn(session)
      const said = early ? session.greeting : (await commands.run(session, 'STARTTLS')).done
      if (typeof said !== 'string' && said.word === 'OK') return
      const words = session.quote(typeof said === 'string' ? said : said.said)
      const text = `The server refused the change to TLS: ${words}`
      throw failure('tls_unsupported', text, 'starttls')
    },
    login: async (session, login) =>
      isLoggedIn(session) ? 'PREAUTH' : loginWith(commands, session, login),
  }
}

async function greet(
  { dialogue, quote }: Pick<Session, 'dialogue' | 'quote'>,
  grammar: ImapGrammar,
): Promise<string> {
  const { tag, word, said } = await hearAnswer(dialogue, grammar, quote)
  if (tag === '*' && /^(?:OK|PREAUTH|BYE)$/.test(word)) return said
  throw failure('protocol_error', `The server greeted with ${quote(said)}`)
}

function isLoggedIn({ greeting }: Session): boolean {
  return /^\* PREAUTH\b/i.test(greeting)
}
