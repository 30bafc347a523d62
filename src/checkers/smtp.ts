/**
 * SMTP server: greeting, TLS upgrade if requested, login. No mail is sent.
 *
 * nodemailer does AUTH on the guarded and secured connection of the check. It reports neither the
 * greeting nor the current step, so everything before the login is done here; nodemailer then
 * receives the same greeting and continues.
 *
 * @module watchpost/checkers/smtp
 */

import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { Pattern } from '../fields/pattern.ts'
import { field } from '../fields/vocabulary.ts'
import { defineChecker, up } from './checker.ts'
import { BANNER_CAUSES, failure, quoteText } from './mail/causes.ts'
import { converse } from './mail/converse.ts'
import type { MailProtocol, Session } from './mail/converse.ts'
import { mailDefinition } from './mail/fields.ts'
import type { MailOptions } from './mail/fields.ts'
import { hearReply, judgeGreeting } from './mail/replies.ts'
import type { Reply } from './mail/replies.ts'
import { notSearched } from './causes.ts'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { asSocket } from '../net/connection/as-socket.ts'
import type { Login, Quote } from './mail/causes.ts'

type SmtpClient = typeof SMTPConnection

const METHODS = ['PLAIN', 'LOGIN', 'CRAM-MD5'] as const

type Method = (typeof METHODS)[number]

const PORTS = { plain: 25, implicit: 465, starttls: [587] } as const

export const smtp = (options: MailOptions = {}) => {
  checkOptions('smtp', options, { verifyTls: option.flag })
  const { verifyTls = true } = options
  const shared = mailDefinition(PORTS)
  return defineChecker({
    type: 'smtp',
    title: 'SMTP server',
    description: 'Greeting, TLS and login of an SMTP server; no mail is sent.',
    ...shared,
    fields: {
      ...shared.fields,
      banner_regex: field.regex({
        description: 'What the greeting must say, its code included, matched as latin1',
        example: '^220 .*ESMTP',
      }),
    },
    causes: { ...shared.causes, ...BANNER_CAUSES },
    driver: 'nodemailer',

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

/** The EHLO name, as an address literal (RFC 5321, 4.1.3): a probe need not have a host name. */
function ownName({ dialogue }: Session): string {
  const { localAddress = '127.0.0.1' } = dialogue.connection().socket
  return localAddress.includes(':') ? `[IPv6:${localAddress}]` : `[${localAddress}]`
}

/** @throws CheckFailure `auth_failed`, `auth_temporary`, `auth_unsupported` */
async function loginWith(Client: SmtpClient, session: Session, login: Login): Promise<string> {
  const method = methodFor(session)
  const { dialogue, secured, quote } = session
  const name = ownName(session)
  const lent = { rest: dialogue.rest, first: '220 go on\r\n' }
  await asSocket(dialogue.connection(), lent, async (connection) => {
    const client = new Client({
      connection,
      // TLS is already established, or not requested.
      ...(secured ? { secure: true, secured: true } : { secure: false, ignoreTLS: true }),
      name,
      logger: false,
      socketCloseTimeout: 0,
    })
    try {
      await authenticate(client, method, login)
    } catch (error) {
      throw explained(error, quote, secured)
    } finally {
      client.close()
    }
  })
  return method
}

function methodFor({ capabilities, secured }: Session): Method {
  const offered = capabilities
    .filter((each) => /^AUTH[ =]/i.test(each))
    .flatMap((each) => each.slice(5).toUpperCase().split(/[ =]+/))
  // In plain text, a method that does not reveal the password is preferred.
  const wanted: readonly Method[] = secured ? METHODS : ['CRAM-MD5', 'PLAIN', 'LOGIN']
  const method = wanted.find((each) => offered.includes(each))
  if (method !== undefined) return method
  const text =
    offered.length === 0
      ? `The server offers no login${secured ? '' : ' on a connection without TLS'}`
      : `The server offers only logins that are not known here: ${offered.join(' ').slice(0, 100)}`
  throw failure('auth_unsupported', text, 'auth')
}

function authenticate(
  client: InstanceType<SmtpClient>,
  method: Method,
  { user, pass }: Login,
): Promise<void> {
  return new Promise((resolve, reject) => {
    client.on('error', reject)
    client.connect((refused) => {
      if (refused) return reject(refused)
      client.login({ user, pass, method, credentials: { user, pass } }, (error) =>
        error === null ? resolve() : reject(error),
      )
    })
  })
}

/** Codes of RFC 4954, 6. */
function explained(error: unknown, quote: Quote, secured: boolean): unknown {
  const { response, responseCode: code } = error as {
    readonly response?: string
    readonly responseCode?: number
  }
  if (response === undefined || code === undefined) {
    const text = 'The server closed the connection during the login'
    return failure('closed_early', text, 'auth')
  }
  const said = quoteText(quote, response)
  if (code === 421) return failure('service_closing', `The server closes the service: ${said}`)
  if (code < 400) return failure('protocol_error', `The server answered the login with ${said}`)
  if (code < 500) return failure('auth_temporary', `The server could not check the login: ${said}`)
  if (code === 538 || (!secured && /tls|ssl|encrypt/i.test(response))) {
    return failure('auth_unsupported', `The server wants TLS before a login: ${said}`)
  }
  return code === 534 || (code >= 500 && code <= 504)
    ? failure('auth_unsupported', `The server does not take this kind of login: ${said}`)
    : failure('auth_failed', `The server refused the login: ${said}`)
}
