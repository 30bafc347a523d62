/**
 * SMTP server: greeting, TLS upgrade if requested, login. No mail is sent.
 *
 * @module watchpost/checkers/smtp
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { Pattern } from '../../fields/pattern.ts'
import { field } from '../../fields/vocabulary.ts'
import { defineChecker, up } from '../checker.ts'
import { BANNER_CAUSES, failure, MAIL_CAUSES } from '../mail/causes.ts'
import { converse, MAIL_HIGHLIGHTS, MAIL_MEASUREMENTS } from '../mail/converse.ts'
import type { MailProtocol, Session } from '../mail/converse.ts'
import { mailFields, mailTargetText, refineLogin } from '../mail/fields.ts'
import type { MailOptions } from '../mail/fields.ts'
import { hearReply, judgeGreeting } from '../mail/replies.ts'
import type { Reply } from '../mail/replies.ts'
import { notSearched } from '../not-searched.ts'
import { loginWith, ownName } from './login.ts'
import type { SmtpClient } from './login.ts'

const PORTS = { plain: 25, implicit: 465, starttls: [587] } as const

export const smtp = (options: MailOptions = {}) => {
  checkOptions('smtp', options, { verifyTls: option.flag })
  const { verifyTls = true } = options
  return defineChecker({
    type: 'smtp',
    title: 'SMTP server',
    description: 'Greeting, TLS and login of an SMTP server; no mail is sent.',
    fields: {
      ...mailFields(PORTS),
      banner_regex: field.regex({
        description: 'What the greeting must say, its code included, matched as latin1',
        example: '^220 .*ESMTP',
      }),
    },
    causes: { ...MAIL_CAUSES, ...BANNER_CAUSES },
    measurements: MAIL_MEASUREMENTS,
    highlights: MAIL_HIGHLIGHTS,
    common: { interval_sec: { default: 300 } },
    driver: 'nodemailer',
    refine: refineLogin,
    target: (settings) => mailTargetText(settings, PORTS),

    async run(ctx, settings) {
      const { banner_regex, user } = settings
      const client =
        user === undefined
          ? undefined
          : await ctx.load('nodemailer', () => import('nodemailer/lib/smtp-connection'))
      await converse(ctx, protocol(banner_regex, client?.default), { ...settings, verifyTls })
      return up()
    },
  })
}

function protocol(banner: Pattern | undefined, client: SmtpClient | undefined): MailProtocol {
  return {
    ports: PORTS,
    goodbye: /^421(?!\d)/,
    tlsCapability: /^STARTTLS$/i,
    quit: 'QUIT',
    greet: async (session) => (await hear(session)).said,
    welcome: (session) => welcome(session, banner),
    askCapabilities,
    askForTls,
    async login(session, login) {
      if (client === undefined) throw new TypeError('A login needs its client')
      return loginWith(client, session, login)
    },
  }
}

const hear = ({ dialogue, quote }: Session): Promise<Reply> =>
  hearReply(dialogue, 'same_code', quote)

async function ask(session: Session, command: string): Promise<Reply> {
  await session.dialogue.say(command)
  return hear(session)
}

const REFUSAL = 'The server refused this location, whose address may be on a block list'

function welcome({ greeting, quote }: Session, banner: Pattern | undefined): void {
  judgeGreeting(greeting, quote, REFUSAL)
  if (banner === undefined || banner.test(greeting)) return
  if (greeting.length > banner.searched) {
    throw failure('too_long', notSearched(banner), 'greeting')
  }
  throw failure('banner_mismatch', `The greeting is ${quote(greeting)}`, 'greeting')
}

/** EHLO, or HELO for servers from before 1995, which have no extensions. */
async function askCapabilities(session: Session): Promise<readonly string[]> {
  const name = ownName(session)
  const extended = await ask(session, `EHLO ${name}`)
  if (extended.code === 250) return extended.lines.slice(1).map((line) => line.trim())
  const simple = await ask(session, `HELO ${name}`)
  if (simple.code === 250) return []
  const text = `The server refused EHLO and HELO: ${session.quote(extended.said)}`
  throw failure('greeting_rejected', text)
}

async function askForTls(session: Session): Promise<void> {
  const { code, said } = await ask(session, 'STARTTLS')
  if (code === 220) return
  const text = `The server refused the change to TLS: ${session.quote(said)}`
  throw failure('tls_unsupported', text, 'starttls')
}
