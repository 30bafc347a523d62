/**
 * IMAP server: greeting, TLS upgrade if requested, login. No mailbox is opened.
 *
 * @module watchpost/checkers/imap
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { defineChecker, up } from '../checker.ts'
import { failure, MAIL_CAUSES, saslPlain } from '../mail/causes.ts'
import { converse, MAIL_HIGHLIGHTS, MAIL_MEASUREMENTS } from '../mail/converse.ts'
import type { MailProtocol, Session } from '../mail/converse.ts'
import { mailFields, mailTargetText, refineLogin, unusedOfMail } from '../mail/fields.ts'
import type { MailOptions } from '../mail/fields.ts'
import { hearAnswer, createCommands } from './commands.ts'
import type { ImapGrammar, Answer, Commands } from './commands.ts'
import type { Login } from '../mail/causes.ts'

/** Response codes of RFC 5530, 3. */
const TEMPORARY = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'OVERQUOTA']

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
    figures: [],
    measurements: MAIL_MEASUREMENTS,
    highlights: MAIL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },
    driver: 'imapflow',
    refine: refineLogin,
    unused: (settings) => unusedOfMail(settings, PORTS),
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

/** Resolves with the method. AUTHENTICATE is preferred, since LOGIN cannot transport UTF-8. */
async function loginWith(commands: Commands, session: Session, login: Login): Promise<string> {
  const offered = session.capabilities.map((each) => each.toUpperCase())
  if (offered.includes('AUTH=PLAIN')) {
    const { done } = await commands.run(session, 'AUTHENTICATE PLAIN', saslPlain(login))
    return judge(done, session, 'PLAIN')
  }
  if (offered.includes('LOGINDISABLED')) {
    throw failure('auth_unsupported', 'The server offers no login on this connection', 'auth')
  }
  const command = await commands.compile('LOGIN', [login.user, login.pass])
  const { done } = await commands.run(session, command)
  return judge(done, session, 'LOGIN')
}

function judge(done: Answer, { quote }: Session, method: string): string {
  if (done.word === 'OK') return method
  const said = quote(done.said)
  const [code = ''] = done.code
  if (TEMPORARY.includes(code.toUpperCase())) {
    throw failure('auth_temporary', `The server could not check the login: ${said}`, 'auth')
  }
  if (code.toUpperCase() === 'PRIVACYREQUIRED') {
    throw failure('auth_unsupported', `The server wants TLS before a login: ${said}`, 'auth')
  }
  if (done.word === 'BAD') {
    throw failure('protocol_error', `The server did not understand the login: ${said}`, 'auth')
  }
  throw failure('auth_failed', `The server refused the login: ${said}`, 'auth')
}
