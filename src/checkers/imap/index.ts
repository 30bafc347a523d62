/**
 * IMAP server: greeting, TLS upgrade if requested, login. No mailbox is opened. imapflow's client leads the
 * conversation, up to its login.
 *
 * @module watchpost/checkers/imap
 */

import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import { defineChecker, up } from '../checker.ts'
import { failure } from '../mail/causes.ts'
import { converse, loginOf } from '../mail/converse.ts'
import type { MailProtocol, Session } from '../mail/converse.ts'
import { mailDefinition, mailTarget } from '../mail/fields.ts'
import type { MailOptions } from '../mail/fields.ts'
import { hearAnswer } from './answers.ts'
import type { Answer } from './answers.ts'
import { createClient, notUnderstood } from './client.ts'
import type { ImapClient } from './client.ts'

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
    ...mailDefinition(PORTS),
    driver: 'imapflow',

    async run(ctx, settings) {
      const { ImapFlow } = await ctx.load('imapflow', () => import('imapflow'))
      const target = mailTarget(settings, PORTS)
      const client = createClient(ImapFlow, { target, login: loginOf(settings) })
      ctx.onEnd(client.close)
      await converse(ctx, protocol(client), { ...settings, verifyTls })
      return up()
    },
  })
}

function protocol(client: ImapClient): MailProtocol {
  return {
    ports: PORTS,
    goodbye: /^\* BYE\b/i,
    chatty: true,
    tlsCapability: /^STARTTLS$/i,
    quit: 'bye LOGOUT',
    greet: (session) => greet(client, session),
    welcome({ greeting, quote }) {
      if (!/^\* BYE\b/i.test(greeting)) return
      throw failure('greeting_rejected', `The server refused: ${quote(greeting)}`, 'greeting')
    },
    askCapabilities: (session) => askCapabilities(client, session),
    askForTls: (session) => askForTls(client, session),
    login: async (session) => (isLoggedIn(session) ? 'PREAUTH' : logIn(client, session)),
  }
}

async function greet(client: ImapClient, session: Session): Promise<string> {
  const { tag, word, said } = await hearAnswer(session)
  if (tag !== '*' || !/^(?:OK|PREAUTH|BYE)$/.test(word)) {
    throw failure('protocol_error', `The server greeted with ${session.quote(said)}`)
  }
  if (word !== 'BYE') client.begin(word)
  return said
}

async function askCapabilities(client: ImapClient, session: Session): Promise<readonly string[]> {
  if ((await client.next()) !== 'CAPABILITY') throw notUnderstood()
  const { done, untagged } = await client.carry(session)
  if (done.word !== 'OK') {
    const text = `The server refused to tell its capabilities: ${session.quote(done.said)}`
    throw failure('protocol_error', text)
  }
  const listed = untagged.filter(({ word }) => word === 'CAPABILITY')
  return listed.flatMap(({ text }) => text.split(/ +/)).filter((each) => each !== '')
}

/** A PREAUTH session before TLS may be injected by an attacker (RFC 9051, 11.1): the client gives up. */
async function askForTls(client: ImapClient, session: Session): Promise<void> {
  const { quote, greeting } = session
  const asks = (await client.next()) === 'STARTTLS'
  const said = asks ? (await client.carry(session)).done : undefined
  if (said?.word === 'OK') return
  const text =
    said === undefined && !isLoggedIn(session)
      ? 'The server does not offer the change to TLS'
      : `The server refused the change to TLS: ${quote(said?.said ?? greeting)}`
  throw failure('tls_unsupported', text, 'starttls')
}

function isLoggedIn({ greeting }: Session): boolean {
  return /^\* PREAUTH\b/i.test(greeting)
}

/** Resolves with the method that the client chose. It introduces itself first where the server has ID. */
async function logIn(client: ImapClient, session: Session): Promise<string> {
  if ((await client.next()) === 'ID') await client.carry(session)
  const [verb = '', method] = (await client.next())?.split(' ') ?? []
  if (verb !== 'LOGIN' && verb !== 'AUTHENTICATE') throw noLogin(client)
  const { done } = await client.carry(session)
  if (done.word !== 'OK') throw refused(done, session)
  await client.next()
  if (!client.loggedIn()) throw notUnderstood()
  return method ?? verb
}

/** LOGINDISABLED, or a password that the offered kind of login cannot transport. */
function noLogin(client: ImapClient): Error {
  const { authenticationFailed, code } = (client.refusal() ?? {}) as {
    readonly authenticationFailed?: boolean
    readonly code?: string
  }
  if (authenticationFailed !== true && code !== 'InvalidStringValue') return notUnderstood()
  const text = 'The server offers no login on this connection'
  return failure('auth_unsupported', text, 'auth')
}

function refused({ word, code, said: answer }: Answer, { quote }: Session): Error {
  const said = quote(answer)
  if (TEMPORARY.includes(code)) {
    return failure('auth_temporary', `The server could not check the login: ${said}`, 'auth')
  }
  if (code === 'PRIVACYREQUIRED') {
    return failure('auth_unsupported', `The server wants TLS before a login: ${said}`, 'auth')
  }
  if (word !== 'NO') {
    return failure('protocol_error', `The server did not understand the login: ${said}`, 'auth')
  }
  return failure('auth_failed', `The server refused the login: ${said}`, 'auth')
}
