/**
 * FTP server: greeting, TLS upgrade if requested, login. Only the control connection is used: no
 * listing, no transfer, no data connection.
 *
 * @module watchpost/checkers/ftp
 */

import * as option from '../options.ts'
import { checkOptions } from '../options.ts'
import type { FTPContext, FTPResponse } from 'basic-ftp'
import { asSocket } from '../net/connection/as-socket.ts'
import { defineChecker, up } from './checker.ts'
import { failure, quoteText } from './mail/causes.ts'
import { converse } from './mail/converse.ts'
import type { MailProtocol, Session } from './mail/converse.ts'
import { mailDefinition } from './mail/fields.ts'
import type { MailOptions } from './mail/fields.ts'
import { hearReply, judgeGreeting } from './mail/replies.ts'
import type { Reply } from './mail/replies.ts'
import type { Login } from './mail/causes.ts'

const PORTS = { plain: 21, implicit: 990 } as const

type BasicFtp = typeof import('basic-ftp')

export const ftp = (options: MailOptions = {}) => {
  checkOptions('ftp', options, { verifyTls: option.flag })
  const { verifyTls = true } = options
  return defineChecker({
    type: 'ftp',
    title: 'FTP server',
    description: 'Greeting, TLS and login of an FTP server; nothing is listed or transferred.',
    ...mailDefinition(PORTS),
    driver: 'basic-ftp',

    async run(ctx, settings) {
      const library =
        settings.user === undefined
          ? undefined
          : await ctx.load('basic-ftp', () => import('basic-ftp'))
      await converse(ctx, protocol(library), { ...settings, verifyTls })
      return up()
    },
  })
}

function protocol(library: BasicFtp | undefined): MailProtocol {
  return {
    ports: PORTS,
    goodbye: /^421(?!\d)/,
    tlsCapability: /^AUTH\b.*\bTLS/i,
    tlsUnlisted: true,
    quit: 'QUIT',
    greet,
    welcome: ({ greeting, quote }) => judgeGreeting(greeting, quote, 'The server refused us'),
    askCapabilities,
    askForTls,
    async login(session, login) {
      if (library === undefined) throw new TypeError('A login needs its library')
      await loginWith(new library.FTPContext(), session, login)
      return 'USER'
    },
  }
}

const hear = ({ dialogue, quote }: Session): Promise<Reply> =>
  hearReply(dialogue, 'any_text', quote)

async function ask(session: Session, command: string): Promise<Reply> {
  await session.dialogue.say(command)
  return hear(session)
}

/** 120 announces a later greeting (RFC 959, 5.4). */
async function greet(session: Session): Promise<string> {
  for (;;) {
    const { code, said } = await hear(session)
    if (code !== 120) return said
  }
}

/** FEAT (RFC 2389); many servers list nothing before the login. */
async function askCapabilities(session: Session): Promise<readonly string[]> {
  const { code, lines } = await ask(session, 'FEAT')
  return code === 211 ? lines.slice(1, -1).map((line) => line.trim()) : []
}

/** RFC 4217, 4. */
async function askForTls(session: Session): Promise<void> {
  const { code, said } = await ask(session, 'AUTH TLS')
  if (code === 234) return
  const text = `The server refused the change to TLS: ${session.quote(said)}`
  throw failure('tls_unsupported', text, 'starttls')
}

/** By basic-ftp, on a stream that continues the dialogue of this checker. */
async function loginWith(
  context: FTPContext,
  session: Session,
  { user, pass }: Login,
): Promise<void> {
  const { dialogue } = session
  await asSocket(dialogue.connection(), { rest: dialogue.rest }, async (stream) => {
    context.socket = stream
    const answer = await request(context, `USER ${user}`)
    judge(answer.code === 331 ? await request(context, `PASS ${pass}`) : answer, session)
  })
}

/** A negative reply is returned, not thrown. */
async function request(
  context: FTPContext,
  command: string,
): Promise<Pick<FTPResponse, 'code' | 'message'>> {
  try {
    return await context.request(command)
  } catch (error) {
    const { code, message } = error as Partial<FTPResponse>
    if (typeof code === 'number' && message !== undefined) return { code, message }
    const text = 'The server closed the connection during the login'
    throw failure('closed_early', text, 'auth')
  }
}

/** Codes of RFC 959, 5.4 and RFC 4217, 4. */
function judge(
  { code, message }: Pick<FTPResponse, 'code' | 'message'>,
  { quote, secured }: Session,
): void {
  if (code >= 200 && code < 300) return
  const said = quoteText(quote, message)
  if (code === 421) throw failure('service_closing', `The server closes the service: ${said}`)
  if (code === 332) {
    throw failure('auth_unsupported', `The server wants an account besides: ${said}`, 'auth')
  }
  if (code < 400) throw failure('protocol_error', `The server answered the login with ${said}`)
  if (code < 500) {
    throw failure('auth_temporary', `The server could not check the login: ${said}`, 'auth')
  }
  if (!secured && /tls|ssl|encrypt|secure/i.test(message)) {
    throw failure('auth_unsupported', `The server wants TLS before a login: ${said}`, 'auth')
  }
  // Servers at their connection limit refuse with the code of a wrong password; only the text
  // differs.
  if (/too many|maximum|max(imal)? number|limit (is )?(reached|exceeded)/i.test(message)) {
    throw failure('auth_temporary', `The server takes no more logins: ${said}`, 'auth')
  }
  throw failure('auth_failed', `The server refused the login: ${said}`, 'auth')
}
